//===- LowerAttnNV.cpp - wgmma as inline assembly -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register that an instruction changes after its turn is an operand that is
// tied to a result, of the instruction and of the fences and waits around it.
// Then the code generator keeps it in one place and moves nothing across.
//
//===----------------------------------------------------------------------===//

#include "LowerAttnNV.h"

#include "attn/Dialect/AttnNV/IR/AttnNV.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::attn_nv;

namespace {

/// One piece of inline assembly: results first, then operands, as their numbers
/// in its text go.
class AssemblyBuilder {
public:
  AssemblyBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  /// Results of type `type`; with `inputs`, each is tied to one of them.
  /// Vectors give a scalar for each element. Returns the number of the first.
  int64_t addResults(TypeRange types, ValueRange inputs);
  /// An operand that is only read.
  int64_t addInput(Value value, StringRef constraint);
  /// Emits it; gives the results in the types that were asked for.
  SmallVector<Value> emit(StringRef text);

private:
  SmallVector<Value> unpack(Value value);

  OpBuilder &builder;
  Location loc;
  SmallVector<Type> wanted, scalars;
  SmallVector<Value> tied, inputs;
  SmallVector<std::string> resultConstraints, inputConstraints;
};

} // namespace

static StringRef getConstraint(Type scalar) {
  return scalar.isF32() ? "f" : "r";
}

SmallVector<Value> AssemblyBuilder::unpack(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return {value};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value at =
        LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(i));
    elements.push_back(LLVM::ExtractElementOp::create(builder, loc, value, at));
  }
  return elements;
}

int64_t AssemblyBuilder::addResults(TypeRange types, ValueRange values) {
  int64_t first = scalars.size();
  for (Type type : types) {
    wanted.push_back(type);
    auto vector = dyn_cast<VectorType>(type);
    scalars.append(vector ? vector.getNumElements() : 1,
                   vector ? vector.getElementType() : type);
  }
  for (Type scalar : ArrayRef(scalars).drop_front(first))
    resultConstraints.push_back(("=" + getConstraint(scalar)).str());
  for (Value value : values)
    llvm::append_range(tied, unpack(value));
  return first;
}

int64_t AssemblyBuilder::addInput(Value value, StringRef constraint) {
  inputs.push_back(value);
  inputConstraints.push_back(constraint.str());
  return scalars.size() + inputs.size() - 1;
}

SmallVector<Value> AssemblyBuilder::emit(StringRef text) {
  SmallVector<std::string> constraints(resultConstraints);
  SmallVector<Value> operands(inputs);
  llvm::append_range(constraints, inputConstraints);
  // Tied operands come last, so that the others' numbers do not depend on them.
  for (auto [i, value] : llvm::enumerate(tied)) {
    constraints.push_back(std::to_string(i));
    operands.push_back(value);
  }
  constraints.push_back("~{memory}");
  Type type;
  if (scalars.size() == 1)
    type = scalars[0];
  else if (!scalars.empty())
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(), scalars);
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, type ? TypeRange(type) : TypeRange(), operands, text,
      llvm::join(constraints, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  int64_t at = 0;
  auto take = [&]() -> Value {
    if (scalars.size() == 1)
      return assembly.getRes();
    return LLVM::ExtractValueOp::create(builder, loc, assembly.getRes(), at++);
  };
  for (Type result : wanted) {
    auto vector = dyn_cast<VectorType>(result);
    if (!vector) {
      results.push_back(take());
      continue;
    }
    Value packed = LLVM::PoisonOp::create(builder, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value place =
          LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(i));
      packed =
          LLVM::InsertElementOp::create(builder, loc, packed, take(), place);
    }
    results.push_back(packed);
  }
  return results;
}

/// "{$4, $5}" for two from number 4 on.
static std::string listOperands(ArrayRef<int64_t> numbers) {
  std::string text = "{";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i == 0 ? "$" : ", $") + std::to_string(number);
  return text + "}";
}

/// The instruction's order: of each block of eight columns the pairs of both
/// rows. Those of one row are one vector.
static SmallVector<int64_t> orderSums(int64_t first, int64_t columns) {
  constexpr int64_t block = 8, pair = 2, rows = 2;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < columns / block; ++i)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t j = 0; j < pair; ++j)
        order.push_back(first + row * columns / 4 + i * pair + j);
  return order;
}

namespace {

struct LowerWgmma : ConvertOpToLLVMPattern<WgmmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  // A predicate says whether accumulators are added; it is a constant.
  LogicalResult
  matchAndRewrite(WgmmaOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    AssemblyBuilder assembly(rewriter, op.getLoc());
    int64_t columns = op.getColumns();
    int64_t sums = assembly.addResults(op.getSums().getTypes(),
                                       operands.getAccumulators());
    bool inRegisters = op.hasLhsInRegisters();
    int64_t lhs = -1;
    for (Value part : operands.getLhs()) {
      int64_t number = assembly.addInput(part, inRegisters ? "r" : "l");
      lhs = lhs < 0 ? number : lhs;
    }
    int64_t rhs = assembly.addInput(operands.getRhs(), "l");
    bool adds = !op.getAccumulators().empty();
    std::string type = op.getElement().isF16() ? "f16" : "bf16";
    std::string text =
        "{\n.reg .pred %adds;\nsetp.ne.b32 %adds, " +
        std::string(adds ? "1" : "0") + ", 0;\n" +
        "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
        "k16.f32." + type + "." + type + " " +
        listOperands(orderSums(sums, columns)) + ", " +
        (inRegisters ? listOperands(llvm::to_vector(llvm::seq<int64_t>(
                           lhs, lhs + operands.getLhs().size())))
                     : "$" + std::to_string(lhs)) +
        ", $" + std::to_string(rhs) + ", %adds, 1, 1";
    if (!inRegisters)
      text += op.getLhsTransposed() ? ", 1" : ", 0";
    text += op.getRhsTransposed() ? ", 1" : ", 0";
    rewriter.replaceOp(op, assembly.emit(text + ";\n}"));
    return success();
  }
};

struct LowerWgmmaFence : ConvertOpToLLVMPattern<WgmmaFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    AssemblyBuilder assembly(rewriter, op.getLoc());
    assembly.addResults(op.getResultTypes(), operands.getValues());
    rewriter.replaceOp(op, assembly.emit("wgmma.fence.sync.aligned;"));
    return success();
  }
};

struct LowerWgmmaWait : ConvertOpToLLVMPattern<WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    AssemblyBuilder assembly(rewriter, op.getLoc());
    assembly.addResults(op.getResultTypes(), operands.getValues());
    for (Value part : operands.getReading())
      assembly.addInput(part, "r");
    rewriter.replaceOp(op,
                       assembly.emit("wgmma.wait_group.sync.aligned " +
                                     std::to_string(op.getPending()) + ";"));
    return success();
  }
};

} // namespace

void attn::populateAttnNVToLLVMPatterns(LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerWgmma, LowerWgmmaFence, LowerWgmmaWait>(converter);
}
