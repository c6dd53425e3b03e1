//===- LaunchToCalls.cpp - Kernels through the context --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/MemRefMemory.h"
#include "DeviceCalls.h"
#include "ErrorText.h"
#include "ParallelRuntime.h"
#include "TensorMapCalls.h"
#include "attn-runtime/attn_gpu.h"
#include "attn/Conversion/Host/DeviceImages.h"
#include "attn/Conversion/Passes.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <array>

namespace attn {
#define GEN_PASS_DEF_LAUNCHTOCALLSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The launches and reads of one function.
class CallEmitter {
public:
  CallEmitter(func::FuncOp func, Value context)
      : func(func), context(context), module(func->getParentOfType<ModuleOp>()),
        builder(func.getContext()),
        pointerType(LLVM::LLVMPointerType::get(func.getContext())) {}

  LogicalResult run();

private:
  void emitTensorMap(nvgpu::TmaCreateDescriptorOp create);
  void emitLaunch(gpu::LaunchFuncOp launch);
  void emitRead(memref::LoadOp load);
  Value computeAddress(memref::LoadOp load);
  /// Memory of the stack, which loops share.
  Value getSlot(Type type, int64_t count);
  void storeAt(Location loc, Value value, Value base, int64_t index);
  /// Calls the context's function at `offset`, and leaves unless it returns 0.
  void call(Location loc, int64_t offset, ArrayRef<Value> arguments);
  Value toI32(Location loc, Value value);

  func::FuncOp func;
  Value context;
  ModuleOp module;
  OpBuilder builder;
  Type pointerType;
  /// Where the 128 bytes of a map are.
  llvm::DenseMap<Value, Value> tensorMaps;
};

/// Memory of the host: a constant that no kernel owns.
bool isHostData(Value memref) {
  return getMemoryRoot(memref).getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

} // namespace

Value CallEmitter::getSlot(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  Location loc = func.getLoc();
  Value number =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), count);
  return LLVM::AllocaOp::create(builder, loc, pointerType, type, number);
}

void CallEmitter::storeAt(Location loc, Value value, Value base,
                          int64_t index) {
  Value address =
      LLVM::GEPOp::create(builder, loc, pointerType, value.getType(), base,
                          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(index)));
  LLVM::StoreOp::create(builder, loc, value, address);
}

void CallEmitter::call(Location loc, int64_t offset,
                       ArrayRef<Value> arguments) {
  Value callee = loadField(builder, loc, pointerType, context, offset);
  SmallVector<Value> operands{callee, context};
  operands.append(arguments.begin(), arguments.end());
  SmallVector<Type> types;
  for (Value value : ArrayRef(operands).drop_front())
    types.push_back(value.getType());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), types);
  Value status = LLVM::CallOp::create(builder, loc, type, operands).getResult();
  createReturnIfFailed(builder, loc, module, status);
}

Value CallEmitter::toI32(Location loc, Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(),
                                        value);
  return value;
}

/// The map is made where it is asked for, and lies on the stack until then.
void CallEmitter::emitTensorMap(nvgpu::TmaCreateDescriptorOp create) {
  Location loc = create.getLoc();
  builder.setInsertionPoint(create);
  Value tensor = getSlot(getTensorDescriptionType(builder.getContext()), 1);
  Value map = getSlot(builder.getI8Type(), kTensorMapBytes);
  emitTensorDescription(builder, create, tensor);
  call(loc, offsetof(attn_gpu_context, tensor_map), {map, tensor});
  tensorMaps[create.getTensorMap()] = map;
}

