//===- ReadMask.cpp - Predicates as mask attributes -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

class MaskReader {
public:
  MaskReader(PullThrough &pull, Plan &plan, ScorePlan &scores, Rejection &why)
      : pull(pull), graph(pull.getGraph()), plan(plan), scores(scores),
        why(why) {}

  bool read(Expr keep);

private:
  std::optional<int64_t> getReach(AffineExpr ahead) const;
  bool narrow(Expr condition, KeyBand &band) const;
  int64_t getShift(const KeyBand &band) const;
  void addBand(const KeyBand &band, std::optional<int64_t> chunk);
  void takeEndBand(SmallVectorImpl<Expr> &conditions, const KeyBand &band);
  std::optional<int64_t> takeChunk(SmallVectorImpl<Expr> &conditions,
                                   const KeyBand &band) const;
  bool addPrefix(Expr condition);

  bool isOfBatch(Expr x) const;
  bool addLength(Expr condition);
  bool addSegments(Expr condition);
  bool addDense(ArrayRef<Expr> conditions);

  PullThrough &pull;
  ExprGraph &graph;
  Plan &plan;
  ScorePlan &scores;
  Rejection &why;
};

/// A number that is not negative. A negative reach excludes the diagonal; the
/// window attribute has none.
std::optional<int64_t> MaskReader::getReach(AffineExpr ahead) const {
  auto number = dyn_cast<AffineConstantExpr>(graph.simplifyIndex(ahead));
  if (!number || number.getValue() < 0)
    return std::nullopt;
  return number.getValue();
}

/// Reads row - key + c >= 0 or key - row + c >= 0.
bool MaskReader::narrow(Expr condition, KeyBand &band) const {
  if (!condition->is(ExprKind::NonNegative) || !plan.roles.row)
    return false;
  AffineExpr row = graph.getIndex(*plan.roles.row),
             key = graph.getIndex(plan.roles.key);
  if (auto reach = getReach(condition->index - (row - key)))
    band.narrow({std::nullopt, reach});
  else if (auto reach = getReach(condition->index - (key - row)))
    band.narrow({reach, std::nullopt});
  else
    return false;
  return true;
}

/// Where row 0 stands among the keys: with the last row at the last key, row i
/// stands at key i + keys - rows.
int64_t MaskReader::getShift(const KeyBand &band) const {
  if (band.isOpen())
    return 0;
  int64_t rows = graph.getExtent(*plan.roles.row),
          keys = graph.getExtent(plan.roles.key);
  bool isBottomRight = !ShapedType::isDynamic(rows) &&
                       !ShapedType::isDynamic(keys) && keys > rows &&
                       band.right == keys - rows;
  return isBottomRight ? keys - rows : 0;
}

/// The size of the chunks that conditions keep the keys of a causal row in:
/// that the key is in no chunk before the row's, or not before the first key of
/// the row's. The conditions that say it are taken out.
std::optional<int64_t> MaskReader::takeChunk(SmallVectorImpl<Expr> &conditions,
                                             const KeyBand &band) const {
  int64_t shift = getShift(band);
  if (!plan.roles.row || band.right != shift)
    return std::nullopt;
  AffineExpr position = graph.getIndex(*plan.roles.row) + shift,
             key = graph.getIndex(plan.roles.key);
  auto says = [&](Expr condition, AffineExpr expected) {
    return condition->is(ExprKind::NonNegative) &&
           getReach(condition->index - expected) == 0;
  };
  std::optional<int64_t> chunk;
  for (Expr condition : conditions)
    if (condition->is(ExprKind::NonNegative))
      condition->index.walk([&](AffineExpr part) {
        if (part.getKind() != AffineExprKind::FloorDiv || chunk)
          return;
        auto size =
            cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(part).getRHS());
        AffineExpr own = position.floorDiv(size.getValue());
        if (says(condition, key.floorDiv(size.getValue()) - own) ||
            says(condition, key - own * size.getValue()))
          chunk = size.getValue();
      });
  if (!chunk)
    return std::nullopt;
  AffineExpr own = position.floorDiv(*chunk), other = key.floorDiv(*chunk);
  llvm::erase_if(conditions, [&](Expr condition) {
    // That the key is in no later chunk follows from causal.
    return says(condition, other - own) || says(condition, own - other) ||
           says(condition, key - own * *chunk);
  });
  return chunk;
}

