//===- FinalNorm.cpp - The norm behind a stream ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/ResidualBlock.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::lint_checks {

static bool isEnd(Operation *reader) {
  return isLayer(reader) || isa<func::ReturnOp>(reader);
}

bool endsBare(Value stream) {
  bool isBare = false;
  for (Operation *reader : getReaders(stream)) {
    // What reads it otherwise may be a norm that is spelled out.
    if (!isEnd(reader) && !isa<tensor::DimOp, StatisticsOp>(reader))
      return false;
    isBare |= isEnd(reader);
  }
  return isBare;
}

bool endsNormed(Value stream) {
  SmallVector<Operation *> readers = getReaders(stream);
  llvm::erase_if(readers, llvm::IsaPred<tensor::DimOp>);
  return !readers.empty() && llvm::all_of(readers, llvm::IsaPred<NormOp>);
}

/// Whether what comes behind `value` ends the stream; a reader may see a view.
static bool leadsToEnd(OpOperand &use) {
  Operation *reader = use.getOwner();
  if (!isView(reader) || use.getOperandNumber() != 0)
    return isEnd(reader);
  return llvm::any_of(getReaders(reader->getResult(0)), isEnd);
}

StreamEnd findStreamEnd(const FlatFunction &flat, Value stream) {
  FlatFunction::Values names = flat.getNames(stream);
  size_t first = names.size();
  for (OpOperand &use : stream.getUses()) {
    if (!leadsToEnd(use))
      continue;
    Operation *origin = flat.getOrigin(use.getOwner());
    size_t index = names.size();
    while (origin && index > 0 && !hasInside(origin, [&](Operation *one) {
             return llvm::is_contained(one->getOperands(), names[index - 1]);
           }))
      --index;
    if (!origin || index == 0)
      return {Value(), "it is not known what reads the stream"};
    first = std::min(first, index - 1);
  }
  // What a function or a loop is given has a name outside.
  while (first < names.size() && first > 0 && isa<BlockArgument>(names[first]))
    --first;
  if (first == names.size())
    return {Value(), "nothing is known to read the stream"};
  if (isa<BlockArgument>(names[first]))
    return {Value(), "the stream comes from outside"};
  return {names[first], ""};
}

std::string describeNorm(NormOp like, Operation *op, Value at) {
  NormKind kind = like ? like.getKind() : NormKind::Rms;
  std::string text = "attn.norm " + stringifyNormKind(kind).str() + " behind";
  if (!op)
    return text;
  Operation *end = at ? at.getDefiningOp() : nullptr;
  if (auto call = dyn_cast_or_null<func::CallOp>(end))
    return text + " the call of @" + call.getCallee().str();
  if (isa_and_nonnull<scf::ForOp>(end))
    return text + " the loop";
  return text + " it";
}

void addFinalNorm(RewriterBase &rewriter, Value at, NormOp like) {
  Location loc = at.getLoc();
  auto type = cast<RankedTensorType>(at.getType());
  rewriter.setInsertionPointAfterValue(at);
  Value init = tensor::EmptyOp::create(rewriter, loc,
                                       tensor::getMixedSizes(rewriter, loc, at),
                                       type.getElementType());
  SmallVector<int64_t> axes{type.getRank() - 1};
  auto norm =
      NormOp::create(rewriter, loc, at, /*gamma=*/Value(), /*beta=*/Value(),
                     init, like ? like.getKind() : NormKind::Rms,
                     like ? like.getAxes() : ArrayRef<int64_t>(axes),
                     like ? like.getEps().convertToDouble() : 1e-5,
                     like ? like.getEpsMode() : EpsMode::RsqrtSum);
  if (like)
    norm.setCenteredAttr(like.getCenteredAttr());
  rewriter.replaceUsesWithIf(
      at, norm.getResults().front(), [&](OpOperand &use) {
        Operation *reader = use.getOwner();
        return reader != norm && !isa<tensor::DimOp>(reader);
      });
}

} // namespace attn::lint_checks
