//===- RowMachineTests.cpp - Row algorithms on a machine of registers -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine here is a thread that holds a whole row in registers, as on a
// GPU, with some places past the row's end that are off. So algorithms are
// tested without a CPU's loops and masks, which never meet some of what they
// say: a norm's last vector has no mask there.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Rows/RowOps.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace attn;

namespace {

/// Places that the row has, and that the machine has.
constexpr int64_t kSize = 5, kPlaces = 8;

/// One row; what is loaded and stored are values of a function without memory.
class RegisterRows : public RowMachine {
public:
  RegisterRows(FloatType type, Location loc) : type(type), loc(loc) {}

  void emitRows(OpBuilder &b, const RowSpace &space,
                RowAlgorithm &algorithm) override {
    keeps = space.keeps;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    RowPlace row{{zero}, {}, space.sizes};
    algorithm.locate(b, row.number, row.origin, row.sizes);
    SmallVector<Value> numbers = algorithm.measure(b, row);
    forEachPlace(b, [&](const RowPiece &piece) {
      algorithm.write(piece, row, numbers);
    });
  }
  void emitEach(OpBuilder &, ValueRange,
                function_ref<void(OpBuilder &, ValueRange)>) override {
    FAIL() << "these ops have no work of single threads";
  }

  SmallVector<Value> reduce(OpBuilder &b, const RowPlace &,
                            ArrayRef<double> neutrals, RowStep step,
                            RowCombine combine) override {
    LaneBuilder scalars(b, loc, type);
    size_t width = neutrals.size();
    SmallVector<Value> sums;
    for (size_t i = 0; i < 2 * width; ++i)
      sums.push_back(scalars.constant(neutrals[i % width]));
    forEachPlace(b, [&](const RowPiece &piece) {
      step(piece, MutableArrayRef<Value>(sums).slice(place % 2 * width, width));
    });
    SmallVector<Value> results;
    for (size_t i = 0; i < width; ++i)
      results.push_back(combine(scalars, sums[i], sums[width + i]));
    return results;
  }
  void visit(OpBuilder &, Value, RowVisit) override {}
  bool areVectors() const override { return false; }

  Value load(const RowPiece &piece, Value memref, ValueRange) override {
    ++loads[{memref.getAsOpaquePointer(), place}];
    return place < kSize ? inputs.at(memref.getAsOpaquePointer())[place]
                         : piece.lanes.constant(0.0);
  }
  Value loadAgain(const RowPiece &piece, Value memref, ValueRange at) override {
    --loads[{memref.getAsOpaquePointer(), place}];
    return load(piece, memref, at);
  }
  void store(const RowPiece &, Value value, Value memref, ValueRange) override {
    if (place < kSize)
      outputs[memref.getAsOpaquePointer()].push_back(value);
  }
  void storeOnce(LaneBuilder &, Value, Value, ValueRange) override {}
  void keep(const RowPiece &, Value value) override {
    EXPECT_TRUE(keeps);
    kept[place] = value;
  }
  Value getKept(const RowPiece &) override { return kept.at(place); }
  Value emitWeight(LaneBuilder &lanes, Value x) override {
    return lanes.exp(x);
  }

  std::map<const void *, SmallVector<Value>> inputs, outputs;
  /// How often each element has been read, but for what was read before.
  std::map<std::pair<const void *, int64_t>, int> loads;

private:
  void forEachPlace(OpBuilder &b, RowVisit visit) {
    for (place = 0; place < kPlaces; ++place) {
      LaneBuilder lanes(b, loc, type);
      Value position = lanes.index(place);
      visit({lanes, position, lanes.boolean(place < kSize)});
    }
  }

  FloatType type;
  Location loc;
  int64_t place = 0;
  bool keeps = false;
  std::map<int64_t, Value> kept;
};

/// Runs the one op of a function on memrefs of kSize f64.
class RowMachineTest : public testing::Test {
protected:
  RowMachineTest() {
    context.loadDialect<AttnDialect, arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, memref::MemRefDialect>();
  }

