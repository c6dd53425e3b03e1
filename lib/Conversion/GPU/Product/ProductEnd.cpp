//===- ProductEnd.cpp - What is stored of the sums ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductEnd.h"

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

ProductEnd::ProductEnd(KernelBuilder &kernel, const DeviceProduct &product,
                       const ProductPlace &place)
    : kernel(kernel), product(product), place(place),
      output(getBeside(product.output)) {
  if (product.bias)
    bias = getBeside(*product.bias);
  for (const DeviceProduct::Extra &extra : product.extras)
    extras.push_back(extra.number
                         ? std::nullopt
                         : std::optional<Beside>(getBeside(extra.matrix)));
}

ProductEnd::Beside ProductEnd::getBeside(const DeviceMatrix &matrix) {
  return {matrix.emitRows(kernel, place.batch, /*columns=*/0),
          matrix.repeatsColumn(), matrix.hasUnitColumns()};
}

Value ProductEnd::emitTakesVectors(int64_t width) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Beside> all = {output};
  if (bias)
    all.push_back(*bias);
  for (const std::optional<Beside> &extra : extras)
    if (extra && !extra->repeats)
      all.push_back(*extra);
  Value bits = kernel.constant64(0);
  for (const Beside &beside : all) {
    if (!beside.isDense)
      return {};
    Value address =
        LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), beside.rows.base);
    bits = b.createOrFold<arith::OrIOp>(loc, bits, address);
    bits = b.createOrFold<arith::OrIOp>(loc, bits, beside.rows.rowStride);
  }
  Value rest = kernel.rem(kernel.toI32(bits), kChunkBytes);
  Value inRow = kernel.rem(place.columns, width);
  return kernel.equal(kernel.add(rest, inRow), 0);
}

Value ProductEnd::getAddress(const Beside &from, Value row, Value column) {
  Value ofRow = from.rows.emitRow(kernel, row);
  return from.repeats ? ofRow : from.rows.emitElement(kernel, ofRow, column);
}

/// A vector in the type of the sums.
Value ProductEnd::load(const Beside &from, Value row, Value column,
                       int64_t width) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t bytes = from.rows.element.getIntOrFloatBitWidth() / 8;
  Value address = getAddress(from, row, column);
  if (from.repeats) {
    Value number = kernel.convertFloat(
        kernel.load(from.rows.element, address, bytes), product.compute);
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({width}, product.compute), number);
  }
  Value loaded = kernel.load(VectorType::get({width}, from.rows.element),
                             address, std::min(width * bytes, kChunkBytes));
  return kernel.convertFloat(loaded, product.compute);
}

void ProductEnd::store(Value row, Value column, Value sums) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t width = cast<VectorType>(sums.getType()).getNumElements();
  LaneBuilder lanes(b, loc, product.compute, width);
  Value value = sums, factor, addend;
  if (product.product.factor)
    factor = lanes.toFloatLanes(product.product.factor);
  if (bias)
    addend = load(*bias, row, column, width);
  if (factor && addend)
    value = lanes.fma(value, factor, addend);
  else if (factor)
    value = lanes.mul(value, factor);
  else if (addend)
    value = lanes.add(value, addend);
  if (product.product.epilogue) {
    SmallVector<Value> arguments;
    for (auto [extra, beside] : llvm::zip_equal(product.extras, extras))
      arguments.push_back(beside ? load(*beside, row, column, width)
                                 : lanes.toFloatLanes(extra.number));
    value = product.product.epilogue(b, loc, value, arguments);
  }
  if (product.product.accumulates)
    value = lanes.add(value, load(output, row, column, width));
  int64_t bytes = output.rows.element.getIntOrFloatBitWidth() / 8;
  kernel.store(kernel.convertFloat(value, output.rows.element),
               getAddress(output, row, column),
               std::min(width * bytes, kChunkBytes));
}
