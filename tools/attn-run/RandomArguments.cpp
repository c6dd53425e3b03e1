//===- RandomArguments.cpp - Seeded random arguments ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "attn/Analysis/SizeEvaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::run;

namespace {

/// SplitMix64: the same numbers on every machine, unlike <random>'s
/// distributions.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// In (0, 1).
  double uniform() { return ((next() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) *
           std::cos(6.283185307179586 * uniform());
  }
  /// In [0, bound], both ends included.
  int64_t upTo(int64_t bound) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(bound + 1));
  }

private:
  uint64_t state;
};

/// What the integers of an argument mean to the attention that uses them.
struct IntegerRule {
  enum { Any, UpToKeys, BelowKeys, Segments } kind = Any;
  int64_t keys = 0;
};

} // namespace

static IntegerRule getRuleInOp(AttentionOp op, unsigned param,
                               SizeEvaluator &sizes) {
  auto contains = [&](ParamRange range) {
    return param >= range.first && param < range.first + range.count;
  };
  IntegerRule rule;
  Value key = op.getKey();
  for (auto [position, expr] : llvm::enumerate(op.getInputMap(1).getResults()))
    if (expr == getAffineDimExpr(op.getKeyDim(), op.getContext()))
      rule.keys = sizes.getSize(key, position).value_or(0);
  for (auto [index, mask] : llvm::enumerate(op.getMasks())) {
    if (!contains(op.getMaskParams(index)))
      continue;
    auto typed = cast<MaskAttrInterface>(mask);
    if (typed.hasSegments())
      rule.kind = IntegerRule::Segments;
    else if (typed.getParamSpecs()[0].element == ParamElement::Integer)
      rule.kind = IntegerRule::UpToKeys;
  }
  // The only integer param of a scale policy is the position operand.
  if (contains(op.getScaleParams()))
    rule.kind = IntegerRule::BelowKeys;
  return rule;
}

static IntegerRule getRule(BlockArgument argument, SizeEvaluator &sizes) {
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<AttentionOp>(use.getOwner());
    if (!op || op.getParams().empty())
      continue;
    unsigned first = op.getParams().getBeginOperandIndex();
    unsigned number = use.getOperandNumber();
    if (number >= first && number < first + op.getParams().size())
      return getRuleInOp(op, number - first, sizes);
  }
  return {};
}

/// Segment ids never decrease along the last dimension: documents are packed
/// one after the other.
static void fillSegments(HostArray &array, Random &random) {
  int64_t length = array.getShape().empty() ? 1 : array.getShape().back();
  int64_t id = 0;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    id = i % length == 0 ? 0 : id + (random.upTo(7) == 0);
    array.setFromDouble(i, static_cast<double>(id));
  }
}

static void fill(HostArray &array, const IntegerRule &rule, Random &random) {
  int64_t count = array.getNumElements();
  switch (array.getKind()) {
  case ElementKind::F64:
  case ElementKind::F32:
  case ElementKind::F16:
  case ElementKind::BF16:
    for (int64_t i = 0; i < count; ++i)
      array.setFromDouble(i, random.normal());
    return;
  case ElementKind::Bool:
    for (int64_t i = 0; i < count; ++i)
      array.setFromDouble(i, random.upTo(1));
    return;
  default:
    break;
  }
  if (rule.kind == IntegerRule::Segments)
    return fillSegments(array, random);
  int64_t bound = rule.kind == IntegerRule::UpToKeys    ? rule.keys
                  : rule.kind == IntegerRule::BelowKeys ? rule.keys - 1
                                                        : 3;
  for (int64_t i = 0; i < count; ++i)
    array.setFromDouble(
        i, static_cast<double>(random.upTo(std::max<int64_t>(bound, 0))));
}

llvm::Expected<std::vector<HostArray>>
attn::run::makeRandomArguments(const Program &program,
                               ArrayRef<SmallVector<int64_t>> shapes,
                               uint64_t seed) {
  Block &block = const_cast<func::FuncOp &>(program.entry).front();
  SizeEvaluator sizes(block, shapes);
  std::vector<HostArray> arrays;
  for (auto [index, type] : llvm::enumerate(program.inputs)) {
    // An argument's numbers depend on its index only, not on its neighbours.
    Random random(seed * 0x2545f4914f6cdd1dull + index);
    auto array = HostArray::create(type.kind, shapes[index]);
    if (!array)
      return array.takeError();
    fill(*array, getRule(block.getArgument(index), sizes), random);
    arrays.push_back(std::move(*array));
  }
  return arrays;
}
