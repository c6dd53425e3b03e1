//===- AttnNV.cpp - Matrix instructions of four warps ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/AttnNV/IR/AttnNV.h"

using namespace mlir;
using namespace attn::attn_nv;

#include "attn/Dialect/AttnNV/IR/AttnNVDialect.cpp.inc"

void AttnNVDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/AttnNV/IR/AttnNVOps.cpp.inc"
      >();
}

/// Rows of sums of a thread, and threads that share a row's columns.
static constexpr int64_t kRows = 2, kRowThreads = 4;
/// The most columns of an instruction, of which it has a multiple of 8.
static constexpr int64_t kMostColumns = 256, kColumnStep = 8;
/// Registers of a lhs.
static constexpr size_t kLhsRegisters = 4;

int64_t WgmmaOp::getColumns() {
  return kRowThreads *
         cast<VectorType>(getSums().front().getType()).getNumElements();
}

LogicalResult WgmmaOp::verify() {
  if (getSums().size() != kRows || !llvm::all_equal(getSums().getTypes()))
    return emitOpError("has two rows of sums, of one type");
  int64_t columns = getColumns();
  if (columns % kColumnStep != 0 || columns > kMostColumns)
    return emitOpError("multiplies a multiple of 8 columns, at most 256; these "
                       "sums are of ")
           << columns;
  if (!getAccumulators().empty() &&
      getAccumulators().getTypes() != getSums().getTypes())
    return emitOpError("accumulators have other types than the sums");
  bool isDescriptor = getLhs().size() == 1;
  if (!isDescriptor && getLhs().size() != kLhsRegisters)
    return emitOpError("has a lhs of one descriptor or four registers, got ")
           << getLhs().size() << " values";
  for (Value part : getLhs())
    if (!part.getType().isInteger(isDescriptor ? 64 : 32))
      return emitOpError("a lhs is one i64 or four i32, got ")
             << part.getType();
  if (getLhsTransposed() && !isDescriptor)
    return emitOpError("a lhs in registers cannot be transposed");
  return success();
}

#define GET_OP_CLASSES
#include "attn/Dialect/AttnNV/IR/AttnNVOps.cpp.inc"
