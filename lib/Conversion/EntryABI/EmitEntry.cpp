//===- EmitEntry.cpp - The C functions hosts call -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Host/FlushDenormals.h"
#include "TensorChecks.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {
#define GEN_PASS_DEF_EMITENTRYPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

/// Emits both C functions of one kernel.
class KernelEntries {
public:
  KernelEntries(ModuleOp module, func::FuncOp kernel, func::FuncOp dims,
                const TargetDescription &target, TensorChecks &checks)
      : module(module), kernel(kernel), dims(dims), target(target),
        checks(checks), name(kernel.getName().str()),
        converter(module.getContext()) {
    numInputs = kernel->getAttrOfType<IntegerAttr>(kEntryAttr).getInt();
  }

  void emit() {
    // The entry takes the kernel's name.
    kernel.setName(getKernelFunctionName(name));
    emitEntry();
    emitShapes();
    kernel->removeAttr(kEntryAttr);
    setInternalLinkage(kernel);
    setNoInline(kernel);
  }

private:
  unsigned getNumTensors() { return kernel.getNumArguments() - 1; }
  MemRefType getType(unsigned i) {
    return cast<MemRefType>(kernel.getArgumentTypes()[i + 1]);
  }

  /// Outputs are, and inputs that are updated in place.
  bool isWritten(unsigned i) {
    return i >= numInputs || kernel.getArgAttr(i + 1, kInOutAttr);
  }
  /// Of a matrix whose panels are an input of their own.
  bool areElementsGone(unsigned i) {
    return kernel.getArgAttrOfType<IntegerAttr>(i + 1, kPackedAttr) != nullptr;
  }
  SmallVector<TensorView> readInputs(EntryBuilder &entry);
  void checkDimClasses(EntryBuilder &entry, ArrayRef<TensorView> inputs);
  void checkDimSizes(EntryBuilder &entry, ArrayRef<TensorView> inputs);
  SmallVector<Value> callDims(EntryBuilder &entry, ArrayRef<TensorView> inputs);
  void checkOutputSizes(EntryBuilder &entry, ArrayRef<TensorView> outputs,
                        ArrayRef<Value> expected);
  Value buildMemRef(EntryBuilder &entry, TensorView &view);
  Value callKernel(EntryBuilder &entry, MutableArrayRef<TensorView> views);
  void checkOverlaps(EntryBuilder &entry, MutableArrayRef<TensorView> views);
  void emitEntry();
  void emitShapes();

  ModuleOp module;
  func::FuncOp kernel;
  func::FuncOp dims;
  const TargetDescription &target;
  TensorChecks &checks;
  std::string name;
  LLVMTypeConverter converter;
  unsigned numInputs;
};

SmallVector<TensorView> KernelEntries::readInputs(EntryBuilder &entry) {
  SmallVector<TensorView> inputs;
  for (unsigned i = 0; i < numInputs; ++i)
    inputs.push_back(checks.readTensor(entry, entry.getPointer(i), getType(i),
                                       ("input " + Twine(i)).str()));
  checkDimSizes(entry, inputs);
  checkDimClasses(entry, inputs);
  return inputs;
}

/// Sizes that are dynamic in the type, but that the body fixes.
void KernelEntries::checkDimSizes(EntryBuilder &entry,
                                  ArrayRef<TensorView> inputs) {
  for (auto [i, view] : llvm::enumerate(inputs)) {
    auto sizes =
        kernel.getArgAttrOfType<DenseI64ArrayAttr>(i + 1, kDimSizesAttr);
    if (!sizes)
      continue;
    for (auto [d, size] : llvm::enumerate(sizes.asArrayRef()))
      if (size >= 0 && view.type.isDynamicDim(d))
        entry.checkEqual(view.sizes[d], entry.constant(size), ATTN_ERROR_SHAPE,
                         view.name + ": dimension " + Twine(d) + " must be " +
                             Twine(size));
  }
}

/// Sizes that the body needs to be equal.
void KernelEntries::checkDimClasses(EntryBuilder &entry,
                                    ArrayRef<TensorView> inputs) {
  llvm::DenseMap<int64_t, std::pair<unsigned, unsigned>> firstOfClass;
  for (auto [i, view] : llvm::enumerate(inputs)) {
    auto classes =
        kernel.getArgAttrOfType<DenseI64ArrayAttr>(i + 1, kDimClassesAttr);
    if (!classes)
      continue;
    for (auto [d, id] : llvm::enumerate(classes.asArrayRef())) {
      auto [found, isNew] = firstOfClass.try_emplace(id, std::make_pair(i, d));
      auto [j, e] = found->second;
      bool isStatic = !view.type.isDynamicDim(d) && !getType(j).isDynamicDim(e);
      if (isNew || isStatic)
        continue;
      entry.checkEqual(view.sizes[d], inputs[j].sizes[e], ATTN_ERROR_SHAPE,
                       view.name + ": dimension " + Twine(d) +
                           " must equal dimension " + Twine(e) + " of input " +
                           Twine(j));
    }
  }
}

