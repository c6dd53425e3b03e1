//===- RaiseSoftmax.cpp - Spelled-out softmaxes become attn.softmax -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from exponentials, and looks for a tensor before and a tensor after
// each such that the one is a softmax of the other.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISESOFTMAXPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// exp(scale factor x_j) / (sum_j exp(scale factor x_j) + e0).
struct Reading {
  Expr x = nullptr; // the input's element
  int64_t dim = 0;  // of j
  Softmax softmax;
  double scale = 1.0;
  Expr factor = nullptr; // of each row, or null
};

/// How many tensors are looked at before a result.
constexpr unsigned maxSteps = 64;

/// The ops that compute a result from an input.
class Spelling {
public:
  Spelling(Value result, Value input);

  /// Whether something else uses one of them.
  bool isShared() const;
  bool hasF64() const;
  /// Whether a number is compared, in a step or behind them: what a sum of 0 or
  /// a NaN gives may be selected then.
  bool compares() const;

private:
  Value result;
  llvm::SetVector<Operation *> ops;
};

/// The tensors that an op reads, in its body too.
SmallVector<Value> getReads(Operation *op) {
  SmallVector<Value> reads(op->getOperands());
  op->walk(
      [&](tensor::ExtractOp extract) { reads.push_back(extract.getTensor()); });
  return reads;
}

Spelling::Spelling(Value result, Value input) : result(result) {
  SmallVector<Value> steps = findSources(result, maxSteps);
  steps.push_back(result);
  auto isComputed = [&](Value read) {
    return read == input ||
           (read.getDefiningOp() && ops.contains(read.getDefiningOp()));
  };
  for (size_t count = 1; count != 0;) {
    count = ops.size();
    for (Value step : steps)
      if (Operation *op = step.getDefiningOp();
          op && step != input && llvm::any_of(getReads(op), isComputed))
        ops.insert(op);
    count = ops.size() - count;
  }
}

bool Spelling::isShared() const {
  // The size of a tensor is known without it.
  auto isHere = [&](Operation *user) {
    if (isa<tensor::DimOp>(user))
      return true;
    for (; user; user = user->getParentOp())
      if (ops.contains(user))
        return true;
    return false;
  };
  return llvm::any_of(ops, [&](Operation *op) {
    return op != result.getDefiningOp() &&
           !llvm::all_of(op->getUsers(), isHere);
  });
}

