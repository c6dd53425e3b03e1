//===- EntryBuilder.cpp - Checks and views of a C entry's arguments -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "../Host/ErrorText.h"
#include "attn/Conversion/Checks/Checks.h"
#include "attn/Support/Sizes.h"

using namespace mlir;
using LLVM::ICmpPredicate;

namespace attn {

/// kDLBool, which DLPack has named since 0.8 only.
constexpr int kBoolCode = 6;

EntryBuilder::EntryBuilder(ModuleOp module, Location loc, StringRef symbol,
                           StringRef kernelName, unsigned numPointers)
    : module(module), loc(loc), prefix((kernelName + ": ").str()),
      builder(module.getContext()),
      pointerType(LLVM::LLVMPointerType::get(module.getContext())) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> arguments(numPointers + 1, pointerType);
  Type i32 = builder.getI32Type();
  function = LLVM::LLVMFuncOp::create(
      builder, loc, symbol, LLVM::LLVMFunctionType::get(i32, arguments));
  Block *entry = function.addEntryBlock(builder);
  createFailures(/*name=*/Value());

  // Without a context there is no place for a text.
  Block *noContext = builder.createBlock(&function.getBody());
  LLVM::ReturnOp::create(builder, loc, constant(i32, ATTN_ERROR_NULL_CONTEXT));
  Block *next = builder.createBlock(&function.getBody());
  builder.setInsertionPointToStart(entry);
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  LLVM::CondBrOp::create(builder, loc, compareEqual(getContext(), null),
                         noContext, next);
  builder.setInsertionPointToStart(next);
  Value version = load(i32, getContext(), offsetof(attn_context, abi_version));
  check(compareEqual(version, constant(i32, ATTN_ABI_VERSION)),
        ATTN_ERROR_ABI_VERSION,
        "the context's abi_version must be " + Twine(ATTN_ABI_VERSION));
}

EntryBuilder::EntryBuilder(ModuleOp module, Location loc, StringRef symbol)
    : module(module), loc(loc), builder(module.getContext()),
      pointerType(LLVM::LLVMPointerType::get(module.getContext())) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> arguments(4, pointerType);
  function = LLVM::LLVMFuncOp::create(
      builder, loc, symbol,
      LLVM::LLVMFunctionType::get(builder.getI32Type(), arguments),
      LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(builder);
  createFailures(entry->getArgument(2));
  builder.setInsertionPointToStart(entry);
}

void EntryBuilder::createFailures(Value name) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto writeName = [&] {
    return name ? createReportError(builder, loc, module, getContext(), name)
                : Value();
  };
  failure = builder.createBlock(&function.getBody(), {}, {pointerType, i32},
                                {loc, loc});
  Value start = writeName();
  createReportError(builder, loc, module, getContext(), failure->getArgument(0),
                    start);
  LLVM::ReturnOp::create(builder, loc, failure->getArgument(1));
  failureOfNumbers =
      builder.createBlock(&function.getBody(), {}, {pointerType, i32, i64, i64},
                          {loc, loc, loc, loc});
  start = writeName();
  createReportErrorOfNumbers(builder, loc, module, getContext(),
                             failureOfNumbers->getArgument(0),
                             failureOfNumbers->getArgument(2),
                             failureOfNumbers->getArgument(3), start);
  LLVM::ReturnOp::create(builder, loc, failureOfNumbers->getArgument(1));
}

Value EntryBuilder::createFields(int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(builder, loc, pointerType, builder.getI64Type(),
                                constant(count));
}

Value EntryBuilder::createName(StringRef name) {
  return createText(builder, loc, module, prefix + name.str());
}

void EntryBuilder::branchUnless(Value ok, Block *target, ValueRange arguments) {
  Block *current = builder.getInsertionBlock();
  Block *next = builder.createBlock(&function.getBody());
  builder.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(builder, loc, ok, next, ValueRange(), target,
                         arguments);
  builder.setInsertionPointToStart(next);
}

void EntryBuilder::check(Value ok, attn_status code, const Twine &text) {
  Value message = createText(builder, loc, module, (prefix + text).str());
  Value status = constant(builder.getI32Type(), code);
  branchUnless(ok, failure, {message, status});
}

void EntryBuilder::check(Value ok, attn_status code, const Twine &text,
                         Value first, Value second) {
  Value message = createText(builder, loc, module, (prefix + text).str());
  Value status = constant(builder.getI32Type(), code);
  branchUnless(ok, failureOfNumbers, {message, status, first, second});
}

void EntryBuilder::returnIfFailed(Value status) {
  Block *current = builder.getInsertionBlock();
  Block *leave = builder.createBlock(&function.getBody());
  LLVM::ReturnOp::create(builder, loc, status);
  builder.setInsertionPointToEnd(current);
  Value ok = compareEqual(status, constant(builder.getI32Type(), ATTN_OK));
  branchUnless(ok, leave, ValueRange());
}

