//===- GroupContractionTests.cpp - Products of four warps, simulated ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is a kernel of one product: its operands go into panels of shared
// memory, the tensor cores of the simulator multiply them, and sums are
// compared by FragmentLayout with those of the host. Numbers are small, so that
// sums are exact.
//
//===----------------------------------------------------------------------===//

#include "Conversion/GPU/Fragment/GroupContraction.h"
#include "Conversion/GPU/Fragment/TileCopy.h"
#include "attn-ptxsim/PTXSim.h"
#include "attn/InitAll.h"
#include "attn/Target/NVPTX/CodeGen.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kRows = 64, kThreads = 128, kStep = 16;

struct Case {
  int64_t columns, depth;
  bool isF16, lhsInRegisters, lhsTransposed, rhsTransposed;
  /// Rows of A before those that are multiplied.
  int64_t firstRow;
  /// Whether sums begin at other numbers than 0.
  bool adds;
};

double getA(int64_t row, int64_t term) { return (row * 5 + term * 3) % 13 - 6; }
double getB(int64_t term, int64_t column) {
  return (term * 7 + column * 11 + term * column) % 9 - 4;
}
/// What sums begin at.
double getC(int64_t thread, int64_t row) { return thread % 5 + 8 * row; }

class GroupTest : public testing::TestWithParam<Case> {
protected:
  static void SetUpTestSuite() { registerPasses(); }
  GroupTest() {
    DialectRegistry registry;
    registerDialects(registry);
    registerDeviceTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<arith::ArithDialect, gpu::GPUDialect, NVVM::NVVMDialect,
                        LLVM::LLVMDialect, vector::VectorDialect>();
    context.loadAllAvailableDialects();
  }

  Type getType() {
    return GetParam().isF16 ? Type(Float16Type::get(&context))
                            : BFloat16Type::get(&context);
  }
  uint16_t encode(double value) {
    llvm::APFloat number(value);
    bool loses;
    number.convert(cast<FloatType>(getType()).getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.bitcastToAPInt().getZExtValue();
  }
  /// A matrix as it lies in memory: `get` of row and column there.
  std::vector<uint16_t> lay(int64_t rows, int64_t columns,
                            llvm::function_ref<double(int64_t, int64_t)> get) {
    std::vector<uint16_t> numbers;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        numbers.push_back(encode(get(row, column)));
    return numbers;
  }
  std::vector<uint16_t> layLhs();
  std::vector<uint16_t> layRhs();

  PanelTile copy(KernelBuilder &kernel, Value thread, Value memory,
                 int64_t offset, int64_t rows, int64_t columns);
  void emitBody(KernelBuilder &kernel, ValueRange arguments);
  std::string compile();
  std::vector<float> run(std::vector<uint16_t> &a, std::vector<uint16_t> &b);

  MLIRContext context;
};

} // namespace

std::vector<uint16_t> GroupTest::layLhs() {
  const Case &c = GetParam();
  if (c.lhsInRegisters) {
    std::vector<uint16_t> numbers;
    FragmentLayout layout = *FragmentLayout::get(
        FragmentRole::Lhs, {kRows, c.columns, kStep}, getType());
    for (int64_t thread = 0; thread < kThreads; ++thread)
      for (int64_t step = 0; step < c.depth / kStep; ++step)
        for (int64_t i = 0; i < layout.getNumElements(); ++i) {
          FragmentLayout::Place place = layout.getPlace(thread, i);
          numbers.push_back(
              encode(getA(place.row, step * kStep + place.column)));
        }
    return numbers;
  }
  int64_t all = c.firstRow + kRows;
  auto get = [&](int64_t row, int64_t term) {
    return getA(row - c.firstRow, term);
  };
  if (c.lhsTransposed)
    return lay(c.depth, all,
               [&](int64_t term, int64_t row) { return get(row, term); });
  return lay(all, c.depth, get);
}

