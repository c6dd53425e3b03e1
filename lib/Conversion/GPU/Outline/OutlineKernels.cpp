//===- OutlineKernels.cpp - Launches become kernels of one module ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineKernels.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

namespace attn {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

constexpr StringLiteral kModuleName = "attn_kernels";

/// What a kernel has of its launch: how many blocks a multiprocessor holds,
/// from which the registers of a thread follow, and how many make a cluster.
SmallVector<NamedAttribute> getLaunchAttrs(Operation *op) {
  SmallVector<NamedAttribute> attrs;
  for (StringRef name : {NVVM::NVVMDialect::getMinctasmAttrName(),
                         NVVM::NVVMDialect::getClusterDimAttrName()})
    if (Attribute attr = op->getDiscardableAttr(name))
      attrs.emplace_back(StringAttr::get(op->getContext(), name), attr);
  return attrs;
}

/// PTX has no other characters in names.
std::string makeKernelName(StringRef function, unsigned number) {
  function.consume_back("__kernel");
  std::string name;
  for (char c : function)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  return name + "__kernel" + std::to_string(number);
}

/// The launches of a module, and the GPU module they end in.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  LogicalResult run();

private:
  void createModule();
  LogicalResult outline(gpu::LaunchOp launch);
  FailureOr<DenseI32ArrayAttr> getBlock(gpu::LaunchOp launch);
  gpu::GPUFuncOp createKernel(gpu::LaunchOp launch, ArrayRef<Value> captured);
  void moveBody(gpu::LaunchOp launch, gpu::GPUFuncOp kernel,
                ArrayRef<Value> captured);
  void replaceIndices(gpu::LaunchOp launch, OpBuilder &b, IRMapping &map);
  /// One that has the same body, or `kernel`.
  gpu::GPUFuncOp findSame(gpu::GPUFuncOp kernel);
  void copyGlobals(gpu::GPUFuncOp kernel);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  gpu::GPUModuleOp kernels;
  std::unique_ptr<SymbolTable> kernelSymbols;
  llvm::StringMap<unsigned> numbers;
};

} // namespace

void Outliner::createModule() {
  kernels = module.lookupSymbol<gpu::GPUModuleOp>(kModuleName);
  if (!kernels) {
    builder.setInsertionPointToStart(module.getBody());
    kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), kModuleName);
  }
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  kernelSymbols = std::make_unique<SymbolTable>(kernels);
}

/// The schedule of a kernel is one of compile time.
FailureOr<DenseI32ArrayAttr> Outliner::getBlock(gpu::LaunchOp launch) {
  SmallVector<int32_t> block;
  gpu::KernelDim3 sizes = launch.getBlockSizeOperandValues();
  for (Value size : {sizes.x, sizes.y, sizes.z}) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return launch.emitError("the threads of a block must be constants");
    block.push_back(static_cast<int32_t>(*known));
  }
  return builder.getDenseI32ArrayAttr(block);
}

gpu::GPUFuncOp Outliner::createKernel(gpu::LaunchOp launch,
                                      ArrayRef<Value> captured) {
  auto func = launch->getParentOfType<FunctionOpInterface>();
  SmallVector<Type> types;
  for (Value value : captured)
    appendKernelTypes(value.getType(), types);
  builder.setInsertionPointToEnd(kernels.getBody());
  auto kernel = gpu::GPUFuncOp::create(
      builder, launch.getLoc(),
      makeKernelName(func.getName(), numbers[func.getName()]++),
      builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  for (NamedAttribute attr : getLaunchAttrs(launch))
    kernel->setDiscardableAttr(attr.getName(), attr.getValue());
  return kernel;
}

void Outliner::replaceIndices(gpu::LaunchOp launch, OpBuilder &b,
                              IRMapping &map) {
  Location loc = launch.getLoc();
  auto create = [&](auto kind, gpu::KernelDim3 values) {
    using Op = decltype(kind);
    map.map(values.x, Op::create(b, loc, gpu::Dimension::x).getResult());
    map.map(values.y, Op::create(b, loc, gpu::Dimension::y).getResult());
    map.map(values.z, Op::create(b, loc, gpu::Dimension::z).getResult());
  };
  create(gpu::BlockIdOp(), launch.getBlockIds());
  create(gpu::ThreadIdOp(), launch.getThreadIds());
  create(gpu::GridDimOp(), launch.getGridSize());
  create(gpu::BlockDimOp(), launch.getBlockSize());
}

void Outliner::moveBody(gpu::LaunchOp launch, gpu::GPUFuncOp kernel,
                        ArrayRef<Value> captured) {
  Block *entry = &kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(entry);
  IRMapping map;
  ValueRange arguments = entry->getArguments();
  for (Value value : captured)
    map.map(value,
            rebuildValue(b, launch.getLoc(), value.getType(), arguments));
  replaceIndices(launch, b, map);
  for (Operation &op : launch.getBody().front().without_terminator())
    b.clone(op, map);
  gpu::ReturnOp::create(b, launch.getLoc());
}

gpu::GPUFuncOp Outliner::findSame(gpu::GPUFuncOp kernel) {
  for (auto other : kernels.getOps<gpu::GPUFuncOp>()) {
    if (other == kernel)
      break;
    if (other.getFunctionType() == kernel.getFunctionType() &&
        other.getKnownBlockSizeAttr() == kernel.getKnownBlockSizeAttr() &&
        getLaunchAttrs(other) == getLaunchAttrs(kernel) &&
        OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &kernel.getBody(),
            OperationEquivalence::IgnoreLocations))
      return other;
  }
  return kernel;
}

/// Constant tensors are the GPU module's own.
void Outliner::copyGlobals(gpu::GPUFuncOp kernel) {
  kernel.walk([&](memref::GetGlobalOp get) {
    if (kernelSymbols->lookup(get.getName()))
      return;
    auto global = symbols.lookup<memref::GlobalOp>(get.getName());
    kernelSymbols->insert(global->clone(), kernels.getBody()->begin());
  });
}

LogicalResult Outliner::outline(gpu::LaunchOp launch) {
  auto block = getBlock(launch);
  if (failed(block))
    return failure();
  if (!launch.getBody().hasOneBlock())
    return launch.emitError("a kernel's body must be one block here");
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  gpu::GPUFuncOp kernel = createKernel(launch, captured.getArrayRef());
  kernel.setKnownBlockSizeAttr(*block);
  moveBody(launch, kernel, captured.getArrayRef());
  gpu::GPUFuncOp same = findSame(kernel);
  if (same == kernel) {
    copyGlobals(kernel);
  } else {
    kernel.erase();
    kernel = same;
  }
  builder.setInsertionPoint(launch);
  SmallVector<Value> arguments;
  for (Value value : captured)
    appendKernelArguments(builder, launch.getLoc(), value, arguments);
  gpu::LaunchFuncOp::create(builder, launch.getLoc(), kernel,
                            launch.getGridSizeOperandValues(),
                            launch.getBlockSizeOperandValues(),
                            launch.getDynamicSharedMemorySize(), arguments);
  launch.erase();
  return success();
}

LogicalResult Outliner::run() {
  SmallVector<gpu::LaunchOp> launches;
  module.walk([&](gpu::LaunchOp op) { launches.push_back(op); });
  if (launches.empty())
    return success();
  createModule();
  // What a kernel writes is seen while its body is there.
  for (gpu::LaunchOp launch : launches)
    sinkIntoLaunch(launch);
  for (gpu::LaunchOp launch : launches)
    if (failed(outline(launch)))
      return failure();
  return success();
}

namespace {

struct OutlineKernelsPass : impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    if (failed(Outliner(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