bool Spelling::compares() const {
  constexpr unsigned maxUsers = 8;
  SmallVector<Operation *> places(ops.begin(), ops.end());
  for (Value user : findUsers(result, maxUsers))
    places.push_back(user.getDefiningOp());
  return llvm::any_of(places, [](Operation *op) {
    return op->walk([](arith::CmpFOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

bool Spelling::hasF64() const {
  auto isF64 = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  return llvm::any_of(ops, [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getResultTypes(), isF64)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

using Tensors = SmallVector<Value, 4>;

void collectTensors(Expr x, Tensors &tensors) {
  if (x->is(ExprKind::Load))
    tensors.push_back(x->tensor);
  for (Expr operand : x->operands)
    collectTensors(operand, tensors);
}

class Candidate : public PairCandidate {
public:
  Candidate(Value anchor, DenseSet<Value> &replaced)
      : PairCandidate(anchor, replaced) {}

private:
  bool read(Expr y, Expr x, Value result, Value input) override;
  Value build(OpBuilder &builder, Value result, Value input) override;
  bool readAlong(Expr y, int64_t dim);
  bool readScore();
  bool addParam(SoftmaxOp op, Expr param, const ParamSpec &spec);
  /// The number that the source's stands for.
  double asWritten(double number) const {
    bool isWide = getElementTypeOrSelf(reading.x->tensor).isF64();
    return isWide ? number : shortest(number);
  }
  Attribute nameScale(MLIRContext *context) const;
  Attribute nameNormalizer(MLIRContext *context) const;

  Reading reading;
};

/// The scores are the input times what is one number along the row.
bool Candidate::readScore() {
  const Softmax &softmax = reading.softmax;
  SmallVector<Expr> factors;
  bool found = false;
  for (Expr factor : ExprGraph::getFactors(softmax.score)) {
    if (!found && factor == reading.x)
      found = true;
    else if (factor->is(ExprKind::Constant))
      reading.scale *= factor->number;
    else if (!factor->dependsOn(softmax.key) && canEmit(factor))
      factors.push_back(factor);
    else
      return why.reject(3, "the exponent is not the tensor times a scale");
  }
  if (!found || !std::isfinite(reading.scale))
    return why.reject(3, "the exponent is not the tensor times a scale");
  if (!factors.empty()) {
    factors.push_back(graph->constant(reading.scale));
    reading.factor = graph->product(factors);
  }
  // A shift by another tensor may hide a row, which is 0 then.
  Tensors known, inShift;
  for (Expr part : {reading.x, reading.factor, softmax.sink})
    if (part)
      collectTensors(part, known);
  collectTensors(softmax.shift, inShift);
  return llvm::all_of(
             inShift,
             [&](Value tensor) { return llvm::is_contained(known, tensor); }) ||
         why.reject(3, "the row is shifted by another tensor");
}

bool Candidate::readAlong(Expr y, int64_t dim) {
  Expr x = reading.x;
  reading = Reading{x, dim, {}, 1.0, nullptr};
  std::optional<unsigned> key = ExprGraph::asVariable(x->indices[dim]);
  return key && matchWeights(*graph, y, *key, reading.softmax, why) &&
         readScore();
}

bool Candidate::read(Expr y, Expr x, Value result, Value input) {
  reading.x = x;
  bool found = false;
  for (int64_t dim = x->indices.size() - 1; !found && dim >= 0; --dim)
    found = readAlong(y, dim);
  if (!found)
    return false;
  Spelling spelling(result, input);
  if (!getElementTypeOrSelf(input).isF64() && spelling.hasF64())
    return why.reject(5, "a step is computed in f64, the sums of attn.softmax "
                         "are in f32");
  const Softmax &softmax = reading.softmax;
  if (spelling.compares() && softmax.extra == 0.0 && !softmax.sink &&
      !takesMaximum(*graph, softmax, -INFINITY))
    return why.reject(4, "the row's maximum is not taken from it, so that its "
                         "sum may be 0, and numbers are compared");
  // Of a row of nothing but finite fills, it is another number.
  if (addsToLogOfSum(result) && softmax.extra == 0.0 && !softmax.sink)
    return why.reject(4, "the row's maximum is added to the logarithm of its "
                         "sum, beside which that may be too small to count");
  if (spelling.isShared())
    return why.reject(6, "something else uses a step, which would be computed "
                         "twice");
  return true;
}

/// The param of the policy with this spec: it has the last of the dimensions
/// that it may have, with all that it varies with.
bool Candidate::addParam(SoftmaxOp op, Expr param, const ParamSpec &spec) {
  const Reading &r = reading;
  for (unsigned rank = 0; rank <= r.x->indices.size(); ++rank) {
    std::optional<SmallVector<unsigned>> dims = op.getParamDims(spec, rank);
    if (!dims)
      break;
    llvm::SmallBitVector open = param->free;
    for (unsigned dim : *dims)
      if (auto variable = ExprGraph::asVariable(r.x->indices[dim]);
          variable && param->dependsOn(*variable))
        open.reset(*variable);
    if (open.any())
      continue;
    OpBuilder builder(op);
    op.getParamsMutable().append(buildParam(
        builder, op.getLoc(), *graph, param, r.x,
        SmallVector<int64_t>(dims->begin(), dims->end()), op.getComputeType()));
    return true;
  }
  return why.reject(8, "a scale or a sink varies with dimensions that a param "
                       "of attn.softmax does not have");
}

Attribute Candidate::nameScale(MLIRContext *context) const {
  if (reading.factor)
    return OperandScaleAttr::get(context, /*nonNegative=*/false);
  double scale = asWritten(reading.scale);
  return scale == 1.0 ? Attribute(NoScaleAttr::get(context))
                      : ConstantScaleAttr::get(context, scale);
}

Attribute Candidate::nameNormalizer(MLIRContext *context) const {
  const Softmax &softmax = reading.softmax;
  if (softmax.sink)
    return SinkAttr::get(context);
  if (softmax.extra == 0.0)
    return SoftmaxNormAttr::get(context);
  double extra = asWritten(softmax.extra);
  return extra == 1.0 ? Attribute(Softmax1Attr::get(context))
                      : SoftmaxNAttr::get(context, extra);
}

Value Candidate::build(OpBuilder &builder, Value result, Value input) {
  Location loc = result.getLoc();
  MLIRContext *context = builder.getContext();
  auto type = cast<RankedTensorType>(result.getType());
  auto scale = cast<ScalePolicyAttrInterface>(nameScale(context));
  auto normalizer = cast<NormalizerAttrInterface>(nameNormalizer(context));
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  bool isLast = reading.dim + 1 == type.getRank();
  auto op = SoftmaxOp::create(
      builder, loc, TypeRange(type), input, /*params=*/ValueRange(), init,
      scale, normalizer,
      isLast ? IntegerAttr() : builder.getI64IntegerAttr(reading.dim),
      /*head_dim=*/IntegerAttr(), /*align=*/AlignmentAttr(),
      /*schedule=*/SoftmaxScheduleAttr());
  auto add = [&](Expr param, PolicyAttrInterface policy) {
    return !param || addParam(op, param, policy.getParamSpecs()[0]);
  };
  if (!add(reading.factor, scale) || !add(reading.softmax.sink, normalizer)) {
    op.erase();
    return {};
  }
  auto print = [](Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return text;
  };
  Remark(RemarkId::RaisedToSoftmax,
         {{"scale", print(scale)}, {"normalizer", print(normalizer)}})
      .emit(loc);
  return op->getResult(0);
}

class RaiseSoftmaxPass : public impl::RaiseSoftmaxPassBase<RaiseSoftmaxPass> {
public:
  void runOnOperation() override {
    auto hasExponential = [](Operation *op) {
      return isa<linalg::SoftmaxOp>(op) ||
             (isElementwise(op) && hasInBody<math::ExpOp, math::Exp2Op>(op));
    };
    raisePairs<Candidate>(getOperation(), hasExponential,
                          RemarkId::SoftmaxNotRaised);
  }
};

} // namespace
} // namespace attn::raise