std::vector<uint16_t> GroupTest::layRhs() {
  const Case &c = GetParam();
  if (c.rhsTransposed)
    return lay(c.depth, c.columns, getB);
  return lay(c.columns, c.depth,
             [&](int64_t column, int64_t term) { return getB(term, column); });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Copies a matrix into panels at `offset` of shared memory.
PanelTile GroupTest::copy(KernelBuilder &kernel, Value thread, Value memory,
                          int64_t offset, int64_t rows, int64_t columns) {
  PanelTile tile = {kernel.offset(kernel.getDynamicShared(), offset), rows,
                    columns, getType()};
  for (int64_t panel = 0; panel < tile.getPanels(); ++panel) {
    int64_t first = panel * tile.getPanelColumns();
    GlobalRows source;
    source.base = kernel.offset(memory, 2 * first);
    source.rowStride = kernel.constant64(2 * columns);
    source.columnStride = kernel.constant64(2);
    source.columns = std::min(columns - first, tile.getPanelColumns());
    source.element = getType();
    TileCopy copy(source, tile.getPanel(kernel, panel), thread, kThreads,
                  /*aligned=*/true);
    copy.emit(kernel, kernel.constant(0), {}, /*bounded=*/false);
  }
  emitCopyCommit(kernel);
  return tile;
}

void GroupTest::emitBody(KernelBuilder &kernel, ValueRange arguments) {
  const Case &c = GetParam();
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value thread = kernel.toI32(
      gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x).getResult());
  PanelTile rhs = copy(kernel, thread, arguments[1], 0,
                       c.rhsTransposed ? c.depth : c.columns,
                       c.rhsTransposed ? c.columns : c.depth);
  GroupContraction contraction(getType(), c.columns);
  SmallVector<Value> sums;
  if (c.adds)
    for (int64_t row = 0; row < 2; ++row) {
      Value number =
          kernel.add(kernel.rem(thread, 5), kernel.constant(8 * row));
      number = arith::SIToFPOp::create(b, loc, b.getF32Type(), number);
      sums.push_back(vector::BroadcastOp::create(
          b, loc, VectorType::get({c.columns / 4}, b.getF32Type()), number));
    }
  SmallVector<SmallVector<Value>> registers;
  std::optional<PanelOperand> lhs;
  int64_t steps = c.depth / kStep;
  if (c.lhsInRegisters) {
    for (int64_t step = 0; step < steps; ++step) {
      registers.emplace_back();
      for (int64_t i = 0; i < 4; ++i) {
        Value at = kernel.add(kernel.mul(thread, kernel.constant(steps * 16)),
                              kernel.constant(step * 16 + i * 4));
        registers.back().push_back(
            kernel.load(kernel.getI32(), kernel.offset(arguments[0], at), 4));
      }
    }
  } else {
    int64_t all = c.firstRow + kRows;
    PanelTile tile =
        copy(kernel, thread, arguments[0], rhs.getBytes(),
             c.lhsTransposed ? c.depth : all, c.lhsTransposed ? all : c.depth);
    lhs.emplace(kernel, tile, c.lhsTransposed,
                c.firstRow ? kernel.constant(c.firstRow) : Value());
  }
  emitCopyWait(kernel, 0);
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(&context, NVVM::SharedSpace::shared_cta));
  kernel.barrier();
  PanelOperand rhsOperand(kernel, rhs, c.rhsTransposed);
  sums = emitGroupFence(kernel, sums, registers);
  sums = lhs ? contraction.emit(kernel, *lhs, rhsOperand, steps, sums)
             : contraction.emit(kernel, registers, rhsOperand, sums);
  emitGroupCommit(kernel);
  sums = emitGroupWait(kernel, sums, 0, registers);
  Value at = kernel.mul(thread, kernel.constant(c.columns / 2 * 4));
  for (auto [row, sum] : llvm::enumerate(sums))
    for (auto [i, element] : llvm::enumerate(kernel.unpack(sum)))
      kernel.store(element,
                   kernel.offset(kernel.offset(arguments[2], at),
                                 int64_t(row * c.columns / 4 + i) * 4),
                   4);
}

