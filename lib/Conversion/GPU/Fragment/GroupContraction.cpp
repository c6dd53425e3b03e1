//===- GroupContraction.cpp - Products of four warps ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupContraction.h"

#include "attn/Dialect/AttnNV/IR/AttnNV.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace attn;

/// Threads that share a row's columns.
static constexpr int64_t kRowThreads = 4;

static MatrixShape getGroupShape(int64_t columns) { return {64, columns, 16}; }

GroupContraction::GroupContraction(Type element, int64_t columns)
    : FragmentContraction(getGroupShape(columns), element,
                          *FragmentLayout::get(FragmentRole::Accumulator,
                                               getGroupShape(columns), element),
                          *FragmentLayout::get(FragmentRole::Lhs,
                                               getGroupShape(columns),
                                               element)) {}

SmallVector<Value>
GroupContraction::emitStep(KernelBuilder &kernel, ValueRange lhsParts,
                           bool lhsTransposed, const PanelOperand &rhs,
                           int64_t step, ValueRange accumulators) const {
  OpBuilder &b = kernel.getBuilder();
  Type sums = VectorType::get({shape.n / kRowThreads}, b.getF32Type());
  SmallVector<Type> types(accumulator.getRowsPerThread(), sums);
  auto product = attn_nv::WgmmaOp::create(
      b, kernel.getLoc(), types, element, lhsParts, rhs.getStep(kernel, step),
      accumulators, lhsTransposed, rhs.isTransposed());
  return SmallVector<Value>(product.getSums());
}

SmallVector<Value> GroupContraction::emit(KernelBuilder &kernel,
                                          const PanelOperand &lhsOperand,
                                          const PanelOperand &rhs,
                                          int64_t steps,
                                          ValueRange accumulators) const {
  SmallVector<Value> sums(accumulators);
  for (int64_t step = 0; step < steps; ++step)
    sums = emitStep(kernel, lhsOperand.getStep(kernel, step),
                    lhsOperand.isTransposed(), rhs, step, sums);
  return sums;
}

SmallVector<Value>
GroupContraction::emit(KernelBuilder &kernel,
                       ArrayRef<SmallVector<Value>> lhsRegisters,
                       const PanelOperand &rhs, ValueRange accumulators) const {
  SmallVector<Value> sums(accumulators);
  for (auto [step, registers] : llvm::enumerate(lhsRegisters))
    sums = emitStep(kernel, registers, /*lhsTransposed=*/false, rhs,
                    static_cast<int64_t>(step), sums);
  return sums;
}

SmallVector<SmallVector<Value>>
GroupContraction::emitReuse(KernelBuilder &kernel, ValueRange rows) const {
  SmallVector<SmallVector<Value>> steps =
      FragmentContraction::emitReuse(kernel, rows);
  for (SmallVector<Value> &registers : steps)
    for (Value &part : registers)
      if (part.getType() != kernel.getI32())
        part = LLVM::BitcastOp::create(kernel.getBuilder(), kernel.getLoc(),
                                       kernel.getI32(), part);
  return steps;
}

SmallVector<Value> attn::emitGroupFence(KernelBuilder &kernel,
                                        ValueRange values) {
  auto fence = attn_nv::WgmmaFenceOp::create(kernel.getBuilder(),
                                             kernel.getLoc(), values);
  return SmallVector<Value>(fence.getResults());
}

SmallVector<Value>
attn::emitGroupFence(KernelBuilder &kernel, ValueRange values,
                     SmallVectorImpl<SmallVector<Value>> &lhs) {
  SmallVector<Value> all(values);
  for (ArrayRef<Value> registers : lhs)
    llvm::append_range(all, registers);
  SmallVector<Value> fenced = emitGroupFence(kernel, all);
  size_t at = values.size();
  for (SmallVector<Value> &registers : lhs)
    for (Value &part : registers)
      part = fenced[at++];
  fenced.truncate(values.size());
  return fenced;
}

void attn::emitGroupCommit(KernelBuilder &kernel) {
  NVVM::WgmmaGroupSyncAlignedOp::create(kernel.getBuilder(), kernel.getLoc());
}

SmallVector<Value> attn::emitGroupWait(KernelBuilder &kernel, ValueRange sums,
                                       int64_t pending,
                                       ArrayRef<SmallVector<Value>> lhs) {
  SmallVector<Value> reading;
  for (ArrayRef<Value> registers : lhs)
    llvm::append_range(reading, registers);
  auto wait = attn_nv::WgmmaWaitOp::create(kernel.getBuilder(), kernel.getLoc(),
                                           pending, sums, reading);
  return SmallVector<Value>(wait.getResults());
}
