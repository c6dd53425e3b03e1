//===- DecomposeModels.cpp - Which op has which form in plain linalg ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"
#include "attn/Dialect/Attn/IR/OpList.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;

#include "attn/Conversion/DecomposeOpInterface.cpp.inc"

namespace {

/// An op with an overload of `decompose` has a form in plain linalg.
template <typename OpTy>
using Form =
    decltype(decompose(std::declval<RewriterBase &>(), std::declval<OpTy>()));

template <typename OpTy>
struct Model : DecomposeOpInterface::ExternalModel<Model<OpTy>, OpTy> {
  LogicalResult decompose(Operation *op, RewriterBase &rewriter) const {
    return attn::decompose(rewriter, cast<OpTy>(op));
  }
};

} // namespace

void attn::registerDecomposeOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AllOps::forEach([&](auto op) {
      using OpTy = typename decltype(op)::type;
      if constexpr (llvm::is_detected<Form, OpTy>::value)
        OpTy::template attachInterface<Model<OpTy>>(*context);
    });
  });
}