/// Takes conditions on a band that is counted from the last row and key out.
/// An attention has one alignment, which `band` may have set already.
void MaskReader::takeEndBand(SmallVectorImpl<Expr> &conditions,
                             const KeyBand &band) {
  KeyBand atEnd;
  if (!band.isOpen())
    return;
  llvm::erase_if(conditions, [&](Expr condition) {
    return narrowAtEnd(graph, plan, condition, atEnd);
  });
  if (atEnd.isOpen())
    return;
  MLIRContext *context = graph.getContext();
  plan.align = Alignment::BottomRight;
  if (atEnd.right == 0)
    scores.masks.push_back({CausalAttr::get(context)});
  if (atEnd.left || atEnd.right != 0)
    scores.masks.push_back(
        {WindowAttr::get(context, atEnd.left.value_or(-1),
                         atEnd.right && *atEnd.right > 0 ? *atEnd.right : -1)});
}

void MaskReader::addBand(const KeyBand &band, std::optional<int64_t> chunk) {
  if (band.isOpen())
    return;
  MLIRContext *context = graph.getContext();
  int64_t shift = getShift(band);
  plan.align = shift == 0 ? Alignment::TopLeft : Alignment::BottomRight;
  int64_t left = band.left ? *band.left + shift : -1;
  int64_t right = band.right ? *band.right - shift : -1;
  if (chunk)
    scores.masks.push_back({ChunkedAttr::get(context, *chunk)});
  else if (right == 0)
    scores.masks.push_back({CausalAttr::get(context)});
  if (left >= 0 || right > 0)
    scores.masks.push_back({WindowAttr::get(context, left, right)});
}

/// The integer that a key is less than where `condition` says that: an operand,
/// or one more than such.
static Expr matchBelow(ExprGraph &graph, Expr condition, AffineExpr key) {
  bool isNot = condition->is(ExprKind::Not);
  if (isNot)
    condition = condition->operands[0];
  if (!condition->is(ExprKind::Compare) ||
      condition->getComparison() == Comparison::Equal)
    return nullptr;
  Expr less = condition->operands[isNot], more = condition->operands[!isNot];
  if (less != graph.index(key) || !isOperand(graph, more) ||
      !isa<IntegerType>(getElementTypeOrSelf(more->tensor.getType())))
    return nullptr;
  // The key itself may be the last one.
  bool isEqual = (condition->getComparison() == Comparison::LessEqual) != isNot;
  return isEqual ? graph.sum({graph.constant(1.0), more}) : more;
}

/// Reads row - key + c >= 0 or key < length of the batch.
bool MaskReader::addPrefix(Expr condition) {
  if (!condition->is(ExprKind::Or) || condition->operands.size() != 2)
    return false;
  AffineExpr key = graph.getIndex(plan.roles.key);
  for (bool swapped : {false, true}) {
    KeyBand band;
    Expr length = matchBelow(graph, condition->operands[!swapped], key);
    if (!length || !narrow(condition->operands[swapped], band) ||
        band.right != getShift(band))
      continue;
    for (unsigned variable : length->free.set_bits())
      if (std::optional<unsigned> dim = plan.roles.find(variable);
          !dim || *dim >= plan.roles.getRowDim())
        return false;
    Alignment align =
        getShift(band) == 0 ? Alignment::TopLeft : Alignment::BottomRight;
    if (plan.align.value_or(align) != align)
      return false;
    plan.align = align;
    scores.masks.push_back(
        {PrefixLMAttr::get(graph.getContext()), length, ParamElement::Integer});
    return true;
  }
  return false;
}

/// Whether an operand varies with dimensions before the row only.
bool MaskReader::isOfBatch(Expr x) const {
  return llvm::all_of(x->free.set_bits(), [&](unsigned variable) {
    std::optional<unsigned> dim = plan.roles.find(variable);
    return dim && *dim < plan.roles.getRowDim();
  });
}

template <typename AttrTy> static bool hasMask(const ScorePlan &scores) {
  return llvm::any_of(scores.masks, [](const Policy &mask) {
    return isa<AttrTy>(mask.attribute);
  });
}