SmallVector<Value> KernelEntries::callDims(EntryBuilder &entry,
                                           ArrayRef<TensorView> inputs) {
  OpBuilder &builder = entry.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> arguments{entry.getContext()};
  for (const TensorView &view : inputs)
    for (Value size : view.sizes)
      arguments.push_back(castTo(builder, loc, builder.getIndexType(), size));
  auto call = func::CallOp::create(builder, loc, dims, arguments);
  entry.returnIfFailed(call.getResults().back());
  SmallVector<Value> results;
  for (Value size : call.getResults().drop_back())
    results.push_back(castTo(builder, loc, builder.getI64Type(), size));
  return results;
}

void KernelEntries::checkOutputSizes(EntryBuilder &entry,
                                     ArrayRef<TensorView> outputs,
                                     ArrayRef<Value> expected) {
  unsigned next = 0;
  for (const TensorView &view : outputs)
    for (auto [d, size] : llvm::enumerate(view.sizes)) {
      Value wanted = expected[next++];
      if (!view.type.isDynamicDim(d))
        continue;
      entry.checkEqual(size, wanted, ATTN_ERROR_SHAPE,
                       view.name + ": dimension " + Twine(d) +
                           " is not what the inputs imply (see " +
                           getShapesFunctionName(name) + ")");
    }
}

Value KernelEntries::buildMemRef(EntryBuilder &entry, TensorView &view) {
  OpBuilder &builder = entry.getBuilder();
  Location loc = kernel.getLoc();
  checks.loadPlace(entry, view);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(view.type));
  descriptor.setAllocatedPtr(builder, loc, view.data);
  descriptor.setAlignedPtr(builder, loc, view.data);
  descriptor.setOffset(builder, loc, entry.constant(0));
  for (unsigned i = 0, rank = view.sizes.size(); i < rank; ++i) {
    descriptor.setSize(builder, loc, i, view.sizes[i]);
    descriptor.setStride(builder, loc, i, view.strides[i]);
  }
  return castTo(builder, loc, view.type, descriptor);
}

Value KernelEntries::callKernel(EntryBuilder &entry,
                                MutableArrayRef<TensorView> views) {
  OpBuilder &builder = entry.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> arguments{entry.getContext()};
  for (TensorView &view : views)
    arguments.push_back(buildMemRef(entry, view));
  Value saved = createFlushDenormals(builder, loc, target);
  auto call = func::CallOp::create(builder, loc, kernel, arguments);
  createRestoreDenormals(builder, loc, saved);
  return call.getResult(0);
}

/// What is written shares no memory with another tensor.
void KernelEntries::checkOverlaps(EntryBuilder &entry,
                                  MutableArrayRef<TensorView> views) {
  for (unsigned i = 0; i < views.size(); ++i) {
    if (!isWritten(i))
      continue;
    checks.loadPlace(entry, views[i]);
    entry.checkDistinctElements(views[i]);
    checks.loadRange(entry, views[i]);
    for (unsigned j = 0; j < views.size(); ++j) {
      // A pair of two written tensors is checked once.
      if (j == i || (j > i && isWritten(j)) || areElementsGone(j))
        continue;
      checks.loadRange(entry, views[j]);
      entry.checkDisjoint(views[i], views[j]);
    }
  }
}

void KernelEntries::emitEntry() {
  EntryBuilder entry(module, kernel.getLoc(), name, name, getNumTensors());
  SmallVector<TensorView> views = readInputs(entry);
  for (unsigned i = numInputs; i < getNumTensors(); ++i)
    views.push_back(
        checks.readTensor(entry, entry.getPointer(i), getType(i),
                          ("output " + Twine(i - numInputs)).str()));
  ArrayRef<TensorView> all(views);
  checkOutputSizes(entry, all.drop_front(numInputs),
                   callDims(entry, all.take_front(numInputs)));
  for (const TensorView &view : views)
    checks.readData(entry, view);
  checkOverlaps(entry, views);
  entry.finish(callKernel(entry, views));
}

void KernelEntries::emitShapes() {
  EntryBuilder entry(module, kernel.getLoc(), getShapesFunctionName(name), name,
                     numInputs + 1);
  SmallVector<TensorView> inputs = readInputs(entry);
  Value target = entry.getPointer(numInputs);
  SmallVector<Value> sizes = callDims(entry, inputs);
  OpBuilder &builder = entry.getBuilder();
  Location loc = kernel.getLoc();
  if (!sizes.empty())
    entry.checkNotNull(target, "dims is null");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Value address = LLVM::GEPOp::create(
        builder, loc, target.getType(), builder.getI64Type(), target,
        ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, loc, size, address);
  }
  entry.finish();
}

struct EmitEntryPass : impl::EmitEntryPassBase<EmitEntryPass> {
  using EmitEntryPassBase::EmitEntryPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetDescription target = readTarget(module);
    TensorChecks checks(module, target.gpu ? kDLCUDA : kDLCPU);
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!func->hasAttr(kEntryAttr))
        continue;
      auto dims = module.lookupSymbol<func::FuncOp>(
          getDimsFunctionName(func.getName()));
      if (!dims) {
        func.emitError() << "there is no '@"
                         << getDimsFunctionName(func.getName())
                         << "' beside the kernel";
        return signalPassFailure();
      }
      KernelEntries(module, func, dims, target, checks).emit();
    }
    // What follows is upstream's, and need not know our attributes.
    module->removeAttr(kTargetAttrName);
  }
};

} // namespace
} // namespace attn
