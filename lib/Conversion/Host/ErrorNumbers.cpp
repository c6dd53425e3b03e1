//===- ErrorNumbers.cpp - Numbers in error texts --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers write at the error field of the context that they are given, and
// return how many characters they wrote. What follows other text is given a
// pointer as far behind the context as that text is long.
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"
#include "RuntimeHelper.h"
#include "attn-runtime/attn_runtime.h"

using namespace mlir;

namespace attn {
namespace {

constexpr StringLiteral kReportNumber = "attn.report_number";
constexpr StringLiteral kReportNumbers = "attn.report_numbers";
/// A sign and 19 digits.
constexpr size_t kMaxNumberLength = 20;

Value shift(OpBuilder &builder, Location loc, Value base, Value offset) {
  return LLVM::GEPOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>(offset));
}

/// length = negative; do ++length; while (rest /= 10);
/// error[length] = 0; error[0] = '-';
/// i = length; do error[--i] = '0' + rest % 10; while (rest /= 10);
void buildReportNumber(LLVM::LLVMFuncOp function) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Type i64 = builder.getI64Type(), i8 = builder.getI8Type();
  Block *entry = function.addEntryBlock(builder);
  auto addLoop = [&] {
    return builder.createBlock(&function.getBody(), {}, {i64, i64}, {loc, loc});
  };
  Block *count = addLoop();
  Block *print = builder.createBlock(&function.getBody(), {}, i64, loc);
  Block *digit = addLoop();
  Block *exit = builder.createBlock(&function.getBody());

  builder.setInsertionPointToStart(entry);
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  };
  Value zero = constant(i64, 0), one = constant(i64, 1),
        ten = constant(i64, 10);
  Value number = entry->getArgument(1);
  Value error =
      shift(builder, loc, entry->getArgument(0),
            constant(i64, static_cast<int64_t>(offsetof(attn_context, error))));
  Value isNegative = LLVM::ICmpOp::create(
      builder, loc, LLVM::ICmpPredicate::slt, number, zero);
  Value opposite = LLVM::SubOp::create(builder, loc, zero, number);
  Value size =
      LLVM::SelectOp::create(builder, loc, isNegative, opposite, number);
  Value sign = LLVM::ZExtOp::create(builder, loc, i64, isNegative);
  LLVM::BrOp::create(builder, loc, ValueRange({sign, size}), count);

  // Divides what is left and goes on while that is not 0.
  auto next = [&](Block *loop, Value place, Block *end, ValueRange results) {
    Value rest = LLVM::UDivOp::create(builder, loc, loop->getArgument(1), ten);
    Value more =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, rest, zero);
    LLVM::CondBrOp::create(builder, loc, more, loop, ValueRange({place, rest}),
                           end, results);
  };
  builder.setInsertionPointToStart(count);
  Value longer = LLVM::AddOp::create(builder, loc, count->getArgument(0), one);
  next(count, longer, print, longer);

  builder.setInsertionPointToStart(print);
  Value length = print->getArgument(0);
  LLVM::StoreOp::create(builder, loc, constant(i8, 0),
                        shift(builder, loc, error, length));
  LLVM::StoreOp::create(builder, loc, constant(i8, '-'), error);
  LLVM::BrOp::create(builder, loc, ValueRange({length, size}), digit);

  builder.setInsertionPointToStart(digit);
  Value place = LLVM::SubOp::create(builder, loc, digit->getArgument(0), one);
  Value value = LLVM::URemOp::create(builder, loc, digit->getArgument(1), ten);
  Value character = LLVM::AddOp::create(
      builder, loc, LLVM::TruncOp::create(builder, loc, i8, value),
      constant(i8, '0'));
  LLVM::StoreOp::create(builder, loc, character,
                        shift(builder, loc, error, place));
  next(digit, place, exit, ValueRange());

  builder.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(builder, loc, length);
}

LLVM::LLVMFuncOp getReportNumber(OpBuilder &builder, ModuleOp module) {
  Type i64 = builder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  return getHelper(module, kReportNumber,
                   LLVM::LLVMFunctionType::get(i64, {pointer, i64}),
                   buildReportNumber);
}

/// Texts and numbers, one behind the other.
class ErrorWriter {
public:
  ErrorWriter(OpBuilder &builder, Location loc, ModuleOp module, Value at)
      : builder(builder), loc(loc), module(module), at(at) {}

  void write(StringRef part) {
    at = shift(builder, loc, at,
               createReportError(builder, loc, module, at,
                                 createText(builder, loc, module, part)));
  }
  void write(Value number) {
    Value length =
        LLVM::CallOp::create(builder, loc, getReportNumber(builder, module),
                             ValueRange{at, number})
            .getResult();
    at = shift(builder, loc, at, length);
  }

private:
  OpBuilder &builder;
  Location loc;
  ModuleOp module;
  Value at;
};

/// length = report_error(context, text, start);
/// if (length <= what leaves room) write " (FIRST against SECOND)" behind it.
void buildReportNumbers(LLVM::LLVMFuncOp function, ModuleOp module) {
  constexpr StringLiteral open = " (", between = " against ", close = ")";
  constexpr size_t longest = open.size() + kMaxNumberLength + between.size() +
                             kMaxNumberLength + close.size();
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Type i64 = builder.getI64Type();
  Block *entry = function.addEntryBlock(builder);
  Block *numbers = builder.createBlock(&function.getBody());
  Block *exit = builder.createBlock(&function.getBody());

  builder.setInsertionPointToStart(entry);
  Value context = entry->getArgument(0);
  Value length =
      createReportError(builder, loc, module, context, entry->getArgument(1),
                        entry->getArgument(2));
  Value most = LLVM::ConstantOp::create(
      builder, loc, i64,
      static_cast<int64_t>(sizeof(attn_context::error) - 1 - longest));
  Value fits = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ule,
                                    length, most);
  LLVM::CondBrOp::create(builder, loc, fits, numbers, exit);

  builder.setInsertionPointToStart(numbers);
  ErrorWriter writer(builder, loc, module,
                     shift(builder, loc, context, length));
  writer.write(open);
  writer.write(entry->getArgument(3));
  writer.write(between);
  writer.write(entry->getArgument(4));
  writer.write(close);
  LLVM::BrOp::create(builder, loc, ValueRange(), exit);

  builder.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

LLVM::LLVMFuncOp getReportNumbers(OpBuilder &builder, ModuleOp module) {
  MLIRContext *context = module.getContext();
  Type i64 = builder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, i64, i64, i64});
  return getHelper(module, kReportNumbers, type, [&](LLVM::LLVMFuncOp helper) {
    buildReportNumbers(helper, module);
  });
}

} // namespace

void createReportErrorOfNumber(OpBuilder &builder, Location loc,
                               ModuleOp module, Value context, StringRef before,
                               Value number, StringRef after) {
  assert(before.size() + kMaxNumberLength + after.size() <
             sizeof(attn_context::error) &&
         "the text is too long");
  ErrorWriter writer(builder, loc, module, context);
  writer.write(before);
  writer.write(number);
  writer.write(after);
}

void createReportErrorOfNumbers(OpBuilder &builder, Location loc,
                                ModuleOp module, Value context, Value text,
                                Value first, Value second, Value start) {
  if (!start)
    start = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 0);
  LLVM::CallOp::create(builder, loc, getReportNumbers(builder, module),
                       ValueRange{context, text, start, first, second});
}

} // namespace attn
