//===- DemandBuilder.h - Assertions on sizes and indices --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CHECKS_DEMANDBUILDER_H
#define ATTN_LIB_CONVERSION_CHECKS_DEMANDBUILDER_H

#include "attn-runtime/attn_runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// A number that is compared, and what messages call it.
struct Quantity {
  mlir::OpFoldResult value;
  std::string name;
};

/// Creates assertions in front of ops. Comparisons of constants that hold leave
/// nothing behind.
class DemandBuilder : private mlir::OpBuilder::Listener {
public:
  explicit DemandBuilder(mlir::func::FuncOp func);

  /// What follows is demanded by `op`, in front of `place`.
  void setOp(mlir::Operation *op, mlir::Operation *place = nullptr);
  /// A failed demand is by default one of sizes.
  void setStatus(attn_status code) { status = code; }

  /// A dimension of an operand of the op.
  Quantity getSize(mlir::Value tensor, int64_t dim);
  Quantity getNumber(mlir::OpFoldResult value, const llvm::Twine &name) {
    return {value, name.str()};
  }
  Quantity getConstant(int64_t value) {
    return {builder.getIndexAttr(value), std::to_string(value)};
  }
  mlir::Value materialise(mlir::OpFoldResult value);

  /// Each holds, too, where `unless` is not null and true.
  void demandEqual(const Quantity &a, const Quantity &b);
  /// 0 <= index < bound.
  void demandBelow(const Quantity &index, const Quantity &bound,
                   mlir::Value unless = {});
  /// 0 <= number <= bound.
  void demandAtMost(const Quantity &number, const Quantity &bound,
                    mlir::Value unless = {});
  /// a >= b, as signed numbers.
  void demandAtLeast(const Quantity &a, const Quantity &b,
                     mlir::Value unless = {});
  /// A condition in other words; of numbers, the comparison comes last.
  void demand(mlir::Value holds, const llvm::Twine &text);

  /// Whether one of these is 0: null if all are known not to be.
  mlir::Value isAnyZero(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return loc; }
  /// Everything that was created.
  llvm::ArrayRef<mlir::Operation *> getCreated() const { return created; }

private:
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override {
    created.push_back(op);
  }
  void compare(mlir::arith::CmpIPredicate predicate, const Quantity &a,
               const Quantity &b, llvm::StringRef relation, mlir::Value unless);

  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Operation *op = nullptr;
  attn_status status = ATTN_ERROR_SHAPE;
  std::string prefix;
  llvm::SmallVector<mlir::Operation *> created;
};

/// Expresses the sizes in a function, and in what was created in it, by those
/// of arguments, as far as possible, and drops assertions that hold.
mlir::LogicalResult resolveDemands(const DemandBuilder &demands,
                                   mlir::func::FuncOp func);

/// What an op on whole tensors demands of its operands: sizes that its meaning
/// makes equal, slices and elements inside of tensors.
void addSizeDemands(mlir::Operation *op, DemandBuilder &demands);
void addTensorDemands(mlir::Operation *op, DemandBuilder &demands);
/// Of ops that others are made of, before that is done.
void addBlockDemands(mlir::Operation *op, DemandBuilder &demands);
/// What ops on numbers demand that stand in the body of `op`, or beside it.
void addElementDemands(mlir::Operation *op, DemandBuilder &demands);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CHECKS_DEMANDBUILDER_H