/// Reads key < length of the batch. The row's position would follow the length
/// where rows are aligned with the last key.
bool MaskReader::addLength(Expr condition) {
  Expr length = matchBelow(graph, condition, graph.getIndex(plan.roles.key));
  if (!length || !isOfBatch(length) || length->free.count() > 1 ||
      plan.align == Alignment::BottomRight || hasMask<KvLengthsAttr>(scores))
    return false;
  scores.masks.push_back(
      {KvLengthsAttr::get(graph.getContext()), length, ParamElement::Integer});
  return true;
}

/// Reads that row and key have the same id.
bool MaskReader::addSegments(Expr condition) {
  if (!condition->is(ExprKind::Compare) || !plan.roles.row ||
      condition->getComparison() != Comparison::Equal ||
      hasMask<SegmentIdsAttr>(scores))
    return false;
  Expr row = condition->operands[0], key = condition->operands[1];
  if (row->dependsOn(plan.roles.key))
    std::swap(row, key);
  auto isIds = [&](Expr x, unsigned own) {
    if (!isOperand(graph, x) || !x->dependsOn(own) ||
        !isa<IntegerType>(getElementTypeOrSelf(x->tensor.getType())))
      return false;
    // Ids may vary with one dimension of the batch.
    unsigned others = 0;
    for (unsigned variable : x->free.set_bits()) {
      std::optional<unsigned> dim = plan.roles.find(variable);
      if (variable == own)
        continue;
      if (!dim || *dim != 0 || plan.roles.getRowDim() < 2)
        return false;
      ++others;
    }
    return others <= 1;
  };
  if (!isIds(row, *plan.roles.row) || !isIds(key, plan.roles.key))
    return false;
  scores.masks.push_back({SegmentIdsAttr::get(graph.getContext()), row,
                          ParamElement::Integer, key});
  return true;
}

/// Adds conditions, which have no attribute of their own, as boolean operands:
/// those that are tensors, and one of all others.
bool MaskReader::addDense(ArrayRef<Expr> conditions) {
  SmallVector<Expr> dense, rest;
  for (Expr condition : conditions) {
    Expr emittable = makeEmittable(pull, condition);
    if (!emittable)
      return why.reject(7, "a mask is neither a closed expression of row and "
                           "key nor a tensor");
    (isOperand(graph, emittable) ? dense : rest).push_back(emittable);
  }
  if (!rest.empty())
    dense.push_back(graph.conjunction(rest));
  for (Expr condition : dense)
    scores.masks.push_back({DenseMaskAttr::get(graph.getContext()), condition,
                            ParamElement::Boolean});
  return true;
}

bool MaskReader::read(Expr keep) {
  KeyBand band;
  SmallVector<Expr> others, dense;
  ArrayRef<Expr> conditions = keep->is(ExprKind::And)
                                  ? ArrayRef<Expr>(keep->operands)
                                  : ArrayRef<Expr>(keep);
  for (Expr condition : conditions)
    if (!condition->isConstant(1.0) && !narrow(condition, band))
      others.push_back(condition);
  addBand(band, takeChunk(others, band));
  takeEndBand(others, band);
  for (Expr condition : others)
    if (!addPrefix(condition) && !addLength(condition) &&
        !addSegments(condition))
      dense.push_back(condition);
  return addDense(dense);
}

} // namespace

/// Key 0 or, where every row has one, the key of the same index stays visible.
bool everyRowKeepsAKey(ExprGraph &graph, const Roles &roles, Expr keep) {
  auto isVisible = [&](AffineExpr at) {
    return graph.substitute(keep, {{roles.key, at}})->isConstant(1.0);
  };
  if (isVisible(getAffineConstantExpr(0, graph.getContext())))
    return true;
  int64_t keys = graph.getExtent(roles.key);
  if (!roles.row)
    return false;
  int64_t rows = graph.getExtent(*roles.row);
  return !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(keys) &&
         rows <= keys && isVisible(graph.getIndex(*roles.row));
}

bool readMasks(PullThrough &pull, Plan &plan, Expr keep, ScorePlan &scores,
               Rejection &why) {
  return MaskReader(pull, plan, scores, why).read(keep);
}

} // namespace attn::raise
