//===- MultiHeadAttention.cpp - attn.multi_head_attention by its steps ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything around the attention is computed here from its definition, on
// operands in the usual layout [batch..., heads, rows, dimension]; for the
// attention itself an op in that layout is made and interpreted.
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "Composite.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// Runs one op.
class MultiHead : public Composite {
public:
  MultiHead(Evaluator &evaluator, MultiHeadAttentionOp op)
      : Composite(evaluator, op), op(op), input(evaluator.get(op.getInput())),
        heads(int64_t(op.getHeads())), groups(op.getNumKeyHeads()),
        batch(input->getRank() - 2) {
    for (int64_t size : ArrayRef(input->shape).take_front(batch))
      sequences *= size;
  }

  LogicalResult run();

private:
  using Owned = std::shared_ptr<Tensor>;

  FailureOr<Owned> projectHeads(Value from, Value weight, Value bias,
                                int64_t count, Value gain, bool turns);
  void normalise(double *vector, int64_t size, const Tensor *gain);
  void turn(double *vector, int64_t position);
  int64_t getPosition(int64_t sequence, int64_t row);
  int64_t getPast(int64_t sequence);
  Owned makeHeads(int64_t count, int64_t rows, int64_t size);
  FailureOr<Owned> append(Value cache, const Tensor *rows);
  Owned takeRows(const Tensor &cache, int64_t rows);
  FailureOr<TensorRef> attend(Owned query, Owned key, Owned value,
                              TensorRef lengths);
  LogicalResult finish(const Tensor &outputs);

  MultiHeadAttentionOp op;
  TensorRef input;
  int64_t heads, groups, batch, sequences = 1;
};

} // namespace

MultiHead::Owned MultiHead::makeHeads(int64_t count, int64_t rows,
                                      int64_t size) {
  SmallVector<int64_t> shape(ArrayRef(input->shape).take_front(batch));
  shape.append({count, rows, size});
  return std::make_shared<Tensor>(input->elementType, shape);
}

int64_t MultiHead::getPast(int64_t sequence) {
  if (!op.getPast())
    return 0;
  TensorRef past = evaluator.get(op.getPast());
  return past->ints[op.hasPastPerSequence() ? sequence : 0];
}

int64_t MultiHead::getPosition(int64_t sequence, int64_t row) {
  if (!op.getPositions())
    return getPast(sequence) + row;
  TensorRef positions = evaluator.get(op.getPositions());
  if (positions->getRank() == 1)
    return positions->ints[row];
  int64_t first = sequence / (sequences / input->shape[0]);
  return positions->ints[first * positions->shape[1] + row];
}

/// The vectors of each head, normalised and turned: [batch..., count, rows, d].
FailureOr<MultiHead::Owned> MultiHead::projectHeads(Value from, Value weight,
                                                    Value bias, int64_t count,
                                                    Value gain, bool turns) {
  TensorRef source = evaluator.get(from);
  int64_t rows = source->shape[batch];
  FailureOr<Rows> flat =
      project(source->floats, sequences * rows, weight, bias);
  if (failed(flat))
    return failure();
  int64_t size = getWidth(weight) / count;
  TensorRef gains = gain ? evaluator.get(gain) : TensorRef();
  for (int64_t i = 0; i < sequences * rows * count; ++i) {
    double *vector = flat->data() + i * size;
    if (turns && op.getQkNorm())
      normalise(vector, size, gains.get());
  }
  round(*flat);
  if (turns && op.getRope())
    for (int64_t i = 0; i < sequences * rows * count; ++i)
      turn(flat->data() + i * size,
           getPosition(i / (rows * count), i / count % rows));
  round(*flat);
  Owned result = makeHeads(count, rows, size);
  for (int64_t s = 0; s < sequences; ++s)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t h = 0; h < count; ++h)
        std::copy_n(flat->begin() + ((s * rows + r) * count + h) * size, size,
                    result->floats.begin() +
                        ((s * count + h) * rows + r) * size);
  return result;
}

