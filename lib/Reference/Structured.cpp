//===- Structured.cpp - linalg ops as loops over strips of elements -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any linalg op is its indexing maps, iterator types and body. One parallel
// dimension is cut into strips, on which the body's program runs; reductions
// are the innermost loops, in their own order, so that every output element
// sees its terms in the order of the loops as written.
//
//===----------------------------------------------------------------------===//

#include "AffineAccess.h"
#include "Evaluator.h"
#include "Parts.h"
#include "TensorSlices.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <numeric>

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// An operand, the register its elements go to, and where they lie.
struct Port {
  unsigned reg;
  AffineAccess access;
  TensorRef input;
  bool inReduction = false;
};
struct OutputPort {
  std::optional<unsigned> reg;
  unsigned yielded;
  AffineAccess access;
  std::shared_ptr<Tensor> tensor;
};

/// What is taken of the inputs of a product whose numbers are sums of two
/// parts: both, or the second ones, of the first input with the other sign.
enum class Taken { All, Parts, Seconds };

class StructuredLoops {
public:
  /// `initial` takes the place of the one output, if there is one.
  StructuredLoops(Evaluator &evaluator, linalg::LinalgOp op,
                  Taken taken = Taken::All,
                  std::shared_ptr<Tensor> initial = nullptr)
      : evaluator(evaluator), op(op), program(evaluator.getRounding()),
        taken(taken), initial(std::move(initial)) {}

  LogicalResult prepare();
  LogicalResult run();
  LogicalResult setResults();
  std::shared_ptr<Tensor> takeOutput() { return std::move(outputs[0].tensor); }

private:
  TensorRef take(TensorRef input) const;
  LogicalResult bindPorts();
  void orderLoops();
  void packInputs();
  double rateStrip(unsigned dim) const;
  bool runStrip(int64_t count);
  void loadInputs(bool inReduction, int64_t count);
  void loadOutputs(int64_t count);
  void storeOutputs(int64_t count);
  void keepYields(int64_t count);
  void fillIndices(ArrayRef<unsigned> dims);
  int64_t getStep(const AffineAccess &access) const {
    return strip ? access.getStep(*strip) : 0;
  }
  /// Moves `point` on along `dims`, the last fastest; false at the end.
  bool advance(ArrayRef<unsigned> dims) {
    for (unsigned dim : llvm::reverse(dims)) {
      if (++point[dim] < ranges[dim])
        return true;
      point[dim] = 0;
    }
    return false;
  }

  Evaluator &evaluator;
  linalg::LinalgOp op;
  ScalarProgram program;
  Taken taken;
  std::shared_ptr<Tensor> initial;
  Frame frame;
  SmallVector<Port> inputs;
  SmallVector<OutputPort> outputs;
  SmallVector<int64_t> ranges, point;
  SmallVector<unsigned> outer, inner;
  std::optional<unsigned> strip;
  /// Yielded strips, which the output registers then read from: one set is
  /// read while the other is written.
  struct Stage {
    std::vector<double> floats;
    std::vector<int64_t> ints;
  };
  std::vector<Stage> stages[2];
  bool parity = false;
};

} // namespace

TensorRef StructuredLoops::take(TensorRef input) const {
  auto tensor = std::make_shared<Tensor>(*input);
  std::vector<double> seconds = roundToParts<double>(tensor->floats);
  if (taken == Taken::Parts)
    return tensor;
  llvm::copy(seconds, tensor->floats.begin());
  if (inputs.empty())
    for (double &number : tensor->floats)
      number = -number;
  return tensor;
}

LogicalResult StructuredLoops::bindPorts() {
  Block &body = *op.getBlock();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    TensorRef tensor = evaluator.get(operand->get());
    if (taken != Taken::All)
      tensor = take(tensor);
    AffineAccess access(op.getMatchingIndexingMap(operand),
                        tensor->getStrides());
    inputs.push_back(
        {program.bind(op.getMatchingBlockArgument(operand)), access, tensor});
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    std::shared_ptr<Tensor> tensor =
        initial ? std::move(initial) : evaluator.takeOrCopy(operand.get());
    AffineAccess access(op.getMatchingIndexingMap(&operand),
                        tensor->getStrides());
    std::optional<unsigned> reg;
    if (operand.getOperandNumber() < body.getNumArguments())
      reg = program.bind(op.getMatchingBlockArgument(&operand));
    outputs.push_back({reg, 0, access, std::move(tensor)});
  }
  auto lookup = [&](Value value) { return evaluator.get(value); };
  if (failed(program.compileBlock(body, lookup)))
    return failure();
  for (auto [output, value] :
       llvm::zip_equal(outputs, body.getTerminator()->getOperands())) {
    FailureOr<unsigned> reg = program.getRegister(value, lookup);
    if (failed(reg))
      return op->emitError("the reference cannot find the yielded value");
    output.yielded = *reg;
  }
  return success();
}

