//===- UnitInnerStrides.cpp - Any strides outside, rows inside ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Host/ParallelRuntime.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {
#define GEN_PASS_DEF_UNITINNERSTRIDESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// True for memrefs whose innermost dimension is contiguous by type.
bool hasUnitInnerStride(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getRank() == 0)
    return false;
  auto [strides, offset] = memref.getStridesAndOffset();
  return strides.back() == 1;
}

MemRefType getAnyStridesType(MemRefType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides));
}

/// One argument on its way to the kernel.
struct Adapted {
  Value given;
  Value isUnit;
  Value unit;
};

/// Whether the strides are those that the type states. That of a dimension with
/// one element means nothing.
Value createStrideCheck(OpBuilder &builder, Location loc, MemRefType type,
                        ValueRange strides) {
  Value fits = arith::ConstantIntOp::create(builder, loc, 1, 1);
  SmallVector<int64_t> stated = type.getStridesAndOffset().first;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    bool isLast = dim + 1 == strides.size();
    if (ShapedType::isDynamic(stated[dim]) ||
        (type.getDimSize(dim) == 1 && !isLast))
      continue;
    Value wanted = arith::ConstantIndexOp::create(builder, loc, stated[dim]);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        stride, wanted);
    fits = arith::AndIOp::create(builder, loc, fits, equal);
  }
  return fits;
}

Value createCopy(OpBuilder &builder, Location loc, MemRefType type, Value given,
                 bool isInput) {
  auto compact = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(builder, loc, given, d));
  Value copy = memref::AllocOp::create(builder, loc, compact, sizes);
  if (isInput)
    memref::CopyOp::create(builder, loc, given, copy);
  return memref::CastOp::create(builder, loc, type, copy);
}

/// The argument itself where its strides are as the kernel has them, or nobody
/// reads it, else scratch.
Adapted adaptArgument(OpBuilder &builder, Location loc, MemRefType type,
                      Value given, bool isInput, bool isUsed) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, given);
  Value isUnit = createStrideCheck(builder, loc, type, metadata.getStrides());
  if (!isUsed)
    isUnit = arith::ConstantIntOp::create(builder, loc, 1, 1);
  auto ifOp = scf::IfOp::create(
      builder, loc, isUnit,
      [&](OpBuilder &nested, Location) {
        SmallVector<OpFoldResult> strides =
            metadata.getConstifiedMixedStrides();
        SmallVector<int64_t> stated = type.getStridesAndOffset().first;
        for (auto [stride, known] : llvm::zip_equal(strides, stated))
          if (!ShapedType::isDynamic(known))
            stride = nested.getIndexAttr(known);
        Value unit = memref::ReinterpretCastOp::create(
            nested, loc, type, metadata.getBaseBuffer(),
            metadata.getConstifiedMixedOffset(),
            metadata.getConstifiedMixedSizes(), strides);
        scf::YieldOp::create(nested, loc, unit);
      },
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc,
                             createCopy(nested, loc, type, given, isInput));
      });
  return {given, isUnit, ifOp.getResult(0)};
}

/// Whether an argument's rows may have to be copied. What is updated in place
/// may not: the entry refuses it instead.
bool isAdapted(func::FuncOp kernel, unsigned i) {
  return hasUnitInnerStride(kernel.getArgumentTypes()[i]) &&
         !kernel.getArgAttr(i, kInOutAttr);
}

/// Builds the function of any strides before `kernel` and takes over its name.
void wrapKernel(func::FuncOp kernel) {
  Location loc = kernel.getLoc();
  auto module = kernel->getParentOfType<ModuleOp>();
  OpBuilder builder(kernel);
  std::string name = kernel.getName().str();
  auto entryAttr = kernel->getAttrOfType<IntegerAttr>(kEntryAttr);
  SmallVector<Type> types(kernel.getArgumentTypes());
  SmallVector<bool> adapts;
  for (auto [i, type] : llvm::enumerate(types)) {
    adapts.push_back(isAdapted(kernel, i));
    if (adapts.back())
      type = getAnyStridesType(cast<MemRefType>(type));
  }
  kernel.setName(getUnitFunctionName(name));
  auto wrapper = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType(types, kernel.getResultTypes()));
  wrapper->setAttr(kEntryAttr, entryAttr);
  wrapper.setArgAttrsAttr(kernel.getArgAttrsAttr());
  kernel->removeAttr(kEntryAttr);
  kernel.setArgAttrsAttr(nullptr);
  setInternalLinkage(kernel);

  builder.setInsertionPointToStart(wrapper.addEntryBlock());
  SmallVector<Value> arguments;
  SmallVector<Adapted> outputs;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    arguments.push_back(wrapper.getArgument(i));
    if (!adapts[i])
      continue;
    bool isInput = static_cast<int64_t>(i) <= entryAttr.getInt();
    Adapted adapted =
        adaptArgument(builder, loc, cast<MemRefType>(type), arguments.back(),
                      isInput, !kernel.getArgument(i).use_empty());
    arguments.back() = adapted.unit;
    if (!isInput)
      outputs.push_back(adapted);
  }
  auto call = func::CallOp::create(builder, loc, kernel, arguments);
  createReturnIfFailed(builder, loc, module, call.getResult(0));
  for (Adapted &output : outputs)
    scf::IfOp::create(
        builder, loc, output.isUnit,
        [&](OpBuilder &nested, Location) { scf::YieldOp::create(nested, loc); },
        [&](OpBuilder &nested, Location) {
          memref::CopyOp::create(nested, loc, output.unit, output.given);
          scf::YieldOp::create(nested, loc);
        });
  func::ReturnOp::create(builder, loc, call.getResult(0));
}

struct UnitInnerStridesPass
    : impl::UnitInnerStridesPassBase<UnitInnerStridesPass> {
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (func->hasAttr(kEntryAttr) &&
          llvm::any_of(func.getArgumentTypes(), hasUnitInnerStride))
        wrapKernel(func);
  }
};

} // namespace
} // namespace attn
