//===- NormFactor.h - What a norm multiplies with ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_NORMFACTOR_H
#define ATTN_LIB_CONVERSION_SHARED_NORMFACTOR_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// 1 / r of a group with variance v, or 0 where r is 0.
mlir::Value emitNormFactor(LaneBuilder &lanes, NormOp op, mlir::Value variance);

/// The same of what each of these says: 1 / norm of a row from its sum of
/// squares, for a similarity.
mlir::Value emitNormFactor(LaneBuilder &lanes, double eps, EpsMode mode,
                           mlir::Value variance);
mlir::Value emitNormFactor(LaneBuilder &lanes, CosineAttr cosine,
                           mlir::Value squares);

/// x + factor residual; `factor` is a scalar, or null for 1.
mlir::Value emitScaledSum(LaneBuilder &lanes, mlir::Value x,
                          mlir::Value residual, mlir::Value factor);
/// The same of a norm, rounded to its elements as the addition alone would have
/// been. Both loops of a norm on memrefs begin with it.
mlir::Value emitResidualSum(LaneBuilder &lanes, NormOp op, mlir::Value x,
                            mlir::Value residual);

/// (1 - momentum) running + momentum batch.
mlir::Value emitRunning(LaneBuilder &lanes, NormOp op, mlir::Value running,
                        mlir::Value batch);
/// Calls `update` for each of the norm's running statistics with what it takes
/// in from groups of `count` elements, a scalar.
void emitRunningUpdates(
    LaneBuilder &lanes, NormOp op, mlir::Value mean, mlir::Value variance,
    mlir::Value count,
    llvm::function_ref<void(mlir::Value memref, mlir::Value batch)> update);
/// n / (n - 1).
mlir::Value emitUnbiased(LaneBuilder &lanes, mlir::Value count);
/// Stops at run time where the unbiased variance does not exist; `count` is the
/// size of a group.
void emitUnbiasedCheck(mlir::OpBuilder &builder, NormOp op, mlir::Value count);

/// (x - mu) factor gamma + beta; mu, gamma and beta may be null. Both loops
/// of a norm end with it, so that they round alike.
mlir::Value emitNormalised(LaneBuilder &lanes, mlir::Value x, mlir::Value mean,
                           mlir::Value factor, mlir::Value gamma,
                           mlir::Value beta);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_NORMFACTOR_H