void EntryBuilder::checkNotNull(Value pointer, const Twine &text) {
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  check(compare(ICmpPredicate::ne, pointer, null), ATTN_ERROR_NULL_ARGUMENT,
        text);
}

void EntryBuilder::finish(Value status) {
  if (!status)
    status = constant(builder.getI32Type(), ATTN_OK);
  LLVM::ReturnOp::create(builder, loc, status);
}

TensorView EntryBuilder::readTensor(Value tensor, MemRefType type,
                                    std::string name) {
  TensorView view{tensor, type, std::move(name)};
  checkNotNull(tensor, view.name + ": the DLTensor pointer is null");
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  int64_t rank = type.getRank();
  Value ndim = LLVM::SExtOp::create(
      builder, loc, i64, load(i32, tensor, offsetof(DLTensor, ndim)));
  checkEqual(ndim, constant(rank), ATTN_ERROR_SHAPE,
             view.name + ": ndim must be " + Twine(rank));
  checkElementType(view);
  if (rank == 0)
    return view;
  Value shape = load(pointerType, tensor, offsetof(DLTensor, shape));
  checkNotNull(shape, view.name + ": shape is null");
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    Value actual = load(i64, shape, i * sizeof(int64_t));
    view.sizes.push_back(actual);
    if (!ShapedType::isDynamic(size))
      checkEqual(actual, constant(size), ATTN_ERROR_SHAPE,
                 view.name + ": dimension " + Twine(i) + " must be " +
                     Twine(size));
    else
      // Positions inside kernels are 32 bits wide.
      check(compare(ICmpPredicate::ult, actual, constant(kSizeLimit)),
            ATTN_ERROR_SHAPE,
            view.name + ": dimension " + Twine(i) +
                " must be at least 0 and below 2^31",
            actual, constant(kSizeLimit));
  }
  return view;
}

void EntryBuilder::checkElementType(const TensorView &view) {
  Type element = view.type.getElementType();
  SmallVector<int> codes;
  std::string expected;
  llvm::raw_string_ostream stream(expected);
  stream << element;
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (element.isBF16())
    codes = {kDLBfloat};
  else if (isa<FloatType>(element))
    codes = {kDLFloat};
  else
    codes = {kDLInt, kDLUInt};
  // Booleans are bytes here.
  if (bits == 8)
    codes.push_back(kBoolCode);

  Type i8 = builder.getI8Type(), i16 = builder.getI16Type();
  constexpr int64_t dtype = offsetof(DLTensor, dtype);
  Value code = load(i8, view.tensor, dtype + offsetof(DLDataType, code));
  Value width = load(i8, view.tensor, dtype + offsetof(DLDataType, bits));
  Value lanes = load(i16, view.tensor, dtype + offsetof(DLDataType, lanes));
  Value ok = compareEqual(code, constant(i8, codes.front()));
  for (int other : ArrayRef(codes).drop_front())
    ok = either(ok, compareEqual(code, constant(i8, other)));
  Value sizes =
      LLVM::AndOp::create(builder, loc, compareEqual(width, constant(i8, bits)),
                          compareEqual(lanes, constant(i16, 1)));
  check(LLVM::AndOp::create(builder, loc, ok, sizes), ATTN_ERROR_TYPE,
        view.name + ": the element type must be " + expected);
}

void EntryBuilder::readStrides(TensorView &view) {
  int64_t rank = view.type.getRank();
  if (rank == 0)
    return;
  Type i64 = builder.getI64Type();
  // Compact strides in memory, so that a null pointer is only a select.
  Value count = constant(rank);
  Value compact = LLVM::AllocaOp::create(builder, loc, pointerType, i64, count);
  Value stride = constant(1);
  for (int64_t i = rank - 1; i >= 0; --i) {
    Value address =
        LLVM::GEPOp::create(builder, loc, pointerType, i64, compact,
                            ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, loc, stride, address);
    stride = LLVM::MulOp::create(builder, loc, stride, view.sizes[i]);
  }
  Value given = load(pointerType, view.tensor, offsetof(DLTensor, strides));
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  Value strides = select(compareEqual(given, null), compact, given);
  for (int64_t i = 0; i < rank; ++i)
    view.strides.push_back(load(i64, strides, i * sizeof(int64_t)));
  // The stride of a dimension with one element means nothing; hosts leave
  // anything there.
  Value &inner = view.strides.back();
  inner = select(compare(ICmpPredicate::ule, view.sizes.back(), constant(1)),
                 constant(1), inner);
}

/// A product of sizes would be 0 for some tensors that only look huge.
Value EntryBuilder::hasZeroSize(const TensorView &view) {
  Value empty = compare(ICmpPredicate::ne, constant(0), constant(0));
  for (Value size : view.sizes)
    empty = either(empty, compareEqual(size, constant(0)));
  return empty;
}

