//===- ChangeRows.cpp - Norm and rotation of loaded rows ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/NormFactor.h"
#include "ScoreTensors.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace {

/// One operand whose rows lie along `axis`. The loops run over the operand's
/// own axes: key heads are fewer than the heads that the op's dimensions count.
class RowChangeBuilder {
public:
  RowChangeBuilder(IterationBuilder &iterations, MappedTensor operand)
      : builder(iterations.getBuilder()), loc(iterations.getLoc()),
        op(iterations.getOp()), type(iterations.getComputeType()),
        tensor(operand.tensor), map(operand.map),
        axis(*map.getResultPosition(
            getAffineDimExpr(op.getHeadDimDim(), op.getContext()))),
        sizes(tensor::getMixedSizes(builder, loc, tensor)),
        generics(builder, loc, sizes, type) {}

  void normalise(RowNormAttr norm, unsigned firstParam);
  /// The steps of all norms; gamma and beta may have no tensor.
  void normalise(NormKindTraits traits, double eps, EpsMode mode,
                 MappedTensor gamma = {}, MappedTensor beta = {});
  void rotate(RotateAttr rotation, unsigned param);
  Value getTensor() const { return tensor; }

private:
  /// The sum along each row of what `body` returns for its elements.
  MappedTensor createRowSum(ArrayRef<MappedTensor> inputs,
                            GenericBuilder::Body body);
  MappedTensor getRows() { return {tensor, generics.getIdentity()}; }
  MappedTensor createEmpty() {
    return generics.createEmpty(
        llvm::to_vector(llvm::seq<unsigned>(0, sizes.size())), type);
  }
  /// A param over the operand's axes.
  MappedTensor getParam(unsigned index);
  Value createRowLength();

  OpBuilder &builder;
  Location loc;
  AttentionOpInterface op;
  FloatType type;
  Value tensor;
  AffineMap map;
  unsigned axis;
  SmallVector<OpFoldResult> sizes;
  /// Of structured ops over all axes.
  GenericBuilder generics;
};

} // namespace

/// Where the param varies with what the operand does not, it is the param of a
/// tile, which has one index there.
MappedTensor RowChangeBuilder::getParam(unsigned index) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : op.getParamMap(index).getResults()) {
    const AffineExpr *found = llvm::find(map.getResults(), expr);
    results.push_back(
        found == map.getResults().end()
            ? builder.getAffineConstantExpr(0)
            : builder.getAffineDimExpr(found - map.getResults().begin()));
  }
  return {op.getParams()[index],
          AffineMap::get(sizes.size(), 0, results, builder.getContext())};
}

MappedTensor RowChangeBuilder::createRowSum(ArrayRef<MappedTensor> inputs,
                                            GenericBuilder::Body body) {
  auto rows = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  rows.erase(rows.begin() + axis);
  MappedTensor empty = generics.createEmpty(rows, type);
  return generics.create(inputs, generics.fill(empty, 0.0),
                         [&](LaneBuilder &lanes, ValueRange elements) {
                           return lanes.add(elements.back(),
                                            body(lanes, elements));
                         });
}

/// The number of elements of a row, a float.
Value RowChangeBuilder::createRowLength() {
  LaneBuilder lanes(builder, loc, type);
  if (std::optional<int64_t> size = getConstantIntValue(sizes[axis]))
    return lanes.constant(static_cast<double>(*size));
  return lanes.intToFloat(cast<Value>(sizes[axis]));
}

void RowChangeBuilder::normalise(RowNormAttr norm, unsigned firstParam) {
  MappedTensor gamma, beta;
  if (norm.getGamma())
    gamma = getParam(firstParam++);
  if (norm.getBeta())
    beta = getParam(firstParam);
  normalise(getTraits(norm.getKind()), norm.getEps(), norm.getMode(), gamma,
            beta);
}