void MultiHead::normalise(double *vector, int64_t size, const Tensor *gain) {
  // Each step is rounded as arithmetic in the compute type would be.
  auto wide = [&](double value) {
    quantise(&value, 1, getWide());
    return value;
  };
  NormKind kind = *op.getQkNorm();
  double mean = 0.0, squares = 0.0;
  if (kind == NormKind::Layer) {
    for (int64_t i = 0; i < size; ++i)
      mean = wide(mean + vector[i]);
    mean = wide(mean / double(size));
  }
  for (int64_t i = 0; i < size; ++i) {
    double difference = wide(vector[i] - mean);
    squares = wide(squares + wide(difference * difference));
  }
  if (kind != NormKind::L2)
    squares = wide(squares / double(size));
  double root =
      wide(std::sqrt(wide(squares + wide(op.getQkEps()->convertToDouble()))));
  for (int64_t i = 0; i < size; ++i) {
    double value = root == 0.0 ? 0.0 : wide(wide(vector[i] - mean) / root);
    vector[i] = gain ? wide(value * gain->floats[i]) : value;
  }
}

void MultiHead::turn(double *vector, int64_t position) {
  auto wide = [&](double value) {
    quantise(&value, 1, getWide());
    return value;
  };
  int64_t rotated = int64_t(op.getRotaryDim().value_or(op.getHeadDim()));
  bool isInterleaved = *op.getRope() == PairLayout::Interleaved;
  for (int64_t t = 0; t < rotated / 2; ++t) {
    double &a = vector[isInterleaved ? 2 * t : t];
    double &b = vector[isInterleaved ? 2 * t + 1 : t + rotated / 2];
    double angle = double(position) * op.getPositionScale().convertToDouble() *
                   std::pow(op.getBase().convertToDouble(),
                            -2.0 * double(t) / double(rotated));
    double sine = wide(std::sin(angle)), cosine = wide(std::cos(angle));
    double first = wide(wide(a * cosine) - wide(b * sine));
    b = wide(wide(b * cosine) + wide(a * sine));
    a = first;
  }
}

/// A copy of the cache with these rows behind the used ones.
FailureOr<MultiHead::Owned> MultiHead::append(Value cache, const Tensor *rows) {
  auto result = std::make_shared<Tensor>(*evaluator.get(cache));
  int64_t count = rows ? rows->shape[batch + 1] : 0;
  int64_t room = result->shape[batch + 1], size = result->shape[batch + 2];
  for (int64_t s = 0; s < sequences; ++s) {
    int64_t past = getPast(s);
    if (past < 0)
      return op.emitError("past is negative: ") << past;
    if (past > room - count)
      return op.emitError("past leaves the cache no room for the rows: ")
             << past << " and " << count << " are more than " << room;
    for (int64_t h = 0; h < (rows ? groups : 0); ++h)
      std::copy_n(
          rows->floats.begin() + (s * groups + h) * count * size, count * size,
          result->floats.begin() + ((s * groups + h) * room + past) * size);
  }
  return result;
}

/// The first rows of each head.
MultiHead::Owned MultiHead::takeRows(const Tensor &cache, int64_t rows) {
  int64_t room = cache.shape[batch + 1], size = cache.shape[batch + 2];
  Owned result = makeHeads(groups, rows, size);
  for (int64_t h = 0; h < sequences * groups; ++h)
    std::copy_n(cache.floats.begin() + h * room * size, rows * size,
                result->floats.begin() + h * rows * size);
  return result;
}

