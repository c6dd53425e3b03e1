//===- PackedConstant.h - Constant operands, packed ahead -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_PACKEDCONSTANT_H
#define ATTN_LIB_CONVERSION_CONTRACTION_PACKEDCONSTANT_H

#include "../Lanes/RegisterTile.h"
#include "../Shared/MatrixProduct.h"

namespace attn {

/// The right operand of a product as the panels that the schedule has of it,
/// [step over k, panel, step of k, column], in a constant of its own: what
/// emitPanels() would write at each call. Null where the schedule packs
/// nothing, or the operand is no constant matrix in the type of its panels.
mlir::Value packConstant(mlir::OpBuilder &builder, mlir::Operation *user,
                         const MatrixProduct &product,
                         ContractionScheduleAttr schedule,
                         mlir::FloatType compute);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_PACKEDCONSTANT_H
