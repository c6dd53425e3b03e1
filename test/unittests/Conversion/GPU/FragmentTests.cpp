//===- FragmentTests.cpp - Fragments against the simulator's instructions -===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/GPU/Fragment/FragmentLayout.h"
#include "Conversion/GPU/Fragment/SharedTile.h"
#include "attn-ptxsim/PTXSim.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kLanes = 32;
constexpr MatrixShape kShape = {16, 8, 16};

/// One instruction a block: registers of each lane come from memory and go back
/// to it, in their order.
constexpr const char *kKernel = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 d)
{
  .reg .b32 %a<4>, %b<2>, %t, %block, %n;
  .reg .f32 %d<4>, %zero;
  .reg .b64 %p, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %n, %block, 32, %t;
  mov.f32 %zero, 0f00000000;
  ld.param.u64 %p, [a];
  mul.wide.u32 %o, %n, 16;
  add.u64 %p, %p, %o;
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%p];
  ld.param.u64 %p, [b];
  mul.wide.u32 %o, %n, 8;
  add.u64 %p, %p, %o;
  ld.global.v2.u32 {%b0, %b1}, [%p];
  mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32
    {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1},
    {%zero, %zero, %zero, %zero};
  ld.param.u64 %p, [d];
  mul.wide.u32 %o, %n, 16;
  add.u64 %p, %p, %o;
  st.global.v4.f32 [%p], {%d0, %d1, %d2, %d3};
  ret;
}
)";

class FragmentTest : public testing::TestWithParam<const char *> {
protected:
  FragmentTest() { context.loadDialect<arith::ArithDialect>(); }

  Type getType() {
    return GetParam() == std::string("f16") ? Type(Float16Type::get(&context))
                                            : BFloat16Type::get(&context);
  }
  FragmentLayout getLayout(FragmentRole role) {
    return *FragmentLayout::get(role, kShape, getType());
  }
  uint16_t encode(double value) {
    llvm::APFloat number(value);
    bool loses;
    number.convert(cast<FloatType>(getType()).getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.bitcastToAPInt().getZExtValue();
  }
  /// The registers of all lanes of a matrix.
  void pack(FragmentRole role,
            llvm::function_ref<double(int64_t row, int64_t column)> matrix,
            std::vector<uint16_t> &registers) {
    FragmentLayout layout = getLayout(role);
    for (int64_t lane = 0; lane < kLanes; ++lane)
      for (int64_t i = 0; i < layout.getNumElements(); ++i) {
        FragmentLayout::Place place = layout.getPlace(lane, i);
        registers.push_back(encode(matrix(place.row, place.column)));
      }
  }
  std::vector<float> run(std::vector<uint16_t> &a, std::vector<uint16_t> &b,
                         uint32_t blocks) {
    std::string text = kKernel;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, GetParam());
    auto module = ptx::Module::parse(text);
    EXPECT_TRUE(bool(module)) << llvm::toString(module.takeError());
    std::vector<float> d(blocks * kLanes * 4);
    ptx::Launch launch;
    launch.grid.x = blocks;
    launch.block.x = kLanes;
    auto add = [&](auto &data) {
      ptx::Buffer buffer;
      buffer.data = data.data();
      buffer.bytes = data.size() * sizeof(data[0]);
      launch.arguments.push_back(ptx::Argument::pointer(launch.buffers.size()));
      launch.buffers.push_back(buffer);
    };
    add(a);
    add(b);
    add(d);
    auto report = ptx::run(*module, launch);
    EXPECT_TRUE(bool(report)) << llvm::toString(report.takeError());
    EXPECT_TRUE(report->clean());
    return d;
  }
  /// Element (row, column) of the product of a block.
  double getProduct(ArrayRef<float> d, int64_t block, int64_t row,
                    int64_t column) {
    FragmentLayout layout = getLayout(FragmentRole::Accumulator);
    for (int64_t lane = 0; lane < kLanes; ++lane)
      for (int64_t i = 0; i < layout.getNumElements(); ++i)
        if (layout.getPlace(lane, i) == FragmentLayout::Place{row, column})
          return d[(block * kLanes + lane) * 4 + i];
    ADD_FAILURE() << "no lane holds " << row << ", " << column;
    return 0;
  }

  MLIRContext context;
};

} // namespace

