//===- Reducer.h - Makes a module smaller while it is interesting -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REDUCE_REDUCER_H
#define ATTN_REDUCE_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Reducer/Tester.h"
#include <memory>
#include <vector>

namespace attn::reduce {

/// One way to make modules smaller. It offers numbered choices; a choice that
/// does not fit leaves a module that does not verify, or fails.
class Reduction {
public:
  virtual ~Reduction() = default;
  /// What the report calls it: `sizes`.
  virtual llvm::StringRef getName() const = 0;
  /// How many choices there are for this module.
  virtual unsigned count(mlir::ModuleOp module) = 0;
  /// Makes one of them.
  virtual mlir::LogicalResult apply(mlir::ModuleOp module, unsigned choice) = 0;
};

using Reductions = std::vector<std::unique_ptr<Reduction>>;

/// Functions that go, ops that become arguments, results that nobody returns.
void addOpReductions(Reductions &reductions);
/// Masks, biases, regions, probes, changes of rows that go; scales, normalisers
/// and activations that become the plain ones; schedules that go.
void addPolicyReductions(Reductions &reductions);
/// Sizes that become smaller wherever they occur, sizes that become static,
/// element types that become f32.
void addTypeReductions(Reductions &reductions);

struct ReductionCounts {
  unsigned tried = 0;
  unsigned kept = 0;
};

/// Tries all reductions until none helps any more. `report` is called for each
/// that was kept.
mlir::OwningOpRef<mlir::ModuleOp> reduceModule(
    mlir::OwningOpRef<mlir::ModuleOp> module, const Reductions &reductions,
    const mlir::Tester &tester, ReductionCounts &counts,
    llvm::function_ref<void(llvm::StringRef name, unsigned ops)> report);

/// Without ops that nobody uses.
void removeDeadOps(mlir::ModuleOp module);
/// All ops but the module, a measure of what is left.
unsigned countOps(mlir::ModuleOp module);

} // namespace attn::reduce

#endif // ATTN_REDUCE_REDUCER_H
