//===- KernelAssertions.cpp - Checks inside of kernels --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "StructuredToGPU.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

/// Zeros for what the end of a block gives.
static FailureOr<SmallVector<Value>> createZeros(OpBuilder &builder,
                                                 Operation *end) {
  SmallVector<Value> zeros;
  for (Type type : end->getOperandTypes()) {
    TypedAttr zero = builder.getZeroAttr(type);
    if (!zero)
      return end->emitError("a checked part of a kernel cannot give a ")
             << type;
    zeros.push_back(arith::ConstantOp::create(builder, end->getLoc(), zero));
  }
  return zeros;
}

/// The rest of the assertion's block runs only where it holds; else `number`
/// goes to the note, if none above it is there. Any order of threads gives the
/// same note.
static LogicalResult guard(cf::AssertOp assertion, Value note, int64_t number) {
  Location loc = assertion.getLoc();
  Block *block = assertion->getBlock();
  Operation *end = block->getTerminator();
  OpBuilder builder(assertion);
  auto branch = scf::IfOp::create(builder, loc, end->getOperandTypes(),
                                  assertion.getArg(), /*withElse=*/true);
  Block *rest = branch.thenBlock(), *failed = branch.elseBlock();
  rest->clear();
  failed->clear();
  rest->getOperations().splice(rest->end(), block->getOperations(),
                               std::next(assertion->getIterator()),
                               end->getIterator());
  builder.setInsertionPointToEnd(rest);
  scf::YieldOp::create(builder, loc, end->getOperands());
  builder.setInsertionPointToEnd(failed);
  Value mark = arith::ConstantIntOp::create(builder, loc, number, 32);
  memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::maxu, mark,
                              note, ValueRange());
  auto zeros = createZeros(builder, end);
  if (llvm::failed(zeros))
    return failure();
  scf::YieldOp::create(builder, loc, *zeros);
  end->setOperands(branch.getResults());
  assertion.erase();
  return success();
}

/// Memory for the note, which is 0 at first.
static Value createNote(func::FuncOp func) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = func.getLoc();
  Value note = memref::AllocOp::create(
      builder, loc, MemRefType::get({}, builder.getI32Type()));
  attn::emitElementKernel(builder, loc, {}, [&](OpBuilder &b, ValueRange) {
    Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
    memref::StoreOp::create(b, loc, none, note);
  });
  return note;
}

LogicalResult attn::guardKernelAssertions(func::FuncOp func) {
  SmallVector<cf::AssertOp> found;
  func.walk([&](cf::AssertOp op) {
    if (op->getParentOfType<gpu::LaunchOp>())
      found.push_back(op);
  });
  if (found.empty())
    return success();
  Value note = createNote(func);
  Operation *end = func.getBody().back().getTerminator();
  OpBuilder builder(end);
  Value noted = memref::LoadOp::create(builder, func.getLoc(), note);
  memref::DeallocOp::create(builder, func.getLoc(), note);
  // The first one has the largest number.
  int64_t count = static_cast<int64_t>(found.size());
  for (auto [i, assertion] : llvm::enumerate(found)) {
    Location loc = assertion.getLoc();
    Value number = arith::ConstantIntOp::create(builder, loc, count - i, 32);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        noted, number);
    auto check = cf::AssertOp::create(builder, loc, holds, assertion.getMsg());
    check->setDiscardableAttrs(assertion->getDiscardableAttrDictionary());
    check->setAttr(kNotedAttr, builder.getUnitAttr());
  }
  // Inner ones first: an outer one takes them along.
  for (int64_t i = count; i-- > 0;)
    if (failed(guard(found[i], note, count - i)))
      return failure();
  return success();
}
