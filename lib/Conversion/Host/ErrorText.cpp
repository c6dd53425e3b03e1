//===- ErrorText.cpp - How compiled code reports errors -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"
#include "RuntimeHelper.h"
#include "attn-runtime/attn_runtime.h"

using namespace mlir;

namespace attn {
namespace {

constexpr StringLiteral kReportError = "attn.report_error";
constexpr StringLiteral kTextPrefix = "attn.text.";

Value createByteAddress(OpBuilder &builder, Location loc, Value base,
                        LLVM::GEPArg offset) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>(offset));
}

/// for (i = 0; i < size - 1 && text[i]; ++i) error[i] = text[i]; error[i] = 0;
/// return i;
/// for (i = start; i < the last place && *text; ++i) error[i] = *text++;
/// error[i] = 0;
void buildReportError(LLVM::LLVMFuncOp function) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Type i64 = builder.getI64Type(), i8 = builder.getI8Type();
  Block *entry = function.addEntryBlock(builder);
  Block *loop = builder.createBlock(&function.getBody(), {}, i64, loc);
  Block *body = builder.createBlock(&function.getBody());
  Block *exit = builder.createBlock(&function.getBody());

  builder.setInsertionPointToStart(entry);
  Value one = LLVM::ConstantOp::create(builder, loc, i64, 1);
  Value last = LLVM::ConstantOp::create(builder, loc, i64,
                                        sizeof(attn_context::error) - 1);
  Value nul = LLVM::ConstantOp::create(builder, loc, i8, 0);
  Value error = createByteAddress(builder, loc, entry->getArgument(0),
                                  int32_t(offsetof(attn_context, error)));
  Value start = entry->getArgument(2);
  LLVM::BrOp::create(builder, loc, start, loop);

  builder.setInsertionPointToStart(loop);
  Value i = loop->getArgument(0);
  Value read = LLVM::SubOp::create(builder, loc, i, start);
  Value source = createByteAddress(builder, loc, entry->getArgument(1), read);
  Value target = createByteAddress(builder, loc, error, i);
  Value byte = LLVM::LoadOp::create(builder, loc, i8, source);
  Value inside =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, i, last);
  Value more =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, byte, nul);
  Value both = LLVM::AndOp::create(builder, loc, inside, more);
  LLVM::CondBrOp::create(builder, loc, both, body, exit);

  builder.setInsertionPointToStart(body);
  LLVM::StoreOp::create(builder, loc, byte, target);
  Value next = LLVM::AddOp::create(builder, loc, i, one);
  LLVM::BrOp::create(builder, loc, next, loop);

  builder.setInsertionPointToStart(exit);
  LLVM::StoreOp::create(builder, loc, nul, target);
  LLVM::ReturnOp::create(builder, loc, i);
}

LLVM::LLVMFuncOp getReportError(OpBuilder &builder, ModuleOp module) {
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type i64 = builder.getI64Type();
  return getHelper(module, kReportError,
                   LLVM::LLVMFunctionType::get(i64, {pointer, pointer, i64}),
                   buildReportError);
}

} // namespace

Value createText(OpBuilder &builder, Location loc, ModuleOp module,
                 StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto candidate : module.getOps<LLVM::GlobalOp>()) {
    if (!candidate.getSymName().starts_with(kTextPrefix))
      continue;
    ++count;
    if (cast<StringAttr>(candidate.getValueAttr()).getValue() == bytes)
      global = candidate;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(
        builder, module.getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, (kTextPrefix + Twine(count)).str(),
        builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value createReportError(OpBuilder &builder, Location loc, ModuleOp module,
                        Value context, Value text, Value start) {
  if (!start)
    start = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 0);
  return LLVM::CallOp::create(builder, loc, getReportError(builder, module),
                              ValueRange{context, text, start})
      .getResult();
}

Value loadField(OpBuilder &builder, Location loc, Type type, Value base,
                int64_t byteOffset) {
  Value address =
      createByteAddress(builder, loc, base, static_cast<int32_t>(byteOffset));
  return LLVM::LoadOp::create(builder, loc, type, address);
}

} // namespace attn
