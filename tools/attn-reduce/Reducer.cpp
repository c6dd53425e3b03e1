//===- Reducer.cpp - Makes a module smaller while it is interesting -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn::reduce;

void attn::reduce::removeDeadOps(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    // Users before what they use.
    module->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (op != module && isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
      }
    });
  }
}

unsigned attn::reduce::countOps(ModuleOp module) {
  unsigned count = 0;
  module->walk([&](Operation *) { ++count; });
  return count - 1;
}

/// The module with one choice made; null if that is no module.
static OwningOpRef<ModuleOp>
makeCandidate(ModuleOp module, Reduction &reduction, unsigned choice) {
  OwningOpRef<ModuleOp> candidate(module.clone());
  // Most choices do not fit somewhere; nobody wants to read where.
  ScopedDiagnosticHandler quiet(module->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(reduction.apply(*candidate, choice)))
    return nullptr;
  if (failed(verify(*candidate)))
    return nullptr;
  removeDeadOps(*candidate);
  return candidate;
}

OwningOpRef<ModuleOp> attn::reduce::reduceModule(
    OwningOpRef<ModuleOp> module, const Reductions &reductions,
    const Tester &tester, ReductionCounts &counts,
    llvm::function_ref<void(StringRef, unsigned)> report) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const std::unique_ptr<Reduction> &reduction : reductions) {
      unsigned choice = 0;
      while (choice < reduction->count(*module)) {
        OwningOpRef<ModuleOp> candidate =
            makeCandidate(*module, *reduction, choice);
        counts.tried += bool(candidate);
        if (!candidate || tester.isInteresting(*candidate).first !=
                              Tester::Interestingness::True) {
          ++choice;
          continue;
        }
        // The next choice has this one's number now, or there is none.
        module = std::move(candidate);
        changed = true;
        ++counts.kept;
        report(reduction->getName(), countOps(*module));
      }
    }
  }
  return module;
}