void CallEmitter::emitLaunch(gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  builder.setInsertionPoint(launch);
  Value grid = getSlot(builder.getI32Type(), 3);
  gpu::KernelDim3 blocks = launch.getGridSizeOperandValues();
  for (auto [i, size] :
       llvm::enumerate(std::array<Value, 3>{blocks.x, blocks.y, blocks.z}))
    storeAt(loc, toI32(loc, size), grid, i);
  OperandRange operands = launch.getKernelOperands();
  Value parameters =
      getSlot(pointerType, std::max<int64_t>(operands.size(), 1));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value value = operand;
    if (Value map = tensorMaps.lookup(value)) {
      storeAt(loc, map, parameters, i);
      continue;
    }
    if (value.getType().isIndex())
      value = arith::IndexCastUIOp::create(builder, loc, builder.getI64Type(),
                                           value);
    Value slot = getSlot(value.getType(), 1);
    LLVM::StoreOp::create(builder, loc, value, slot);
    storeAt(loc, slot, parameters, i);
  }
  Value shared = launch.getDynamicSharedMemorySize();
  if (!shared)
    shared = arith::ConstantIntOp::create(builder, loc, 0, 32);
  recordLaunch(launch);
  Value kernel = getKernelDescription(builder, module, launch);
  call(loc, offsetof(attn_gpu_context, launch),
       {kernel, grid, toI32(loc, shared), parameters});
  launch.erase();
}

Value CallEmitter::computeAddress(memref::LoadOp load) {
  Location loc = load.getLoc();
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                              load.getMemref());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, load.getMemref());
  Value element = metadata.getOffset();
  for (auto [index, stride] :
       llvm::zip_equal(load.getIndices(), metadata.getStrides())) {
    Value step = builder.createOrFold<arith::MulIOp>(loc, index, stride);
    element = builder.createOrFold<arith::AddIOp>(loc, element, step);
  }
  Value size = arith::ConstantIndexOp::create(builder, loc,
                                              getElementBytes(load.getType()));
  Value shift = builder.createOrFold<arith::MulIOp>(loc, element, size);
  Value address = builder.createOrFold<arith::AddIOp>(loc, base, shift);
  Value number =
      arith::IndexCastUIOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(builder, loc, pointerType, number);
}

void CallEmitter::emitRead(memref::LoadOp load) {
  Location loc = load.getLoc();
  builder.setInsertionPoint(load);
  std::string what;
  llvm::raw_string_ostream(what) << "an element of type " << load.getType();
  Remark(RemarkId::HostWaits, {{"what", what}}).emit(loc);
  Type type = load.getType();
  bool isIndex = type.isIndex();
  if (isIndex)
    type = builder.getI64Type();
  Value slot = getSlot(type, 1);
  Value size = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        getElementBytes(type));
  call(loc, offsetof(attn_gpu_context, read),
       {slot, computeAddress(load), size});
  Value value = LLVM::LoadOp::create(builder, loc, type, slot);
  if (isIndex)
    value = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                         value);
  load.replaceAllUsesWith(value);
  load.erase();
}

LogicalResult CallEmitter::run() {
  SmallVector<gpu::LaunchFuncOp> launches;
  SmallVector<memref::LoadOp> loads;
  SmallVector<nvgpu::TmaCreateDescriptorOp> maps;
  func.walk([&](nvgpu::TmaCreateDescriptorOp op) { maps.push_back(op); });
  func.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  func.walk([&](memref::LoadOp op) {
    if (!isHostData(op.getMemref()))
      loads.push_back(op);
  });
  for (nvgpu::TmaCreateDescriptorOp op : maps)
    emitTensorMap(op);
  for (gpu::LaunchFuncOp op : launches)
    emitLaunch(op);
  for (nvgpu::TmaCreateDescriptorOp op : maps)
    eraseTensorMap(op);
  for (memref::LoadOp op : loads)
    emitRead(op);
  return success();
}

namespace {

bool usesDevice(func::FuncOp func) {
  return func
      .walk([](Operation *op) {
        return isa<gpu::LaunchFuncOp, memref::LoadOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct LaunchToCallsPass : impl::LaunchToCallsPassBase<LaunchToCallsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!usesDevice(func))
        continue;
      FailureOr<Value> context = getContextArgument(func);
      if (failed(context) || failed(CallEmitter(func, *context).run()))
        return signalPassFailure();
    }
    // Nobody launches its kernels by name any more.
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};

} // namespace
} // namespace attn
