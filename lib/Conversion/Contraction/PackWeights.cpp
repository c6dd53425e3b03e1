//===- PackWeights.cpp - Arguments that are packed ahead ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panels are the same bits that emitPanels() would write, but for columns that
// do not exist, which are 0. They are made once, so plain loops do.
//
//===----------------------------------------------------------------------===//

#include "HalfParts.h"
#include "MatrixBlock.h"
#include "PackedConstant.h"

#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A product whose right operand is an argument.
struct Use {
  ContractionScheduleAttr schedule;
  RegisterTile tile;
  bool transposed;
};

/// What a function that packs one matrix computes, word by word.
class WordEmitter {
public:
  WordEmitter(OpBuilder &builder, Location loc, const Use &use, Value matrix)
      : builder(builder), loc(loc), use(use), tile(use.tile), matrix(matrix),
        type(cast<RankedTensorType>(matrix.getType())),
        partSteps(getPanelSteps(tile, use.schedule.getDepth())) {}

  /// The word at [step over k, panel, step of k, column].
  Value emit(ValueRange at);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value emitTerm(ValueRange at, Value step, int64_t each);
  Value toBits(Value number);
  Value emitPart(Value number, Value part);
  Value round(Value number) {
    return toBits(
        arith::TruncFOp::create(builder, loc, builder.getBF16Type(), number));
  }
  Value cut(Value number);
  Value widen(Value bits);
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }

  OpBuilder &builder;
  Location loc;
  const Use &use;
  const RegisterTile &tile;
  Value matrix;
  RankedTensorType type;
  int64_t partSteps;
};

} // namespace

constexpr int64_t kHalfBits = 16;

/// A term of the matrix, 0 beyond its sizes and beyond those of a step.
Value WordEmitter::emitTerm(ValueRange at, Value step, int64_t each) {
  int64_t terms = type.getDimSize(use.transposed ? 1 : 0);
  int64_t columns = type.getDimSize(use.transposed ? 0 : 1);
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto scale = [&](Value a, int64_t b) -> Value {
    return arith::MulIOp::create(builder, loc, a, index(b));
  };
  Value within = add(scale(step, tile.getTerms()), index(each));
  Value term = add(scale(at[0], use.schedule.getDepth()), within);
  Value column = add(scale(at[1], tile.getColumns()), at[3]);
  auto isBelow = [&](Value a, int64_t bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a,
                                 index(bound));
  };
  Value exists = arith::AndIOp::create(builder, loc, isBelow(term, terms),
                                       isBelow(column, columns));
  exists = arith::AndIOp::create(builder, loc, exists,
                                 isBelow(within, use.schedule.getDepth()));
  term = arith::MinUIOp::create(builder, loc, term, index(terms - 1));
  column = arith::MinUIOp::create(builder, loc, column, index(columns - 1));
  SmallVector<Value> place = {term, column};
  if (use.transposed)
    std::swap(place[0], place[1]);
  Value number = tensor::ExtractOp::create(builder, loc, matrix, place);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return arith::SelectOp::create(builder, loc, exists, number, zero);
}

/// The bits of a narrow number in the lower half of 32.
Value WordEmitter::toBits(Value number) {
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI16Type(), number);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), bits);
}

Value WordEmitter::cut(Value number) {
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(), number);
  return arith::ShRUIOp::create(builder, loc, bits, integer(kHalfBits));
}

Value WordEmitter::widen(Value bits) {
  bits = arith::ShLIOp::create(builder, loc, bits, integer(kHalfBits));
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

/// Of f32 or f16, the part with this number.
Value WordEmitter::emitPart(Value number, Value part) {
  Value rest = number;
  if (!rest.getType().isF32())
    rest = arith::ExtFOp::create(builder, loc, builder.getF32Type(), rest);
  Value chosen;
  for (int64_t i = 0; i < tile.parts; ++i) {
    bool isCut = tile.areCut() || (tile.areHalves && i == 0);
    Value bits = isCut ? cut(rest) : round(rest);
    rest = tile.areHalves
               ? emitSecondHalf(builder, loc, rest)
               : arith::SubFOp::create(builder, loc, rest, widen(bits));
    if (!chosen) {
      chosen = bits;
      continue;
    }
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       part, index(i));
    chosen = arith::SelectOp::create(builder, loc, isIt, bits, chosen);
  }
  return chosen;
}

Value WordEmitter::emit(ValueRange at) {
  Value step = arith::RemUIOp::create(builder, loc, at[2], index(partSteps));
  if (tile.getTerms() == 1)
    return emitTerm(at, step, 0);
  Value part = arith::DivUIOp::create(builder, loc, at[2], index(partSteps));
  Value word;
  for (int64_t each = 0; each < tile.getTerms(); ++each) {
    Value number = emitTerm(at, step, each);
    Value bits = tile.parts == 1 ? toBits(number) : emitPart(number, part);
    if (each == 0) {
      word = bits;
      continue;
    }
    bits = arith::ShLIOp::create(builder, loc, bits, integer(kHalfBits));
    word = arith::OrIOp::create(builder, loc, word, bits);
  }
  return arith::BitcastOp::create(builder, loc, tile.element, word);
}

