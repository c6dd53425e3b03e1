//===- SharedTile.cpp - Rows of a matrix in shared memory -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTile.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;

/// Rows whose chunks are read at once: eight chunks fill all banks.
static constexpr unsigned kMostSwizzleBits = 3;

unsigned SharedTile::getSwizzleBits() const {
  return std::min<unsigned>(llvm::countr_zero<uint64_t>(getChunks()),
                            kMostSwizzleBits);
}

// With chunks = 2^bits * odd, the rows r of eight start at different multiples
// of 2^bits, modulo 8, but for those that are 8 / 2^bits apart: these differ in
// what the lowest bits are changed by.
Value SharedTile::emitOffset(KernelBuilder &kernel, Value row,
                             Value chunk) const {
  unsigned bits = getSwizzleBits();
  Value change = kernel.bitAnd(kernel.shiftRight(row, kMostSwizzleBits - bits),
                               (1 << bits) - 1);
  Value place = kernel.bitXor(chunk, change);
  return kernel.add(kernel.mul(row, getRowBytes()),
                    kernel.mul(place, kChunkBytes));
}

MatrixLoader::MatrixLoader(KernelBuilder &kernel, const SharedTile &tile,
                           Value lane, Value firstRow, bool chunksFirst,
                           bool transposed, Value firstChunk)
    : tile(tile), transposed(transposed) {
  // Lanes 0 to 7 give the rows of the first matrix, 8 to 15 of the second, ...
  Value second = kernel.bitAnd(kernel.shiftRight(lane, 3), 1);
  Value fourth = kernel.shiftRight(lane, 4);
  Value block = chunksFirst ? fourth : second;
  Value chunk = chunksFirst ? second : fourth;
  Value row = kernel.add(kernel.bitAnd(lane, 7), kernel.mul(block, 8));
  if (firstRow)
    row = kernel.add(row, firstRow);
  if (firstChunk)
    chunk = kernel.add(chunk, firstChunk);
  int64_t variants =
      std::max<int64_t>(1, (int64_t(1) << tile.getSwizzleBits()) / 2);
  Value offset = tile.emitOffset(kernel, row, chunk);
  for (int64_t i = 0; i < variants; ++i) {
    // Chunk 0 or 1, plus an even number below the swizzle's: their bits change
    // apart from each other. One instruction makes an address of another, so
    // that not all have to stay in registers.
    Value other = firstChunk
                      ? tile.emitOffset(kernel, row, kernel.add(chunk, 2 * i))
                      : kernel.bitXor(offset, 2 * i * kChunkBytes);
    addresses.push_back(kernel.offset(tile.base, other));
  }
}

MatrixLoader MatrixLoader::shifted(KernelBuilder &kernel, Value bytes) const {
  MatrixLoader result = *this;
  for (Value &address : result.addresses)
    address = kernel.offset(address, bytes);
  return result;
}

SmallVector<Value> MatrixLoader::load(KernelBuilder &kernel, int64_t row,
                                      int64_t chunk) const {
  int64_t pair = chunk / 2, variants = addresses.size();
  int64_t offset =
      row * tile.getRowBytes() + (pair - pair % variants) * 2 * kChunkBytes;
  Value address = kernel.offset(addresses[pair % variants], offset);
  OpBuilder &b = kernel.getBuilder();
  Type i32 = kernel.getI32();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(b, kernel.getLoc(), type, address, 4,
                                          transposed ? NVVM::MMALayout::col
                                                     : NVVM::MMALayout::row,
                                          shape, NVVM::LdStMatrixEltType::B16);
  return kernel.unpackStruct(loaded);
}