LogicalResult StructuredLoops::prepare() {
  AffineMap shapesToLoops = op.getShapesToLoopsMap();
  if (!shapesToLoops)
    return op->emitError(
        "the sizes of the loops do not follow from the shapes");
  SmallVector<int64_t> sizes;
  for (Value operand : op->getOperands())
    llvm::append_range(sizes, evaluator.get(operand)->shape);
  ranges = shapesToLoops.compose(sizes);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      continue;
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), evaluator.get(operand.get())->shape))
      if (size != ranges[cast<AffineDimExpr>(expr).getPosition()])
        return op->emitError("operand ")
               << operand.getOperandNumber() << " has size " << size
               << " where the loop has "
               << ranges[cast<AffineDimExpr>(expr).getPosition()];
  }
  if (failed(bindPorts()))
    return failure();
  orderLoops();
  packInputs();
  for (std::vector<Stage> &set : stages)
    set.resize(outputs.size(), {std::vector<double>(stripLength),
                                std::vector<int64_t>(stripLength)});
  frame = program.makeFrame();
  return success();
}

/// How well a parallel dimension serves as the strip; 0 when it cannot.
double StructuredLoops::rateStrip(unsigned dim) const {
  unsigned gathers = 0;
  auto rate = [&](const AffineAccess &access) {
    gathers += access.getStep(dim) > 1;
    return access.isLinearIn(dim);
  };
  for (const Port &port : inputs)
    if (!rate(port.access))
      return 0;
  for (const OutputPort &port : outputs)
    if (!rate(port.access))
      return 0;
  return double(std::min(ranges[dim], stripLength)) / (1 + 4 * gathers);
}

/// Without a strip (odd output maps, no parallel dimension) every point is a
/// strip of one element, in the order of the loops as written.
void StructuredLoops::orderLoops() {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  bool regular = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() &&
           llvm::all_of(llvm::enumerate(types), [&](auto it) {
             return map.isFunctionOfDim(it.index()) ==
                    (it.value() == utils::IteratorType::parallel);
           });
  });
  double best = 0;
  for (unsigned dim = 0; dim < types.size(); ++dim)
    if (regular && types[dim] == utils::IteratorType::parallel &&
        rateStrip(dim) > best) {
      best = rateStrip(dim);
      strip = dim;
    }
  for (unsigned dim = 0; dim < types.size(); ++dim) {
    if (regular && types[dim] != utils::IteratorType::parallel)
      inner.push_back(dim);
    else if (strip != dim)
      outer.push_back(dim);
  }
  for (Port &port : inputs)
    port.inReduction = llvm::any_of(inner, [&](unsigned dim) {
      return port.access.getStep(dim) != 0 || !port.access.isLinearIn(dim);
    });
}

/// Inputs that the strip would read with a step, and that are read often, are
/// laid out anew so that the strip reads them contiguously.
void StructuredLoops::packInputs() {
  double points = 1;
  for (int64_t range : ranges)
    points *= range;
  auto operands = op.getDpsInputOperands();
  for (auto [port, operand] : llvm::zip_equal(inputs, operands)) {
    if (!strip || getStep(port.access) <= 1 ||
        points < 4.0 * port.input->getNumElements())
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    std::optional<unsigned> along =
        map.getResultPosition(getAffineDimExpr(*strip, op.getContext()));
    if (!along || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      continue;
    SmallVector<int64_t> shape(port.input->shape);
    std::rotate(shape.begin() + *along, shape.begin() + *along + 1,
                shape.end());
    auto packed = std::make_shared<Tensor>(port.input->elementType, shape);
    // Strides of the new layout, in the order of the old dimensions.
    SmallVector<int64_t> strides = packed->getStrides();
    std::rotate(strides.begin() + *along, strides.end() - 1, strides.end());
    copyBox(*port.input, Box::at(*port.input, {}), *packed, Box{0, strides},
            port.input->shape);
    port.access = AffineAccess(map, strides);
    port.input = std::move(packed);
  }
}

template <typename T>
static void loadStrip(Frame &frame, unsigned reg, const T *from, int64_t step,
                      int64_t count, bool mayAim) {
  if (step == 1 && mayAim)
    return frame.aim(reg, from);
  T *to = frame.write<T>(reg);
  if (step == 0)
    std::fill_n(to, count, *from);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i * step];
}

void StructuredLoops::loadInputs(bool inReduction, int64_t count) {
  for (const Port &port : inputs) {
    if (port.inReduction != inReduction)
      continue;
    int64_t at = port.access.getOffset(point), step = getStep(port.access);
    if (port.input->isFloat())
      loadStrip(frame, port.reg, &port.input->floats[at], step, count, true);
    else
      loadStrip(frame, port.reg, &port.input->ints[at], step, count, true);
  }
}