/// A lhs with a single 1 takes one row of the rhs into one row of the product.
TEST_P(FragmentTest, OneHotLhs) {
  auto rhs = [](int64_t term, int64_t column) {
    return double(term * 8 + column + 1);
  };
  std::vector<uint16_t> a, b;
  for (int64_t hot = 0; hot < 256; ++hot) {
    pack(
        FragmentRole::Lhs,
        [&](int64_t row, int64_t term) { return row * 16 + term == hot; }, a);
    pack(FragmentRole::Rhs, rhs, b);
  }
  std::vector<float> d = run(a, b, 256);
  for (int64_t hot = 0; hot < 256; ++hot)
    for (int64_t row = 0; row < 16; ++row)
      for (int64_t column = 0; column < 8; ++column)
        ASSERT_EQ(getProduct(d, hot, row, column),
                  row == hot / 16 ? rhs(hot % 16, column) : 0)
            << "1 at " << hot / 16 << ", " << hot % 16;
}

/// A rhs with a single 1 takes one column of the lhs into one of the product.
TEST_P(FragmentTest, OneHotRhs) {
  auto lhs = [](int64_t row, int64_t term) {
    return double(row * 16 + term + 1);
  };
  std::vector<uint16_t> a, b;
  for (int64_t hot = 0; hot < 128; ++hot) {
    pack(FragmentRole::Lhs, lhs, a);
    pack(
        FragmentRole::Rhs,
        [&](int64_t term, int64_t column) { return term * 8 + column == hot; },
        b);
  }
  std::vector<float> d = run(a, b, 128);
  for (int64_t hot = 0; hot < 128; ++hot)
    for (int64_t row = 0; row < 16; ++row)
      for (int64_t column = 0; column < 8; ++column)
        ASSERT_EQ(getProduct(d, hot, row, column),
                  column == hot % 8 ? lhs(row, hot / 8) : 0)
            << "1 at " << hot / 8 << ", " << hot % 8;
}

/// Two accumulators side by side are a lhs as they are.
TEST_P(FragmentTest, Reuse) {
  FragmentLayout accumulator = getLayout(FragmentRole::Accumulator);
  FragmentLayout lhs = getLayout(FragmentRole::Lhs);
  auto reuse = FragmentLayout::getReuse(accumulator, lhs);
  ASSERT_TRUE(reuse);
  for (int64_t lane = 0; lane < kLanes; ++lane)
    for (auto [to, from] : llvm::enumerate(*reuse)) {
      FragmentLayout::Place place = accumulator.getPlace(lane, from % 4);
      place.column += from / 4 * 8;
      EXPECT_EQ(place, lhs.getPlace(lane, to));
    }
  EXPECT_FALSE(
      FragmentLayout::getReuse(accumulator, getLayout(FragmentRole::Rhs)));
}

/// Rows and columns as IR are those of the table.
TEST_P(FragmentTest, EmittedPlaces) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  builder.setInsertionPointToEnd(module->getBody());
  FragmentLayout layout = getLayout(FragmentRole::Accumulator);
  LaneOptions options;
  options.narrowInts = true;
  LaneBuilder rows(builder, loc, builder.getF32Type(), 0, options);
  for (int64_t lane = 0; lane < kLanes; ++lane)
    for (int64_t row = 0; row < layout.getRowsPerThread(); ++row) {
      Value number = arith::ConstantIntOp::create(builder, loc,
                                                  builder.getI32Type(), lane);
      Value emitted = layout.emitRow(rows, number, row);
      auto sum = emitted.getDefiningOp<arith::AddIOp>();
      ASSERT_TRUE(sum);
      int64_t value = *getConstantIntValue(sum.getLhs()) +
                      *getConstantIntValue(sum.getRhs());
      EXPECT_EQ(value,
                layout.getPlace(lane, layout.getElementsOfRow(row)[0]).row);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, FragmentTest, testing::Values("f16", "bf16"));

/// Chunks of a tile lie in places of their own, and eight rows of a chunk in
/// different banks.
TEST(SharedTileTest, Swizzle) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  builder.setInsertionPointToEnd(module->getBody());
  KernelBuilder kernel(builder, loc);
  for (int64_t columns = 16; columns <= 256; columns += 16) {
    SharedTile tile = {Value(), 16, columns, builder.getF16Type()};
    std::set<int64_t> places;
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t chunk = 0; chunk < tile.getChunks(); ++chunk) {
        Value offset = tile.emitOffset(kernel, kernel.constant(row),
                                       kernel.constant(chunk));
        int64_t byte = *getConstantIntValue(offset);
        EXPECT_EQ(byte % kChunkBytes, 0);
        EXPECT_LT(byte, tile.getBytes());
        EXPECT_TRUE(places.insert(byte).second);
      }
    for (int64_t chunk = 0; chunk < tile.getChunks(); ++chunk) {
      std::set<int64_t> banks;
      for (int64_t row = 0; row < 8; ++row)
        banks.insert(
            *getConstantIntValue(tile.emitOffset(kernel, kernel.constant(row),
                                                 kernel.constant(chunk))) /
            kChunkBytes % 8);
      EXPECT_EQ(banks.size(), 8u) << columns << " columns, chunk " << chunk;
    }
  }
}
