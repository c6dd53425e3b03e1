//===- TensorChecks.cpp - Arguments of one type, one function -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorChecks.h"

using namespace mlir;

namespace attn {
namespace {

/// Where a function leaves what it reads: sizes, strides, the address of the
/// data, the first and the last address.
enum Field : int64_t { kData, kLow, kHigh, kNumPlaces };

int64_t getStrideField(MemRefType type, int64_t dim) {
  return type.getRank() + dim;
}
int64_t getField(MemRefType type, Field field) {
  return 2 * type.getRank() + field;
}

void store(EntryBuilder &entry, Value value, Value fields, int64_t field) {
  OpBuilder &builder = entry.getBuilder();
  Location loc = entry.getFunction().getLoc();
  Value address = LLVM::GEPOp::create(
      builder, loc, fields.getType(), builder.getI64Type(), fields,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(field)));
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value load(EntryBuilder &entry, Type type, Value fields, int64_t field) {
  return entry.load(type, fields, field * sizeof(int64_t));
}

/// Static ones are checked.
void loadSizes(EntryBuilder &entry, TensorView &view) {
  Type i64 = entry.getBuilder().getI64Type();
  for (auto [i, size] : llvm::enumerate(view.type.getShape()))
    view.sizes.push_back(ShapedType::isDynamic(size)
                             ? load(entry, i64, view.fields, i)
                             : entry.constant(size));
}

} // namespace

LLVM::LLVMFuncOp TensorChecks::getSizesFunction(Location loc, MemRefType type) {
  LLVM::LLVMFuncOp &function = sizesFunctions[type];
  if (function)
    return function;
  EntryBuilder entry(
      module, loc,
      ("attn.check_sizes" + Twine(sizesFunctions.size() - 1)).str());
  function = entry.getFunction();
  TensorView view = entry.readTensor(entry.getPointer(0), type, "");
  for (auto [i, size] : llvm::enumerate(view.sizes))
    if (type.isDynamicDim(i))
      store(entry, size, entry.getPointer(2), i);
  entry.finish();
  return function;
}

LLVM::LLVMFuncOp TensorChecks::getDataFunction(Location loc, MemRefType type) {
  LLVM::LLVMFuncOp &function = dataFunctions[type];
  if (function)
    return function;
  EntryBuilder entry(
      module, loc, ("attn.check_data" + Twine(dataFunctions.size() - 1)).str());
  function = entry.getFunction();
  TensorView view{entry.getPointer(0), type, ""};
  view.fields = entry.getPointer(2);
  loadSizes(entry, view);
  entry.readData(view, memory);
  for (auto [i, stride] : llvm::enumerate(view.strides))
    store(entry, stride, view.fields, getStrideField(type, i));
  store(entry, view.data, view.fields, getField(type, kData));
  store(entry, view.low, view.fields, getField(type, kLow));
  store(entry, view.high, view.fields, getField(type, kHigh));
  entry.finish();
  return function;
}

void TensorChecks::call(EntryBuilder &entry, LLVM::LLVMFuncOp function,
                        const TensorView &view) {
  Value name = entry.createName(view.name);
  entry.returnIfFailed(
      LLVM::CallOp::create(
          entry.getBuilder(), function.getLoc(), function,
          ValueRange{entry.getContext(), view.tensor, name, view.fields})
          .getResult());
}

TensorView TensorChecks::readTensor(EntryBuilder &entry, Value tensor,
                                    MemRefType type, std::string name) {
  TensorView view{tensor, type, std::move(name)};
  view.fields = entry.createFields(getField(type, kNumPlaces));
  call(entry, getSizesFunction(entry.getFunction().getLoc(), type), view);
  loadSizes(entry, view);
  return view;
}

void TensorChecks::readData(EntryBuilder &entry, const TensorView &view) {
  call(entry, getDataFunction(entry.getFunction().getLoc(), view.type), view);
}

void TensorChecks::loadPlace(EntryBuilder &entry, TensorView &view) {
  Type i64 = entry.getBuilder().getI64Type();
  SmallVector<int64_t> known = view.type.getStridesAndOffset().first;
  for (auto [i, stride] : llvm::enumerate(known))
    view.strides.push_back(
        ShapedType::isDynamic(stride)
            ? load(entry, i64, view.fields, getStrideField(view.type, i))
            : entry.constant(stride));
  view.data = load(entry, view.fields.getType(), view.fields,
                   getField(view.type, kData));
}

void TensorChecks::loadRange(EntryBuilder &entry, TensorView &view) {
  Type i64 = entry.getBuilder().getI64Type();
  view.low = load(entry, i64, view.fields, getField(view.type, kLow));
  view.high = load(entry, i64, view.fields, getField(view.type, kHigh));
}

} // namespace attn
