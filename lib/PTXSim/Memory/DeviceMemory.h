//===- DeviceMemory.h - Allocations of a run --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers, module variables and constants at their device addresses, between
// guard zones. Host threads look allocations up without a lock; none is added
// while a kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_DEVICEMEMORY_H
#define ATTN_LIB_PTXSIM_MEMORY_DEVICEMEMORY_H

#include "PTXSim/Exec/Memory.h"
#include "PTXSim/Memory/GridOrder.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace attn::ptx {

struct Allocation {
  std::string name;
  uint64_t base = 0, bytes = 0;
  bool readOnly = false;
  std::unique_ptr<uint8_t[]> data;
  /// One byte a byte: whether it holds a value.
  std::unique_ptr<uint8_t[]> initialised;

  bool contains(uint64_t address, uint64_t size) const {
    return address >= base && size <= bytes && address - base <= bytes - size;
  }
};

class DeviceMemory final : public GlobalMemory {
public:
  uint64_t allocate(llvm::StringRef name, uint64_t bytes, uint64_t align,
                    llvm::ArrayRef<uint8_t> init, bool poison,
                    bool readOnly) override;
  void write(uint64_t address, llvm::ArrayRef<uint8_t> bytes) override;
  void read(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) override;
  void setDefined(uint64_t address, llvm::ArrayRef<uint8_t> defined) override;
  void getDefined(uint64_t address,
                  llvm::MutableArrayRef<uint8_t> defined) override;
  bool needsOrder() const override { return shared && !shared->empty(); }
  void checkOrder(GlobalMemory &first) override {
    shared = nullptr;
    order = std::make_unique<GridOrder>(
        std::move(static_cast<DeviceMemory &>(first).shared));
  }

  /// The allocation that holds all of the bytes, or null.
  Allocation *find(uint64_t address, uint64_t bytes) const;
  /// "'x' (64 bytes at 0x7010..., this is 4 bytes past its end)".
  std::string describe(uint64_t address) const;
  /// Atomic accesses of one address exclude each other.
  std::mutex &lockOf(uint64_t address) { return locks[(address / 16) % 64]; }

  /// One of the two, or none: CTAs leave their footprints, or accesses of the
  /// bytes that CTAs share are checked.
  std::unique_ptr<SharedBytes> shared;
  std::unique_ptr<GridOrder> order;

private:
  std::vector<std::unique_ptr<Allocation>> allocations; ///< By address.
  uint64_t next = kGlobalBase;
  std::mutex locks[64];
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_DEVICEMEMORY_H
