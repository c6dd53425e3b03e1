//===- AddressSpaces.h - Accesses of any space, generic ones included
//-------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_OPS_ADDRESSSPACES_H
#define ATTN_LIB_PTXSIM_OPS_ADDRESSSPACES_H

#include "PTXSim/Ops/OpHelpers.h"

namespace attn::ptx {

/// What ld, st, atom and red say about an access besides its address.
struct MemoryForm {
  AddressOpnd address;
  ir::Space space = ir::Space::Generic;
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
  uint32_t bytes = 0; ///< Of one lane, all elements.
  uint32_t alignment = 0;
};

/// .global, .shared::cta, .acquire, .gpu, ... Cache hints are accepted.
/// False: an error was reported.
bool decodeMemoryForm(Decoder &d, const ir::Instruction &inst, MemoryForm &form,
                      std::initializer_list<llvm::StringRef> alsoAllowed);

/// Loads and stores `data` (form.bytes a lane, lane after lane).
bool loadBytes(Exec &x, const Inst &i, const MemoryForm &form, uint8_t *data);
bool storeBytes(Exec &x, const Inst &i, const MemoryForm &form,
                const uint8_t *data);
/// Global and shared memory only.
using UpdateCell =
    llvm::function_ref<bool(unsigned lane, uint8_t *cell, MemSpace space)>;
bool updateBytes(Exec &x, const Inst &i, const MemoryForm &form,
                 UpdateCell update);

/// Options::profile: bank conflicts and sectors of one access.
void profileAccess(Exec &x, uint32_t line, uint32_t mask,
                   const uint64_t *address, uint32_t bytes, MemSpace space);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_OPS_ADDRESSSPACES_H