void StructuredLoops::loadOutputs(int64_t count) {
  for (const OutputPort &port : outputs) {
    if (!port.reg)
      continue;
    int64_t at = port.access.getOffset(point), step = getStep(port.access);
    if (port.tensor->isFloat())
      loadStrip(frame, *port.reg, &port.tensor->floats[at], step, count, false);
    else
      loadStrip(frame, *port.reg, &port.tensor->ints[at], step, count, false);
  }
}

template <typename T>
static void storeStrip(const T *from, T *to, int64_t step, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i * step] = from[i];
}

void StructuredLoops::storeOutputs(int64_t count) {
  for (auto [index, port] : llvm::enumerate(outputs)) {
    int64_t at = port.access.getOffset(point), step = getStep(port.access);
    if (port.tensor->isFloat())
      storeStrip(stages[parity][index].floats.data(), &port.tensor->floats[at],
                 step, count);
    else
      storeStrip(stages[parity][index].ints.data(), &port.tensor->ints[at],
                 step, count);
  }
}

/// All yields are taken before any output register changes: a body may yield
/// one output's value for another.
void StructuredLoops::keepYields(int64_t count) {
  parity = !parity;
  for (auto [index, port] : llvm::enumerate(outputs)) {
    Stage &stage = stages[parity][index];
    if (port.tensor->isFloat())
      std::copy_n(frame.read<double>(port.yielded), count,
                  stage.floats.begin());
    else
      std::copy_n(frame.read<int64_t>(port.yielded), count, stage.ints.begin());
  }
}

void StructuredLoops::fillIndices(ArrayRef<unsigned> dims) {
  for (auto [dim, reg] : program.getIndexRegisters())
    if (llvm::is_contained(dims, unsigned(dim)))
      std::fill_n(frame.write<int64_t>(reg), stripLength, point[dim]);
}

/// Runs all reduction steps for one strip of output elements.
bool StructuredLoops::runStrip(int64_t count) {
  loadInputs(/*inReduction=*/false, count);
  loadOutputs(count);
  fillIndices(outer);
  for (auto [dim, reg] : program.getIndexRegisters())
    if (strip && unsigned(dim) == *strip)
      std::iota(frame.write<int64_t>(reg),
                frame.write<int64_t>(reg) + stripLength, point[dim]);
  for (;;) {
    loadInputs(/*inReduction=*/true, count);
    fillIndices(inner);
    program.run(frame, count);
    if (frame.fault)
      return false;
    keepYields(count);
    if (!advance(inner))
      break;
    for (auto [index, port] : llvm::enumerate(outputs)) {
      if (!port.reg)
        continue;
      if (port.tensor->isFloat())
        frame.aim(*port.reg, stages[parity][index].floats.data());
      else
        frame.aim(*port.reg, stages[parity][index].ints.data());
    }
  }
  storeOutputs(count);
  return true;
}

LogicalResult StructuredLoops::run() {
  if (llvm::is_contained(ranges, 0))
    return success();
  point.assign(ranges.size(), 0);
  do {
    int64_t extent = strip ? ranges[*strip] : 1;
    for (int64_t begin = 0; begin < extent; begin += stripLength) {
      if (strip)
        point[*strip] = begin;
      if (!runStrip(std::min(stripLength, extent - begin)))
        return op->emitError(frame.fault);
    }
    if (strip)
      point[*strip] = 0;
  } while (advance(outer));
  return success();
}

LogicalResult StructuredLoops::setResults() {
  for (auto [result, port] : llvm::zip_equal(op->getResults(), outputs))
    if (failed(evaluator.set(result, std::move(port.tensor))))
      return failure();
  return success();
}

LogicalResult executeStructured(Evaluator &evaluator, Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics())
    return emitUnsupported(op);
  bool hasParts = getProducts(op).has_value();
  for (OpOperand *operand : structured.getDpsInputOperands())
    hasParts &=
        takesTwoParts(op, getElementTypeOrSelf(operand->get().getType()),
                      evaluator.getRounding());
  if (hasParts) {
    // The products of second parts are taken away first.
    StructuredLoops seconds(evaluator, structured, Taken::Seconds);
    if (failed(seconds.prepare()) || failed(seconds.run()))
      return failure();
    StructuredLoops parts(evaluator, structured, Taken::Parts,
                          seconds.takeOutput());
    if (failed(parts.prepare()) || failed(parts.run()))
      return failure();
    return parts.setResults();
  }
  StructuredLoops loops(evaluator, structured);
  if (failed(loops.prepare()) || failed(loops.run()))
    return failure();
  return loops.setResults();
}

} // namespace attn::reference::detail