  template <typename OpTy>
  std::vector<double>
  run(const std::string &text,
      function_ref<void(OpBuilder &, OpTy, RowMachine &)> emit,
      ArrayRef<std::vector<double>> arguments) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto source = *module->getOps<func::FuncOp>().begin();
    OpTy op = *source.getOps<OpTy>().begin();
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    builder.setInsertionPointToEnd(module->getBody());
    Type f64 = builder.getF64Type();
    SmallVector<Type> inputs(arguments.size() * kSize, f64);
    SmallVector<Type> results(kSize, f64);
    auto function = func::FuncOp::create(
        builder, loc, "row", builder.getFunctionType(inputs, results));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    RegisterRows machine(builder.getF64Type(), loc);
    std::vector<reference::Tensor> values;
    for (auto [i, numbers] : llvm::enumerate(arguments))
      for (auto [place, number] : llvm::enumerate(numbers)) {
        machine.inputs[source.getArgument(i).getAsOpaquePointer()].push_back(
            function.getArgument(i * kSize + place));
        values.push_back(reference::Tensor::scalar(f64, number));
      }
    emit(builder, op, machine);
    func::ReturnOp::create(
        builder, loc, machine.outputs.at(op.getOutput().getAsOpaquePointer()));
    for (auto &[element, count] : machine.loads)
      EXPECT_EQ(count, 1) << "element " << element.second;
    auto numbers =
        reference::interpret(function, values, reference::Rounding::F64);
    EXPECT_TRUE(succeeded(numbers));
    std::vector<double> outputs;
    for (const reference::Tensor &number : *numbers)
      outputs.push_back(number.floats[0]);
    return outputs;
  }

  MLIRContext context;
};

const std::vector<double> kX = {3.0, -1.0, 2.5, 0.5, 10.0};
const std::vector<double> kResidual = {0.5, 0.25, -4.0, 1.0, 2.0};
const std::vector<double> kGamma = {1.0, 2.0, -1.0, 0.5, 3.0};

// Past the end of the row nothing has a distance to the mean.
TEST_F(RowMachineTest, CentredNormOfASum) {
  std::vector<double> y = run<NormOp>(
      R"(func.func @f(%x: memref<1x5xf64>, %r: memref<1x5xf64>,
                      %gamma: memref<5xf64>, %y: memref<1x5xf64>) {
        attn.norm layer axes [1] eps(0.5) ins(%x : memref<1x5xf64>) residual(%r : memref<1x5xf64>) gamma(%gamma : memref<5xf64>) outs(%y : memref<1x5xf64>)
        return
      })",
      emitNormRows, {kX, kResidual, kGamma});
  double mean = 0.0, variance = 0.0;
  for (int64_t i = 0; i < kSize; ++i)
    mean += (kX[i] + kResidual[i]) / kSize;
  for (int64_t i = 0; i < kSize; ++i)
    variance += std::pow(kX[i] + kResidual[i] - mean, 2.0) / kSize;
  ASSERT_EQ(y.size(), size_t(kSize));
  for (int64_t i = 0; i < kSize; ++i)
    EXPECT_NEAR(y[i],
                (kX[i] + kResidual[i] - mean) / std::sqrt(variance + 0.5) *
                    kGamma[i],
                1e-13);
}

// The scale is negative: the largest score is that of the smallest element, and
// all that is past the end would be larger.
TEST_F(RowMachineTest, SoftmaxOfANegativeScale) {
  std::vector<double> y = run<SoftmaxOp>(
      R"(func.func @f(%x: memref<1x5xf64>, %y: memref<1x5xf64>) {
        attn.softmax scale(#attn.constant<-2.0>) softmax(#attn.softmax) ins(%x : memref<1x5xf64>) outs(%y : memref<1x5xf64>)
        return
      })",
      emitSoftmaxRows, {kResidual});
  double sum = 0.0;
  for (double x : kResidual)
    sum += std::exp(-2.0 * x);
  ASSERT_EQ(y.size(), size_t(kSize));
  for (int64_t i = 0; i < kSize; ++i)
    EXPECT_NEAR(y[i], std::exp(-2.0 * kResidual[i]) / sum, 1e-13);
}

} // namespace