std::string GroupTest::compile() {
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(b, loc));
  b.setInsertionPointToEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(b, loc, "kernels");
  b.setInsertionPointToEnd(kernels.getBody());
  Type pointer = LLVM::LLVMPointerType::get(&context, 1);
  auto function = gpu::GPUFuncOp::create(
      b, loc, "multiply",
      b.getFunctionType({pointer, pointer, pointer}, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToEnd(&function.getBody().front());
  KernelBuilder kernel(b, loc);
  emitBody(kernel, function.getBody().getArguments());
  gpu::ReturnOp::create(b, loc);
  PassManager manager(&context);
  EXPECT_TRUE(succeeded(parsePassPipeline(
      "gpu.module(expand-strided-metadata,convert-scf-to-cf,"
      "convert-vector-to-llvm,attn-device-to-llvm,reconcile-unrealized-casts,"
      "canonicalize)",
      manager)));
  EXPECT_TRUE(succeeded(manager.run(*module)));
  auto ptx = generatePTX(kernels, *findGPU("sm_90a"));
  EXPECT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  return *ptx;
}

std::vector<float> GroupTest::run(std::vector<uint16_t> &a,
                                  std::vector<uint16_t> &b) {
  std::string text = compile();
  auto module = ptx::Module::parse(text);
  EXPECT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::vector<float> d(kRows * GetParam().columns);
  ptx::Launch launch;
  launch.grid.x = 1;
  launch.block.x = kThreads;
  launch.dynamicShared = findGPU("sm_90a")->sharedBytesBlock;
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
  for (ptx::Schedule schedule :
       {ptx::Schedule::earliest(), ptx::Schedule::latest()}) {
    ptx::Options options;
    options.schedule = schedule;
    options.strict = true;
    auto report = ptx::run(*module, launch, options);
    EXPECT_TRUE(bool(report)) << llvm::toString(report.takeError());
    EXPECT_TRUE(report->clean()) << report->findings.front().message;
  }
  return d;
}

TEST_P(GroupTest, Product) {
  const Case &c = GetParam();
  std::vector<uint16_t> a = layLhs(), b = layRhs();
  std::vector<float> d = run(a, b);
  FragmentLayout layout = *FragmentLayout::get(
      FragmentRole::Accumulator, {kRows, c.columns, kStep}, getType());
  ASSERT_EQ(layout.getNumLanes(), kThreads);
  int64_t perRow = layout.getColumnsPerRow();
  for (int64_t thread = 0; thread < kThreads; ++thread)
    for (int64_t row = 0; row < layout.getRowsPerThread(); ++row)
      for (int64_t i = 0; i < c.columns / 4; ++i) {
        FragmentLayout::Place place =
            layout.getPlace(thread, layout.getElementsOfRow(row)[i % perRow]);
        int64_t column = place.column + i / perRow * layout.getNumColumns();
        double sum = c.adds ? getC(thread, row) : 0;
        for (int64_t term = 0; term < c.depth; ++term)
          sum += getA(place.row, term) * getB(term, column);
        ASSERT_EQ(d[(thread * 2 + row) * (c.columns / 4) + i], sum)
            << "row " << place.row << ", column " << column;
      }
}

/// Every number of columns that kernels use, each with all ways in which
/// operands lie.
static std::vector<Case> listCases() {
  std::vector<Case> cases;
  for (int64_t columns : {16, 32, 64, 80, 96, 112, 128, 176, 192, 256}) {
    bool isF16 = columns % 64 == 0;
    for (bool rhsTransposed : {false, true}) {
      // Keys are a multiple of 16 terms, heads end within a panel.
      int64_t depth = rhsTransposed ? 48 : 96;
      cases.push_back(
          {columns, depth, isF16, false, false, rhsTransposed, 64, false});
      cases.push_back(
          {columns, depth, !isF16, true, false, rhsTransposed, 0, true});
    }
    cases.push_back({columns, 32, isF16, false, true, true, 0, true});
  }
  return cases;
}

static std::string nameCase(const testing::TestParamInfo<Case> &info) {
  const Case &c = info.param;
  return "n" + std::to_string(c.columns) + (c.isF16 ? "_f16" : "_bf16") +
         (c.lhsInRegisters ? "_registers" : "") +
         (c.lhsTransposed ? "_at" : "") + (c.rhsTransposed ? "_bt" : "");
}

INSTANTIATE_TEST_SUITE_P(Cases, GroupTest, testing::ValuesIn(listCases()),
                         nameCase);
