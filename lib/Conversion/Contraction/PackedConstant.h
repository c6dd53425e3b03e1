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

/// The sizes of the panels of a matrix: [step over k, panel, step of k,
/// column], each of which is what a register tile takes at once.
llvm::SmallVector<int64_t> getPanelsShape(const RegisterTile &tile,
                                          int64_t depth, int64_t terms,
                                          int64_t columns);

/// Why a matrix in memory, of `element` and of this shape, has no panels that
/// could be made ahead; null where it has.
const char *whyNotAhead(ContractionScheduleAttr schedule,
                        const RegisterTile &tile, mlir::ShapedType matrix);

/// The panels of the product's right operand that the function takes beside it;
/// null where it is no argument, or has none.
mlir::Value findPanels(const MatrixProduct &product,
                       ContractionScheduleAttr schedule,
                       mlir::FloatType compute);

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
