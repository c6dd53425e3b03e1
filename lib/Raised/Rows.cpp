//===- Rows.cpp - The ops of a raised function, with their shares ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "attn/Analysis/ResidualBlock.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Raised/RaiseReport.h"
#include "attn/Remarks/Explained.h"
#include "attn/Target/Roofline.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;

bool attn::isProduct(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return isLayer(op) ||
         (structured && linalg::isaConvolutionOpInterface(structured));
}

bool attn::hasExponential(Operation *op) {
  return hasInside(
      op,
      llvm::IsaPred<math::ExpOp, math::Exp2Op, linalg::SoftmaxOp, SoftmaxOp>);
}

bool attn::hasRoot(Operation *op) {
  return hasInside(op, llvm::IsaPred<math::RsqrtOp, math::SqrtOp>);
}

/// What stands between an op's name and its operands, without maps, which say
/// how and not what.
static std::string describeAttributes(Operation *op, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, names);
  StringRef rest = StringRef(text).split(op->getName().getStringRef()).second;
  rest = rest.split('\n').first;
  std::string kept = rest.take_front(rest.find('%')).str();
  StringRef head(kept);
  head = head.take_front(head.find("indexing_maps"));
  for (StringRef opening : {" ins(", "("})
    head.consume_back(opening);
  std::string shown;
  for (StringRef part : llvm::split(head.trim(), "#attn."))
    shown += part;
  return shown;
}

/// How a loop that computes nothing moves its operand.
static StringRef describeMove(linalg::LinalgOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() < op.getNumLoops())
      return "broadcast";
    if (!map.isIdentity() && map.isPermutation())
      return "transpose";
  }
  return "copy";
}

std::string attn::describeLoop(Operation *linalgOp) {
  auto op = cast<linalg::LinalgOp>(linalgOp);
  llvm::SmallSetVector<StringRef, 8> names;
  op->getRegion(0).walk([&](Operation *inner) {
    if (!inner->hasTrait<OpTrait::IsTerminator>())
      names.insert(inner->getName().stripDialect());
  });
  if (names.empty())
    return describeMove(op).str();
  return (op.getNumReductionLoops() > 0 ? "reduce " : "") +
         llvm::join(names, ", ");
}

static std::string describeWork(Operation *op, AsmState &names) {
  if (isa<AttnDialect>(op->getDialect()))
    return describeAttributes(op, names);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return isProduct(op) ? "product" : describeLoop(op);
  return "";
}

static std::string describeType(Operation *op) {
  if (op->getNumResults() == 0)
    return "";
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : type.getShape())
    stream << (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) << 'x';
  stream << type.getElementType();
  return text;
}

/// The bytes of the widest factor or element.
static int64_t getElementBytes(Operation *op) {
  int64_t bytes = 1;
  for (Value operand : op->getOperands())
    if (Type type = getElementTypeOrSelf(operand.getType());
        isa<TensorType>(operand.getType()) && type.isIntOrFloat())
      bytes = std::max<int64_t>(bytes, type.getIntOrFloatBitWidth() / 8);
  return bytes;
}

/// Without a size there is no time either.
static std::optional<double> estimate(const RaisedRow &row,
                                      const TargetDescription &target) {
  if (!row.flops || !row.bytes)
    return std::nullopt;
  int64_t bytes = getElementBytes(row.op);
  Roofline roofline = isProduct(row.op) ? getProductRoofline(target, bytes)
                                        : getRoofline(target, bytes);
  return roofline.getCycles(*row.flops, *row.bytes);
}

/// Initial values of what comes behind them, and sizes.
static bool isAside(Operation *op) {
  return isa<linalg::FillOp, InitOp>(op) ||
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

RaisedRows attn::collectRows(FunctionOpInterface function, int64_t unknownSize,
                             const TargetDescription &target) {
  RaisedRows found;
  FunctionWork work = computeWork(function, unknownSize);
  found.hasGuessed = work.hasGuessed;
  llvm::DenseMap<Operation *, const OpWork *> counted;
  for (const OpWork &one : work.ops)
    counted[one.op] = &one;
  llvm::DenseSet<Operation *> others(work.notCounted.begin(),
                                     work.notCounted.end());
  AsmState names(
      function,
      OpPrintingFlags().useLocalScope().skipRegions().elideLargeElementsAttrs(
          4));
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto known = counted.find(op);
    if ((known == counted.end() && !others.contains(op)) || isAside(op))
      return;
    RaisedRow row;
    row.op = op;
    row.what = describeWork(op, names);
    row.type = describeType(op);
    row.frames = getFrames(getUnmarked(op->getLoc()));
    row.isLeft = !isa<AttnDialect>(op->getDialect());
    if (known != counted.end()) {
      row.flops = known->second->flops;
      row.bytes = known->second->bytes;
    }
    row.cycles = estimate(row, target);
    found.cost.add(row);
    found.rows.push_back(std::move(row));
  });
  return found;
}

TargetDescription attn::getReportTarget(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (at->hasAttr(kTargetAttrName))
      return readTarget(at);
  return llvm::cantFail(parseTargetDescription("cpu:x86-64-v3"));
}

std::string attn::formatShare(std::optional<double> part, double whole) {
  if (!part)
    return "?";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f", whole > 0 ? 100 * *part / whole : 0.0);
  return text;
}