/// Attention of operands in the usual layout.
FailureOr<TensorRef> MultiHead::attend(Owned query, Owned key, Owned value,
                                       TensorRef lengths) {
  FailureOr<SmallVector<ParamSpec>> specs = op.getParamSpecs();
  if (failed(specs))
    return failure();
  SmallVector<Attribute> masks(op.getMaskList().getValue());
  std::vector<TensorRef> arguments;
  SmallVector<Type> types;
  auto add = [&](TensorRef tensor, Type type = Type()) {
    types.push_back(
        type && !isa<ShapedType>(type)
            ? type
            : RankedTensorType::get(tensor->shape, tensor->elementType));
    arguments.push_back(std::move(tensor));
  };
  add(query);
  add(key);
  add(value);
  // The normaliser's params follow those of the masks.
  size_t last = op.getNormalizer().getParamSpecs().size();
  for (auto [i, param] : llvm::enumerate(op.getParams())) {
    if (lengths && i + last == op.getParams().size())
      add(lengths);
    add(evaluator.get(param), param.getType());
  }
  if (lengths && last == 0)
    add(lengths);
  if (lengths) {
    Attribute mask = KvLengthsAttr::get(op.getContext());
    masks.push_back(mask);
    specs->insert(specs->end() - last,
                  cast<PolicyAttrInterface>(mask).getParamSpecs().front());
  }
  add(makeHeads(heads, query->shape[batch + 1], value->shape[batch + 2]));

  OpBuilder builder(op.getContext());
  FailureOr<SmallVector<AffineMap>> maps = getDefaultIndexingMaps(
      ArrayRef(types).take_front(3), ArrayRef(types).drop_front(3).drop_back(),
      *specs, types.back(), op.getContext(), [&] { return op.emitError(); });
  if (failed(maps))
    return failure();
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      op.getLoc(), "attention", builder.getFunctionType(types, types.back()));
  Block *body = function->addEntryBlock();
  builder.setInsertionPointToStart(body);
  NamedAttrList attributes;
  attributes.set("scale", op.getScaleAttr());
  attributes.set("similarity", op.getSimilarityOrDot());
  attributes.set("normalizer", op.getNormalizerAttr());
  attributes.set("biases", op.getBiasList());
  attributes.set("masks", builder.getArrayAttr(masks));
  attributes.set("indexing_maps", builder.getAffineMapArrayAttr(*maps));
  if (op.getAlignAttr())
    attributes.set("align", op.getAlignAttr());
  if (op.getSoftcapAttr())
    attributes.set("softcap", op.getSoftcapAttr());
  attributes.set(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({1, 1, 1, int32_t(specs->size()), 1, 0, 0}));
  auto attention =
      AttentionOp::create(builder, op.getLoc(), TypeRange(types.back()),
                          body->getArguments(), attributes, 0);
  func::ReturnOp::create(builder, op.getLoc(), attention->getResults());
  auto results = Evaluator(evaluator.getRounding(), evaluator.getDepth() + 1)
                     .call(*function, std::move(arguments));
  if (failed(results))
    return failure();
  return results->front();
}

/// The last projection of the heads' outputs.
LogicalResult MultiHead::finish(const Tensor &outputs) {
  int64_t rows = input->shape[batch], size = outputs.shape[batch + 2];
  Rows flat(outputs.floats.size());
  for (int64_t s = 0; s < sequences; ++s)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t h = 0; h < heads; ++h)
        std::copy_n(outputs.floats.begin() +
                        ((s * heads + h) * rows + r) * size,
                    size, flat.begin() + ((s * rows + r) * heads + h) * size);
  FailureOr<Rows> last =
      project(flat, sequences * rows, op.getOutputWeight(), op.getOutputBias());
  if (failed(last))
    return failure();
  SmallVector<int64_t> shape(input->shape);
  shape.back() = getWidth(op.getOutputWeight());
  auto result = std::make_shared<Tensor>(input->elementType, shape);
  result->floats = std::move(*last);
  return evaluator.set(op->getResult(0), result);
}

LogicalResult MultiHead::run() {
  FailureOr<Owned> query =
      projectHeads(op.getInput(), op.getQueryWeight(), op.getQueryBias(), heads,
                   op.getQueryGain(), /*turns=*/true);
  FailureOr<Owned> key = Owned(), value = Owned();
  if (Value source = op.getSource()) {
    key = projectHeads(source, op.getKeyWeight(), op.getKeyBias(), groups,
                       op.getKeyGain(), /*turns=*/true);
    value = projectHeads(source, op.getValueWeight(), op.getValueBias(), groups,
                         Value(), /*turns=*/false);
  }
  if (failed(query) || failed(key) || failed(value))
    return failure();
  std::shared_ptr<Tensor> lengths;
  if (op.getKeyCache()) {
    int64_t added = *key ? (*key)->shape[batch + 1] : 0;
    key = append(op.getKeyCache(), key->get());
    value = append(op.getValueCache(), value->get());
    if (failed(key) || failed(value))
      return failure();
    if (op.appends() && (failed(evaluator.set(op->getResult(1), *key)) ||
                         failed(evaluator.set(op->getResult(2), *value))))
      return failure();
    if (op.hasPastPerSequence()) {
      lengths = std::make_shared<Tensor>(*evaluator.get(op.getPast()));
      for (int64_t &length : lengths->ints)
        length += added;
    } else {
      key = takeRows(**key, getPast(0) + added);
      value = takeRows(**value, getPast(0) + added);
    }
  }
  FailureOr<TensorRef> outputs = attend(*query, *key, *value, lengths);
  return failed(outputs) ? failure() : finish(**outputs);
}

LogicalResult execute(Evaluator &evaluator, MultiHeadAttentionOp op) {
  return MultiHead(evaluator, op).run();
}

} // namespace attn::reference::detail