/// How the argument is used; `reason` says why there are no panels of it.
static std::optional<Use> findUse(Value argument, std::string &reason) {
  if (!argument.hasOneUse()) {
    reason = "it is used in several places, or in none";
    return std::nullopt;
  }
  OpOperand &operand = *argument.use_begin();
  Operation *op = operand.getOwner();
  std::optional<Use> use;
  reason = "it is no right operand of a product in blocks";
  if (auto linear = dyn_cast<LinearOp>(op)) {
    auto schedule =
        dyn_cast_or_null<ContractionScheduleAttr>(linear.getScheduleAttr());
    if (!schedule || &operand != &linear.getWeightMutable())
      return std::nullopt;
    use = {schedule,
           getRegisterTile(schedule, linear.getComputeType(), linear.getInput(),
                           argument),
           linear.getWeightLayout() == WeightLayout::OutIn};
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    auto schedule =
        op->getAttrOfType<ContractionScheduleAttr>(kContractionAttrName);
    std::string other;
    std::optional<MatrixRoles> roles =
        schedule ? readMatrixRoles(structured, other) : std::nullopt;
    if (!roles || roles->rhs != operand.getOperandNumber())
      return std::nullopt;
    Builder builder(op->getContext());
    Type stored = getElementTypeOrSelf(op->getOperand(2));
    FloatType compute =
        stored.isF64() ? FloatType(builder.getF64Type()) : builder.getF32Type();
    use = {schedule,
           getRegisterTile(schedule, compute, op->getOperand(roles->lhs),
                           argument),
           roles->rhsTransposed};
  } else {
    return std::nullopt;
  }
  if (const char *why = whyNotAhead(use->schedule, use->tile,
                                    cast<ShapedType>(argument.getType()))) {
    reason = why;
    return std::nullopt;
  }
  return use;
}

namespace {

struct PackWeightsPass
    : public attn::impl::PackWeightsPassBase<PackWeightsPass> {
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      for (unsigned i = 0, end = func.getNumArguments(); i < end; ++i)
        if (func.getArgAttrOfType<UnitAttr>(i, kPackedAttr))
          packArgument(func, i);
  }

private:
  static void packArgument(func::FuncOp func, unsigned number);
  static void createPacking(func::FuncOp func, unsigned number, const Use &use,
                            RankedTensorType panels);
};

} // namespace

void PackWeightsPass::packArgument(func::FuncOp func, unsigned number) {
  func.removeArgAttr(number, kPackedAttr);
  std::string reason =
      "the function has no body, or is not called from C alone";
  std::optional<Use> use;
  bool isCalled = !SymbolTable::symbolKnownUseEmpty(
      func, func->getParentOfType<ModuleOp>());
  if (!func.isExternal() && func.isPublic() && !isCalled)
    use = findUse(func.getArgument(number), reason);
  if (!use) {
    Remark(RemarkId::ArgumentUnpacked,
           {{"argument", std::to_string(number)}, {"reason", reason}})
        .emit(func.getLoc());
    return;
  }
  auto matrix = cast<RankedTensorType>(func.getArgumentTypes()[number]);
  auto panels = RankedTensorType::get(
      getPanelsShape(use->tile, use->schedule.getDepth(),
                     matrix.getDimSize(use->transposed ? 1 : 0),
                     matrix.getDimSize(use->transposed ? 0 : 1)),
      use->tile.element);
  createPacking(func, number, *use, panels);
  Builder builder(func.getContext());
  // Other arguments will come before these.
  auto name = builder.getI64IntegerAttr(number);
  func.setArgAttr(number, kPackedAttr, name);
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(kPanelsOfAttr, name));
  unsigned added = func.getNumArguments();
  (void)func.insertArgument(added, panels, attributes, func.getLoc());
  Remark(RemarkId::ArgumentPacked, {{"argument", std::to_string(number)},
                                    {"panels", std::to_string(added)}})
      .emit(func.getLoc());
}

/// NAME_pack_I(matrix) -> panels.
void PackWeightsPass::createPacking(func::FuncOp func, unsigned number,
                                    const Use &use, RankedTensorType panels) {
  Location loc = func.getLoc();
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfter(func);
  auto type =
      builder.getFunctionType({func.getArgumentTypes()[number]}, {panels});
  auto packing = func::FuncOp::create(
      builder, loc, getPackingName(func.getName(), number), type);
  builder.setInsertionPointToStart(packing.addEntryBlock());
  Value init = tensor::EmptyOp::create(builder, loc, panels.getShape(),
                                       panels.getElementType());
  auto identity = builder.getMultiDimIdentityMap(panels.getRank());
  SmallVector<utils::IteratorType> loops(panels.getRank(),
                                         utils::IteratorType::parallel);
  auto words = linalg::GenericOp::create(
      builder, loc, panels, ValueRange(), init, ArrayRef<AffineMap>(identity),
      loops, [&](OpBuilder &b, Location, ValueRange) {
        SmallVector<Value> at;
        for (int64_t dim = 0; dim < panels.getRank(); ++dim)
          at.push_back(linalg::IndexOp::create(b, loc, dim));
        WordEmitter emitter(b, loc, use, packing.getArgument(0));
        linalg::YieldOp::create(b, loc, emitter.emit(at));
      });
  func::ReturnOp::create(builder, loc, words.getResults());
}
