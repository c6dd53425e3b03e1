//===- PanelWords.h - Panels of a matrix, word by word ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same bits that emitPanels() would write, but for columns that do not
// exist, which are 0. Who makes panels once may take his time.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_PANELWORDS_H
#define ATTN_LIB_CONVERSION_CONTRACTION_PANELWORDS_H

#include "../Lanes/RegisterTile.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// A product whose right operand is an argument.
struct PanelUse {
  ContractionScheduleAttr schedule;
  RegisterTile tile;
  bool transposed;
};

/// The word at [step over k, panel, step of k, column] of the panels of
/// `matrix`, a tensor, for the place `at` in a body of loops.
mlir::Value emitPanelWord(mlir::OpBuilder &builder, mlir::Location loc,
                          const PanelUse &use, mlir::Value matrix,
                          mlir::ValueRange at);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_PANELWORDS_H