void RowChangeBuilder::normalise(NormKindTraits traits, double eps,
                                 EpsMode mode, MappedTensor gamma,
                                 MappedTensor beta) {
  Value length;
  if (traits.isCentred || traits.usesMean)
    length = createRowLength();
  SmallVector<MappedTensor> inputs = {getRows()};
  if (traits.isCentred)
    inputs.push_back(createRowSum(
        inputs, [](LaneBuilder &, ValueRange at) { return at[0]; }));
  auto subtractMean = [&](LaneBuilder &lanes, ValueRange at) {
    return traits.isCentred ? lanes.sub(at[0], lanes.div(at[1], length))
                            : at[0];
  };
  MappedTensor factors =
      createRowSum(inputs, [&](LaneBuilder &lanes, ValueRange at) {
        Value x = subtractMean(lanes, at);
        return lanes.mul(x, x);
      });
  // 1 / r, once a row.
  SmallVector<OpFoldResult> rowSizes(sizes);
  rowSizes.erase(rowSizes.begin() + axis);
  GenericBuilder perRow(builder, loc, rowSizes, type);
  factors.tensor =
      perRow
          .create({}, {factors.tensor, perRow.getIdentity()},
                  [&](LaneBuilder &lanes, ValueRange at) {
                    Value variance =
                        traits.usesMean ? lanes.div(at[0], length) : at[0];
                    return emitNormFactor(lanes, eps, mode, variance);
                  })
          .tensor;
  unsigned next = inputs.size();
  inputs.push_back(factors);
  for (MappedTensor param : {gamma, beta})
    if (param.tensor)
      inputs.push_back(param);
  auto body = [&](LaneBuilder &lanes, ValueRange at) {
    unsigned param = next + 1;
    Value scale = gamma.tensor ? at[param++] : Value();
    Value shift = beta.tensor ? at[param] : Value();
    return emitNormalised(lanes, subtractMean(lanes, at), Value(), at[next],
                          scale, shift);
  };
  tensor = generics.create(inputs, createEmpty(), body).tensor;
}

void RowChangeBuilder::rotate(RotateAttr rotation, unsigned param) {
  int64_t pairs = rotation.getDims() / 2;
  if (pairs == 0)
    return;
  MappedTensor table = getParam(param);
  auto body = [&](LaneBuilder &lanes, ValueRange at) -> Value {
    SmallVector<Value> here;
    for (unsigned i = 0; i < sizes.size(); ++i)
      here.push_back(linalg::IndexOp::create(lanes.getBuilder(), loc, i));
    Value column = here[axis];
    auto extract = [&](Value from, ValueRange position) {
      return lanes.toFloatLanes(
          tensor::ExtractOp::create(lanes.getBuilder(), loc, from, position));
    };
    Value count = lanes.index(pairs), one = lanes.index(1);
    Value isTurned =
        lanes.cmp(arith::CmpIPredicate::ult, column, lanes.index(2 * pairs));
    // An element that stays looks itself up; so every access is in bounds.
    Value pair, isSecond, partner;
    if (rotation.getPairs() == PairLayout::Interleaved) {
      Value odd = lanes.bitAnd(column, one);
      isSecond = lanes.cmp(arith::CmpIPredicate::ne, odd, lanes.index(0));
      pair = arith::ShRUIOp::create(lanes.getBuilder(), loc, column, one);
      partner = lanes.select(isSecond, lanes.sub(column, one),
                             lanes.add(column, one));
    } else {
      isSecond = lanes.cmp(arith::CmpIPredicate::uge, column, count);
      pair = lanes.select(isSecond, lanes.sub(column, count), column);
      partner = lanes.select(isSecond, pair, lanes.add(column, count));
    }
    pair = lanes.select(isTurned, pair, lanes.index(0));
    SmallVector<Value> there(here), entry;
    there[axis] = lanes.select(isTurned, partner, column);
    auto loadTable = [&](Value element) {
      SmallVector<Value> position;
      for (AffineExpr expr : table.map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        position.push_back(!dim ? lanes.index(0)
                           : dim.getPosition() == axis
                               ? element
                               : here[dim.getPosition()]);
      }
      return extract(table.tensor, position);
    };
    Value sine = loadTable(pair), cosine = loadTable(lanes.add(pair, count));
    Value same = lanes.mul(at[0], cosine);
    Value other = lanes.mul(extract(tensor, there), sine);
    Value turned =
        lanes.select(isSecond, lanes.add(same, other), lanes.sub(same, other));
    return lanes.select(isTurned, turned, at[0]);
  };
  tensor = generics.create({getRows()}, createEmpty(), body).tensor;
}

MappedTensor attn::createLoaded(IterationBuilder &iterations, LoadedRows rows,
                                bool forCosine) {
  AttentionOpInterface op = iterations.getOp();
  unsigned input = rows == LoadedRows::Query ? 0 : 1;
  MappedTensor operand = {op.getShapedInputs()[input], op.getInputMap(input)};
  ArrayRef<Attribute> changes = op.getRowChanges(rows);
  CosineAttr cosine = forCosine ? op.getCosine() : CosineAttr();
  if (changes.empty() && !cosine)
    return operand;
  RowChangeBuilder builder(iterations, operand);
  for (auto [i, change] : llvm::enumerate(changes)) {
    unsigned param = op.getRowChangeParams(rows, i).first;
    auto typed = cast<RowChangeAttrInterface>(change);
    if (RowNormAttr norm = typed.getNorm())
      builder.normalise(norm, param);
    else
      builder.rotate(typed.getRotation(), param);
  }
  if (cosine)
    builder.normalise(getTraits(NormKind::L2), cosine.getEps(),
                      cosine.getMode());
  return {builder.getTensor(), operand.map};
}
