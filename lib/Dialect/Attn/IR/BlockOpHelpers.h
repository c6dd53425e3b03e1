//===- BlockOpHelpers.h - Shared by the block's ops ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_BLOCKOPHELPERS_H
#define ATTN_LIB_DIALECT_ATTN_IR_BLOCKOPHELPERS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/DialectImplementation.h"

namespace attn {

/// On memrefs, inputs are read and the destination is written; on tensors there
/// is no effect.
void addDestinationEffects(
    mlir::DestinationStyleOpInterface op,
    llvm::SmallVectorImpl<
        mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
        &effects);

/// Results have the shapes of their destinations.
mlir::LogicalResult
reifyDestinationShapes(mlir::DestinationStyleOpInterface op,
                       mlir::OpBuilder &builder,
                       mlir::ReifiedRankedShapedTypeDims &shapes);

/// The constraint `label`: operands are all ranked tensors, and the results
/// have their destinations' types, or all memrefs without results. Scalars are
/// allowed beside both.
mlir::LogicalResult verifyOperandKinds(mlir::DestinationStyleOpInterface op,
                                       llvm::StringRef label);

/// The constraint `label`: operands agree on the sizes that their maps share.
mlir::LogicalResult verifyExtents(BlockOpInterface op, llvm::StringRef label);

/// Whether `type` is a float of 16, 32 or 64 bits that kernels compute with.
bool isBlockFloat(mlir::Type type);

/// The type that sums of elements of `type` have: f32, or f64 for f64.
mlir::FloatType getSumType(mlir::Type type);

/// Text form of an enum attribute: its keyword alone, without the space that
/// MLIR prints before an attribute.
template <typename AttrT>
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, AttrT &attribute) {
  auto value =
      mlir::FieldParser<decltype(std::declval<AttrT>().getValue())>::parse(
          parser);
  if (failed(value))
    return mlir::failure();
  attribute = AttrT::get(parser.getContext(), *value);
  return mlir::success();
}
template <typename AttrT>
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *,
                  AttrT attribute) {
  printer << attribute.getValue();
}

/// Text form of an optional `align(...)`.
mlir::ParseResult parseRowAlignment(mlir::OpAsmParser &parser,
                                    AlignmentAttr &align);
void printRowAlignment(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       AlignmentAttr align);

} // namespace attn

#define ATTN_DEFINE_DESTINATION_METHODS(OpTy)                                  \
  void OpTy::getEffects(                                                       \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    addDestinationEffects(*this, effects);                                     \
  }                                                                            \
  LogicalResult OpTy::reifyResultShapes(OpBuilder &builder,                    \
                                        ReifiedRankedShapedTypeDims &shapes) { \
    return reifyDestinationShapes(*this, builder, shapes);                     \
  }

#endif // ATTN_LIB_DIALECT_ATTN_IR_BLOCKOPHELPERS_H
