//===- Findings.cpp - Faults, and where they can be mended ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;

namespace attn::lint_checks {

void Findings::addFault(LintWarning warning, ArrayRef<Operation *> parts) {
  faults.push_back({std::move(warning), SmallVector<Operation *>(parts), {}});
}

void Findings::addFine(WarningId id, Operation *part) {
  fine.insert({unsigned(id), part});
}

void Findings::setEnd(Value name, Value value) {
  faults.back().end = name;
  ends.insert({unsigned(faults.back().warning.id), value});
}

std::string
Findings::findRefusal(const Fault &fault,
                      ArrayRef<std::unique_ptr<FlatFunction>> functions) const {
  auto id = unsigned(fault.warning.id);
  for (Operation *part : fault.parts)
    if (fine.contains({id, part}))
      return "other places where it runs, or other parts of it, are right as "
             "they are";
  if (fault.end)
    for (const auto &function : functions)
      for (Value instance : function->getInstances(fault.end))
        if (!ends.contains({id, instance}))
          return "in other places where it runs the stream goes on";
  return "";
}

std::vector<LintWarning>
Findings::take(ArrayRef<std::unique_ptr<FlatFunction>> functions) {
  std::vector<LintWarning> warnings;
  DenseSet<std::tuple<unsigned, Operation *, Operation *>> seen;
  for (Fault &fault : faults) {
    LintWarning &warning = fault.warning;
    warning.part = fault.parts.empty() ? warning.op : fault.parts.front();
    if (!seen.insert({unsigned(warning.id), warning.op, warning.part}).second)
      continue;
    if (warning.refusal.empty())
      warning.refusal = findRefusal(fault, functions);
    if (!warning.refusal.empty())
      warning.fix = nullptr;
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

} // namespace attn::lint_checks
