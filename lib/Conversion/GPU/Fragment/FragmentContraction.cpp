//===- FragmentContraction.cpp - Products of fragments --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentContraction.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace attn;

/// The instruction mma.sync on 16-bit numbers.
static constexpr MatrixShape kWarpShape = {16, 8, 16};

/// 32 bits of 16-bit numbers in the type that the instruction takes.
static Value toOperand(KernelBuilder &kernel, Type element, Value bits) {
  Type wanted = kernel.getI32();
  if (element.isF16())
    wanted = VectorType::get({2}, element);
  if (bits.getType() == wanted)
    return bits;
  return LLVM::BitcastOp::create(kernel.getBuilder(), kernel.getLoc(), wanted,
                                 bits);
}

SmallVector<SmallVector<Value>>
FragmentContraction::emitReuse(KernelBuilder &kernel, ValueRange rows) const {
  std::optional<SmallVector<int64_t>> reuse =
      FragmentLayout::getReuse(accumulator, lhs);
  assert(reuse && "no such instruction");
  // Where each element of an accumulator lies: row and place in it.
  int64_t perRow = accumulator.getColumnsPerRow();
  int64_t count = accumulator.getNumElements();
  SmallVector<std::pair<int64_t, int64_t>> places(count);
  for (int64_t row = 0; row < accumulator.getRowsPerThread(); ++row)
    for (auto [i, at] : llvm::enumerate(accumulator.getElementsOfRow(row)))
      places[at] = {row, static_cast<int64_t>(i)};
  SmallVector<SmallVector<Value>> elements;
  for (Value row : rows)
    elements.push_back(kernel.unpack(kernel.convertFloat(row, element)));
  int64_t blocks = lhs.getNumColumns() / accumulator.getNumColumns();
  int64_t steps = elements[0].size() / perRow / blocks;
  SmallVector<SmallVector<Value>> registers(steps);
  for (int64_t step = 0; step < steps; ++step)
    for (size_t i = 0; i < reuse->size(); i += 2) {
      SmallVector<Value> pair;
      for (int64_t from : {(*reuse)[i], (*reuse)[i + 1]}) {
        auto [row, place] = places[from % count];
        int64_t block = step * blocks + from / count;
        pair.push_back(elements[row][block * perRow + place]);
      }
      registers[step].push_back(toOperand(kernel, element, kernel.pack(pair)));
    }
  return registers;
}

WarpContraction::WarpContraction(Type element, bool rowsAreTerms)
    : FragmentContraction(
          kWarpShape, element,
          *FragmentLayout::get(FragmentRole::Accumulator, kWarpShape, element),
          *FragmentLayout::get(FragmentRole::Lhs, kWarpShape, element)),
      rowsAreTerms(rowsAreTerms) {}

/// The registers of each accumulator: blocks of rows, and in each of them
/// blocks of columns.
SmallVector<WarpContraction::Registers>
WarpContraction::split(KernelBuilder &kernel, ValueRange rows,
                       bool fresh) const {
  int64_t perThread = accumulator.getRowsPerThread();
  int64_t perRow = accumulator.getColumnsPerRow();
  auto type = cast<VectorType>(rows[0].getType());
  int64_t columnBlocks = type.getNumElements() / perRow;
  Value zero;
  if (fresh)
    zero = kernel.zero(type.getElementType());
  SmallVector<Registers> blocks;
  for (size_t first = 0; first < rows.size(); first += perThread) {
    SmallVector<SmallVector<Value>> elements;
    for (int64_t row = 0; row < perThread && !fresh; ++row)
      elements.push_back(kernel.unpack(rows[first + row]));
    for (int64_t column = 0; column < columnBlocks; ++column) {
      Registers registers(accumulator.getNumElements(), zero);
      for (int64_t row = 0; row < perThread && !fresh; ++row)
        for (auto [i, at] : llvm::enumerate(accumulator.getElementsOfRow(row)))
          registers[at] = elements[row][column * perRow + i];
      blocks.push_back(registers);
    }
  }
  return blocks;
}

/// The other way round.
SmallVector<Value> WarpContraction::join(KernelBuilder &kernel,
                                         ArrayRef<Registers> blocks,
                                         int64_t rows) const {
  int64_t perThread = accumulator.getRowsPerThread();
  int64_t columnBlocks = blocks.size() * perThread / rows;
  SmallVector<Value> result;
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> elements;
    for (int64_t column = 0; column < columnBlocks; ++column)
      for (int64_t at : accumulator.getElementsOfRow(row % perThread))
        elements.push_back(blocks[row / perThread * columnBlocks + column][at]);
    result.push_back(kernel.pack(elements));
  }
  return result;
}

void WarpContraction::multiply(KernelBuilder &kernel, ValueRange a,
                               ValueRange b, Registers &c) const {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto convert = [&](ValueRange bits) {
    return llvm::map_to_vector(
        bits, [&](Value value) { return toOperand(kernel, element, value); });
  };
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(c.size(), c[0].getType()));
  NVVM::MMATypes kind =
      element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      builder, loc, type, convert(a), convert(b), c,
      ArrayRef<int64_t>{shape.m, shape.n, shape.k}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{kind, kind},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  c = Registers(kernel.unpackStruct(product));
}

SmallVector<Value> WarpContraction::emit(KernelBuilder &kernel,
                                         LhsRegisters lhsRegisters,
                                         int64_t steps, const MatrixLoader &rhs,
                                         ValueRange accumulators, bool fresh) {
  SmallVector<Registers> blocks = split(kernel, accumulators, fresh);
  int64_t rowBlocks = accumulators.size() / accumulator.getRowsPerThread();
  int64_t columnBlocks = blocks.size() / rowBlocks;
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<SmallVector<Value>> a;
    for (int64_t row = 0; row < rowBlocks; ++row)
      a.push_back(lhsRegisters(row, step));
    for (int64_t column = 0; column < columnBlocks; column += 2) {
      // Two column blocks of eight, or a step of sixteen terms, are two chunks
      // or two blocks of eight rows.
      SmallVector<Value> b = rowsAreTerms
                                 ? rhs.load(kernel, shape.k * step, column)
                                 : rhs.load(kernel, shape.n * column, 2 * step);
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t row = 0; row < rowBlocks; ++row)
          multiply(kernel, a[row], ValueRange(b).slice(2 * half, 2),
                   blocks[row * columnBlocks + column + half]);
    }
  }
  return join(kernel, blocks, accumulators.size());
}

// A rhs has its terms in the two registers of a column block, so the terms come
// first, of a lhs its rows: rows of memory, or chunks.
MatrixLoader attn::createLoader(KernelBuilder &kernel, FragmentRole role,
                                const SharedTile &tile, Value lane,
                                bool rowsAreTerms, Value first) {
  bool chunksFirst = (role == FragmentRole::Rhs) != rowsAreTerms;
  Value row = rowsAreTerms ? Value() : first, chunk;
  if (rowsAreTerms && first)
    chunk = kernel.div(first, tile.getChunkElements());
  return MatrixLoader(kernel, tile, lane, row, chunksFirst,
                      /*transposed=*/rowsAreTerms, chunk);
}

SmallVector<Value> attn::loadLhs(KernelBuilder &kernel,
                                 const MatrixLoader &loader, int64_t row,
                                 int64_t step, bool rowsAreTerms) {
  if (rowsAreTerms)
    return loader.load(kernel, kWarpShape.k * step, row / kWarpShape.n);
  return loader.load(kernel, row, 2 * step);
}
