//===- DeviceImages.cpp - Device code in the host's object ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants with the layouts of attn-runtime/attn_gpu.h. All are internal: an
// object may be linked with others that have kernels.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Host/DeviceImages.h"
#include "../Shared/MemRefMemory.h"
#include "DeviceCalls.h"
#include "attn-runtime/attn_gpu.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attn {
namespace {

constexpr StringLiteral kModule = "attn.device_module";

/// Builds constant structs as globals of a module.
class ConstantBuilder {
public:
  explicit ConstantBuilder(ModuleOp module)
      : module(module), builder(module.getContext()), loc(module.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  /// A global of this type, the value of which `fill` makes. Defines the one
  /// that is declared, if there is one.
  void define(StringRef name, Type type,
              function_ref<Value(OpBuilder &)> fill) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global)
      global = declare(name, type);
    global.setGlobalType(type);
    global.setLinkage(LLVM::Linkage::Internal);
    OpBuilder b(builder.getContext());
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, loc, fill(b));
  }
  LLVM::GlobalOp declare(StringRef name, Type type) {
    builder.setInsertionPointToStart(module.getBody());
    return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::External, name, Attribute());
  }
  void defineText(StringRef name, StringRef text) {
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(text), /*alignment=*/16);
  }
  Value address(OpBuilder &b, StringRef name) {
    return LLVM::AddressOfOp::create(b, loc, pointer, name);
  }
  /// An array of these i32.
  Value numbers(OpBuilder &b, ArrayRef<int32_t> values) {
    auto type = LLVM::LLVMArrayType::get(i32, values.size());
    return LLVM::ConstantOp::create(b, loc, type, b.getI32TensorAttr(values));
  }
  Value number(OpBuilder &b, Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }
  /// A struct or an array of these values.
  Value aggregate(OpBuilder &b, Type type, ArrayRef<Value> values) {
    Value result = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      result = LLVM::InsertValueOp::create(b, loc, result, value, i);
    return result;
  }
  Type structOf(ArrayRef<Type> types) {
    return LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  }

  ModuleOp module;
  OpBuilder builder;
  Location loc;
  Type pointer, i32, i64;
};

/// What the context is told of a parameter of this type.
attn_gpu_parameter describeParameter(Type type) {
  if (isa<nvgpu::TensorMapDescriptorType>(type))
    return {kTensorMapBytes, ATTN_GPU_TENSOR_MAP};
  if (isa<LLVM::LLVMPointerType>(type))
    return {sizeof(void *), ATTN_GPU_POINTER};
  return {static_cast<uint32_t>(getElementBytes(type)), ATTN_GPU_NUMBER};
}

/// One attn_gpu_parameter for each of the kernel's.
void defineParameters(ConstantBuilder &c, StringRef name, TypeRange types) {
  static_assert(sizeof(attn_gpu_parameter) == 2 * sizeof(uint32_t));
  Type entry = c.structOf({c.i32, c.i32});
  Type all = LLVM::LLVMArrayType::get(entry, types.size());
  c.define(name, all, [&](OpBuilder &b) {
    SmallVector<Value> entries;
    for (Type type : types) {
      attn_gpu_parameter parameter = describeParameter(type);
      entries.push_back(c.aggregate(b, entry,
                                    {c.number(b, c.i32, parameter.bytes),
                                     c.number(b, c.i32, parameter.kind)}));
    }
    return c.aggregate(b, all, entries);
  });
}

} // namespace

Value getKernelDescription(OpBuilder &builder, ModuleOp module,
                           gpu::LaunchFuncOp launch) {
  ConstantBuilder c(module);
  std::string name = ("attn.kernel." + launch.getKernelName().getValue()).str();
  if (module.lookupSymbol(name))
    return c.address(builder, name);
  if (!module.lookupSymbol(kModule))
    c.declare(kModule, c.structOf({c.i32, c.i32, c.pointer}));
  // Text of C, with its end.
  std::string text = launch.getKernelName().getValue().str();
  c.defineText(name + ".name", StringRef(text.c_str(), text.size() + 1));
  SmallVector<Type> types(launch.getKernelOperands().getTypes());
  defineParameters(c, name + ".parameters", types);
  gpu::KernelDim3 threads = launch.getBlockSizeOperandValues();
  SmallVector<int32_t> block;
  for (Value size : {threads.x, threads.y, threads.z})
    block.push_back(getConstantIntValue(size).value_or(0));
  SmallVector<int32_t> cluster = getCluster(launch);
  Type triple = LLVM::LLVMArrayType::get(c.i32, 3);
  Type type = c.structOf(
      {c.pointer, c.pointer, triple, triple, c.i32, c.i32, c.pointer});
  c.define(name, type, [&](OpBuilder &b) {
    return c.aggregate(b, type,
                       {c.address(b, kModule), c.address(b, name + ".name"),
                        c.numbers(b, block), c.numbers(b, cluster),
                        c.number(b, c.i32, types.size()), c.number(b, c.i32, 0),
                        c.address(b, name + ".parameters")});
  });
  return c.address(builder, name);
}

void embedDeviceImages(ModuleOp module,
                       const std::vector<DeviceImage> &images) {
  if (!module.lookupSymbol(kModule))
    return;
  ConstantBuilder c(module);
  auto getName = [](size_t i) {
    return ("attn.device_image." + Twine(i)).str();
  };
  Type entry = c.structOf({c.i32, c.i32, c.i64, c.pointer});
  Type all = LLVM::LLVMArrayType::get(entry, images.size());
  for (auto [i, image] : llvm::enumerate(images))
    // PTX is text of C, with its end.
    c.defineText(getName(i),
                 StringRef(image.bytes.c_str(), image.bytes.size() + 1));
  constexpr StringLiteral list = "attn.device_images";
  c.define(list, all, [&](OpBuilder &b) {
    SmallVector<Value> entries;
    for (auto [i, image] : llvm::enumerate(images))
      entries.push_back(c.aggregate(
          b, entry,
          {c.number(b, c.i32, image.arch), c.number(b, c.i32, 0),
           c.number(b, c.i64, image.bytes.size()), c.address(b, getName(i))}));
    return c.aggregate(b, all, entries);
  });
  Type type = c.structOf({c.i32, c.i32, c.pointer});
  c.define(kModule, type, [&](OpBuilder &b) {
    return c.aggregate(b, type,
                       {c.number(b, c.i32, ATTN_GPU_ABI_VERSION),
                        c.number(b, c.i32, images.size()), c.address(b, list)});
  });
}

} // namespace attn
