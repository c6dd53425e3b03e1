//===- WideElements.cpp - Neighbours of 16 bytes for each thread ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector is taken apart for the op's body, which may be anything: threads
// have no vector arithmetic, it is their accesses that count.
//
//===----------------------------------------------------------------------===//

#include "../../Shared/Alignment.h"
#include "../../Shared/MemRefMemory.h"
#include "../Fragment/KernelBuilder.h"
#include "ElementKernel.h"
#include "StructuredKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

/// What one access takes.
constexpr int64_t kAccessBytes = 16;

bool StructuredKernel::isElementwise() {
  return !threadDims.empty() && threadDims.size() == op.getNumLoops() &&
         llvm::all_of(*op.getBlock(), [](Operation &inner) {
           return inner.hasTrait<OpTrait::IsTerminator>() ||
                  isMemoryEffectFree(&inner);
         });
}

/// Numbers of whole bytes, of which vectors lie in memory as such.
static bool isOfBytes(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

bool StructuredKernel::hasRowsAlong(OpOperand &operand, unsigned dim) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || type.getRank() == 0 || !type.isLastDimUnitStride() ||
      !isOfBytes(type.getElementType()))
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == dim &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           return expr.isFunctionOfDim(dim);
         });
}

SmallVector<OpOperand *> StructuredKernel::getWideOperands() {
  SmallVector<OpOperand *> wide;
  for (OpOperand &operand : op->getOpOperands())
    if (hasRowsAlong(operand, threadDims.back()))
      wide.push_back(&operand);
  return wide;
}

int64_t StructuredKernel::getWidth() {
  SmallVector<OpOperand *> wide = getWideOperands();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!llvm::is_contained(wide, &init))
      return 1;
  int64_t bytes = 1;
  for (OpOperand *operand : wide)
    bytes =
        std::max(bytes, getElementBytes(getElementTypeOrSelf(operand->get())));
  int64_t width = std::max<int64_t>(kAccessBytes / bytes, 1);
  int64_t size = getStaticSize(threadDims.back());
  while (!ShapedType::isDynamic(size) && size % width != 0)
    width /= 2;
  return width;
}

Value StructuredKernel::emitAlignment(OpBuilder &b, int64_t width) {
  if (width == 1)
    return {};
  KernelBuilder kernel(b, loc);
  Value all = kernel.equal(kernel.rem(sizes[threadDims.back()], width), 0);
  for (OpOperand *operand : getWideOperands()) {
    Value memref = operand->get();
    Value one = emitIsAligned(
        b, loc, memref, width * getElementBytes(getElementTypeOrSelf(memref)));
    if (!one)
      return {};
    all = kernel.both(all, one);
  }
  return all;
}

void StructuredKernel::emitWide(OpBuilder &b, int64_t width) {
  Value aligned = emitAlignment(b, width);
  if (!aligned)
    return emitElements(b);
  KernelBuilder kernel(b, loc);
  auto emitVectors = [&] {
    SmallVector<OpFoldResult> box;
    for (unsigned dim : threadDims)
      box.push_back(sizes[dim]);
    box.back() = kernel.div(sizes[threadDims.back()], width);
    emitElementKernel(b, loc, box, [&](OpBuilder &inner, ValueRange point) {
      for (auto [dim, index] : llvm::zip_equal(threadDims, point))
        indices[dim] = index;
      emitNeighbours(inner, width);
    });
  };
  kernel.emitIf(aligned, emitVectors, [&] { emitElements(b); });
}

void StructuredKernel::emitNeighbours(OpBuilder &b, int64_t width) {
  KernelBuilder kernel(b, loc);
  unsigned dim = threadDims.back();
  Value first = kernel.mul(indices[dim], width);
  indices[dim] = first;
  auto getAlignment = [&](VectorType type) {
    int64_t bytes = width * getElementBytes(type.getElementType());
    return llvm::Align(std::min(bytes, kAccessBytes));
  };
  auto getVector = [&](OpOperand &operand) {
    return VectorType::get({width}, getElementTypeOrSelf(operand.get()));
  };
  SmallVector<OpOperand *> wide = getWideOperands();
  llvm::SmallDenseMap<OpOperand *, Values> loaded;
  for (OpOperand *operand : wide) {
    if (!op.payloadUsesValueFromOperand(operand))
      continue;
    VectorType type = getVector(*operand);
    Value vector = vector::LoadOp::create(
        b, loc, type, operand->get(), getPosition(b, *operand),
        /*nontemporal=*/false, getAlignment(type));
    loaded[operand] = kernel.unpack(vector);
  }
  SmallVector<Values> results(op.getNumDpsInits());
  for (int64_t i = 0; i < width; ++i) {
    indices[dim] = kernel.add(first, i);
    Values values = emitBody(b, [&](OpOperand &operand) -> Value {
      auto found = loaded.find(&operand);
      if (found != loaded.end())
        return found->second[i];
      return op.payloadUsesValueFromOperand(&operand) ? loadOperand(b, operand)
                                                      : Value();
    });
    for (auto [result, value] : llvm::zip_equal(results, values))
      result.push_back(value);
  }
  indices[dim] = first;
  for (auto [init, result] :
       llvm::zip_equal(op.getDpsInitsMutable(), results)) {
    VectorType type = getVector(init);
    vector::StoreOp::create(b, loc, kernel.pack(result), init.get(),
                            getPosition(b, init),
                            /*nontemporal=*/false, getAlignment(type));
  }
}