void EntryBuilder::readData(TensorView &view, DLDeviceType memory) {
  constexpr int64_t device = offsetof(DLTensor, device);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value deviceType =
      load(i32, view.tensor, device + offsetof(DLDevice, device_type));
  check(compareEqual(deviceType, constant(i32, memory)), ATTN_ERROR_TYPE,
        view.name + ": the data must be in " +
            (memory == kDLCPU ? "host" : "device") + " memory");
  readStrides(view);
  auto [strides, offset] = view.type.getStridesAndOffset();
  for (auto [i, stride] : llvm::enumerate(strides))
    if (!ShapedType::isDynamic(stride))
      checkEqual(view.strides[i], constant(stride), ATTN_ERROR_SHAPE,
                 view.name + ": stride " + Twine(i) + " must be " +
                     Twine(stride));

  Value isEmpty = hasZeroSize(view);
  Value data = load(pointerType, view.tensor, offsetof(DLTensor, data));
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  check(either(isEmpty, compare(ICmpPredicate::ne, data, null)),
        ATTN_ERROR_NULL_ARGUMENT, view.name + ": data is null");
  Value bytes = load(i64, view.tensor, offsetof(DLTensor, byte_offset));
  view.data =
      LLVM::GEPOp::create(builder, loc, pointerType, builder.getI8Type(), data,
                          ArrayRef<LLVM::GEPArg>(bytes));
  checkReach(view, isEmpty);
  computeRange(view, isEmpty);
}

/// Addresses of what no process can hold would wrap, and lie anywhere.
void EntryBuilder::checkReach(const TensorView &view, Value isEmpty) {
  // Products of a size and a stride.
  Type wide = builder.getIntegerType(128);
  auto widen = [&](Value value) -> Value {
    return LLVM::SExtOp::create(builder, loc, wide, value);
  };
  Type element = view.type.getElementType();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t most = kAddressableBytes / std::max(1u, bits / 8);
  for (auto [i, stride] : llvm::enumerate(view.strides)) {
    Value last = LLVM::SubOp::create(builder, loc, view.sizes[i], constant(1));
    Value reach = LLVM::MulOp::create(builder, loc, widen(last), widen(stride));
    Value shifted =
        LLVM::AddOp::create(builder, loc, reach, widen(constant(most)));
    Value fits =
        compare(ICmpPredicate::ule, shifted, widen(constant(2 * most)));
    check(either(isEmpty, fits), ATTN_ERROR_SHAPE,
          view.name + ": stride " + Twine(i) +
              " leads further than a process can address",
          stride, constant(most));
  }
}

void EntryBuilder::computeRange(TensorView &view, Value isEmpty) {
  Type element = view.type.getElementType();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  Value bytes = constant(std::max(1u, bits / 8)), zero = constant(0);
  Value low =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), view.data);
  Value high = LLVM::AddOp::create(builder, loc, low, bytes);
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    Value last = LLVM::SubOp::create(builder, loc, size, constant(1));
    Value extent = LLVM::MulOp::create(builder, loc, last, stride);
    extent = LLVM::MulOp::create(builder, loc, extent, bytes);
    Value isDown = compare(ICmpPredicate::slt, extent, zero);
    low = LLVM::AddOp::create(builder, loc, low, select(isDown, extent, zero));
    high =
        LLVM::AddOp::create(builder, loc, high, select(isDown, zero, extent));
  }
  view.low = select(isEmpty, zero, low);
  view.high = select(isEmpty, zero, high);
}

void EntryBuilder::checkDisjoint(const TensorView &a, const TensorView &b) {
  Value ok = either(compare(ICmpPredicate::ule, a.high, b.low),
                    compare(ICmpPredicate::ule, b.high, a.low));
  // An empty tensor is [0, 0), which the first comparison passes only when it
  // is `a`; the second one covers `b`.
  check(ok, ATTN_ERROR_OVERLAP, a.name + " overlaps " + b.name);
}

void EntryBuilder::checkDistinctElements(const TensorView &view) {
  // Compact strides of an empty tensor are 0 where an inner size is 0.
  Value empty = hasZeroSize(view);
  for (auto [i, size] : llvm::enumerate(view.sizes))
    check(either(empty, either(compare(ICmpPredicate::ule, size, constant(1)),
                               compare(ICmpPredicate::ne, view.strides[i],
                                       constant(0)))),
          ATTN_ERROR_OVERLAP, view.name + ": stride " + Twine(i) + " is 0");
}

Value EntryBuilder::constant(int64_t value) {
  return constant(builder.getI64Type(), value);
}
Value EntryBuilder::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}
Value EntryBuilder::compare(ICmpPredicate predicate, Value a, Value b) {
  return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
}
Value EntryBuilder::select(Value condition, Value a, Value b) {
  return LLVM::SelectOp::create(builder, loc, condition, a, b);
}
Value EntryBuilder::either(Value a, Value b) {
  return LLVM::OrOp::create(builder, loc, a, b);
}
Value EntryBuilder::load(Type type, Value base, int64_t byteOffset) {
  return loadField(builder, loc, type, base, byteOffset);
}

} // namespace attn
