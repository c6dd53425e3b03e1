//===- RegisterCheck.h - Registers that nothing has written -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly every register is plainly written before it is read. Only those that
// may be read first, by the control flow of their function, are watched while
// it runs: each has a mask of the lanes that have written it.
//
// Compilers compute with values that they know to be unused: merges at the end
// of a branch, parts of vectors, lanes that a predicated load left out. Copies
// and arithmetic therefore hand the mask on; that nothing has written a
// register is reported where its value goes to memory, is an address, decides a
// predicate or leaves its lane.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_REGISTERCHECK_H
#define ATTN_LIB_PTXSIM_EXEC_REGISTERCHECK_H

#include "PTXSim/Exec/Inst.h"
#include "PTXSim/IR/Module.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace attn::ptx {

struct Exec;

/// The registers of an instruction, by index in ir::Function::registers.
struct RegisterAccesses {
  enum class Kind : uint8_t {
    Use,    ///< What is read must be written.
    Pure,   ///< The result is written if all operands are.
    Copy,   ///< mov, and {a, b} to one register: written if one part is.
    Select, ///< selp: the value of the side that is taken.
    Product ///< wgmma: accumulators are read if scale-d is not zero.
  };
  static constexpr uint32_t kNoRegister = ~0u;

  Kind kind = Kind::Use;
  uint32_t guard = kNoRegister;
  Opnd selector; ///< Of Select and Product.
  /// `values` are the operands of Pure, Copy and Select, which may be no
  /// registers, and the accumulators of Product.
  llvm::SmallVector<uint32_t, 4> reads, values, writes;

  /// Arithmetic of one lane. Other instructions must have their operands.
  static bool isPure(llvm::StringRef opcode);
};

/// What a watched instruction does with watched registers.
struct RegisterCheck {
  struct Watched {
    /// Offset in the frame's registers of a State; 0: not watched.
    uint32_t state = 0;
    uint32_t reg = 0;
  };
  /// Which lanes have written a register. For the others: the register that
  /// was read too early, and where.
  struct State {
    uint32_t written, line, reg;
  };
  RegisterAccesses::Kind kind = RegisterAccesses::Kind::Use;
  Opnd selector;
  Watched guard;
  llvm::SmallVector<Watched, 4> reads, values, writes;

  /// Reports what is read too early, and notes what the active lanes write.
  /// `lanes`: those that have come here, whatever the guard says.
  void run(Exec &x, uint32_t line, uint32_t lanes) const;

private:
  void use(Exec &x, uint32_t line, uint32_t lanes, const Watched &w) const;
};

/// The registers that control flow may bring to a read before any write, and
/// those that copies and arithmetic hand their values on to. `accesses` and
/// `next` are by instruction; the function begins with the first. `given` are
/// registers that have values then.
std::vector<bool>
findWatchedRegisters(const std::vector<bool> &given,
                     llvm::ArrayRef<RegisterAccesses> accesses,
                     llvm::ArrayRef<llvm::SmallVector<uint32_t, 2>> next);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_REGISTERCHECK_H
