//===- ReduceTypes.cpp - Sizes and element types that become smaller ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size means the same wherever it occurs, more or less: heads in one tensor
// are the heads of another. So a size changes in all types of the module at
// once, and the verifier says whether that was right.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;
using namespace attn::reduce;

/// A constant's value in the type that its result has now; null without one.
static TypedAttr convertValue(Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return isa<FloatType>(type)
               ? FloatAttr::get(type, number.getValueAsDouble())
               : nullptr;
  auto elements = dyn_cast<SplatElementsAttr>(value);
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!elements || !shaped || !shaped.hasStaticShape())
    return nullptr;
  auto element = elements.getSplatValue<Attribute>();
  if (cast<TypedAttr>(element).getType() != shaped.getElementType())
    element = convertValue(element, shaped.getElementType());
  return element ? DenseElementsAttr::get(shaped, element) : nullptr;
}

/// Heads that share a key say so by a quotient, which follows from both sizes.
static AffineExpr shareHeads(AffineExpr expr, int64_t operandSize,
                             ArrayRef<int64_t> dimSizes) {
  auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return expr;
  auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
  if (!dim || operandSize < 1 || dimSizes[dim.getPosition()] < operandSize)
    return expr;
  return dim.floorDiv(dimSizes[dim.getPosition()] / operandSize);
}

static void adaptMaps(attn::AttentionOp op) {
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<ArrayRef<int64_t>> shapes;
  for (auto operands :
       {op.getShapedInputs(), op.getParams(), op.getShapedOutputs()})
    for (Value operand : operands) {
      auto type = dyn_cast<ShapedType>(operand.getType());
      shapes.push_back(type ? type.getShape() : ArrayRef<int64_t>());
    }
  SmallVector<int64_t> dimSizes(op.getNumDims(), 0);
  for (auto [map, shape] : llvm::zip_equal(maps, shapes))
    for (auto [expr, size] : llvm::zip(map.getResults(), shape))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dimSizes[dim.getPosition()] = size;
  for (auto [map, shape] : llvm::zip_equal(maps, shapes)) {
    SmallVector<AffineExpr> results(map.getResults());
    for (auto [expr, size] : llvm::zip(results, shape))
      expr = shareHeads(expr, size, dimSizes);
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
  }
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// What an op says of its types beside them.
static LogicalResult adapt(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (constant.getValue().getType() == constant.getType())
      return success();
    TypedAttr value = convertValue(constant.getValue(), constant.getType());
    if (!value)
      return failure();
    constant.setValueAttr(value);
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    if (empty.getType().hasStaticShape())
      empty.getDynamicSizesMutable().clear();
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (expand.getResultType().hasStaticShape()) {
      expand.getOutputShapeMutable().clear();
      expand.setStaticOutputShape(expand.getResultType().getShape());
    }
  } else if (auto attention = dyn_cast<attn::AttentionOp>(op)) {
    adaptMaps(attention);
  } else if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
             op->getOperand(0).getType() == op->getResult(0).getType()) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  }
  return success();
}

/// Changes all types of a module by functions of a size and of an element type.
static LogicalResult
changeTypes(ModuleOp module, llvm::function_ref<int64_t(int64_t)> changeSize,
            llvm::function_ref<Type(FloatType)> changeFloat) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FloatType type) -> std::optional<Type> { return changeFloat(type); });
  auto change = [&](ShapedType type) -> std::optional<Type> {
    return type.clone(llvm::map_to_vector(type.getShape(), changeSize),
                      type.getElementType());
  };
  replacer.addReplacement([&](RankedTensorType type) { return change(type); });
  // Numbers keep their types until it is known whose they are.
  auto keep = [](auto value) { return std::pair(value, WalkResult::skip()); };
  replacer.addReplacement(
      [&](FloatAttr value) -> std::optional<std::pair<Attribute, WalkResult>> {
        return keep(Attribute(value));
      });
  replacer.addReplacement(
      [&](ElementsAttr value)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        return keep(Attribute(value));
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  bool failed = false;
  module.walk([&](Operation *op) { failed |= mlir::failed(adapt(op)); });
  return failure(failed);
}

static Type keepFloat(FloatType type) { return type; }

/// All sizes of tensors in a module, those above 1, the largest first.
static SmallVector<int64_t> collectSizes(ModuleOp module) {
  std::set<int64_t, std::greater<>> sizes;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto shaped = dyn_cast<RankedTensorType>(type))
        for (int64_t size : shaped.getShape())
          if (size > 1)
            sizes.insert(size);
  };
  module.walk([&](Operation *op) {
    add(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArgumentTypes());
  });
  return SmallVector<int64_t>(sizes.begin(), sizes.end());
}

namespace {

class ReduceSizes : public Reduction {
public:
  StringRef getName() const override { return "sizes"; }
  unsigned count(ModuleOp module) override {
    return collectSizes(module).size() * kWays;
  }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    int64_t size = collectSizes(module)[choice / kWays];
    bool withMultiples = choice % 2;
    int64_t targets[] = {1, 2, size / 2};
    int64_t target = targets[choice % kWays / 2];
    if (target >= size)
      return failure();
    auto change = [&](int64_t other) -> int64_t {
      if (other == size)
        return target;
      // Rows of all heads side by side.
      return withMultiples && other > 0 && other % size == 0
                 ? other / size * target
                 : other;
    };
    return changeTypes(module, change, keepFloat);
  }

private:
  static constexpr unsigned kWays = 6;
};

class FixSizes : public Reduction {
public:
  StringRef getName() const override { return "dynamic sizes"; }
  unsigned count(ModuleOp module) override {
    auto isDynamic = [](Type type) {
      auto shaped = dyn_cast<RankedTensorType>(type);
      return shaped && !shaped.hasStaticShape();
    };
    bool found = false;
    module.walk([&](Block *block) {
      found |= llvm::any_of(block->getArgumentTypes(), isDynamic);
    });
    return found;
  }
  LogicalResult apply(ModuleOp module, unsigned) override {
    auto change = [](int64_t size) {
      return ShapedType::isDynamic(size) ? 8 : size;
    };
    return changeTypes(module, change, keepFloat);
  }
};

class WidenTypes : public Reduction {
public:
  StringRef getName() const override { return "types"; }
  unsigned count(ModuleOp module) override { return 3; }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    MLIRContext *context = module.getContext();
    FloatType single = Float32Type::get(context);
    FloatType others[] = {Float16Type::get(context), BFloat16Type::get(context),
                          Float64Type::get(context)};
    bool changed = false;
    auto change = [&](FloatType type) -> Type {
      changed |= type == others[choice];
      return type == others[choice] ? single : type;
    };
    auto keep = [](int64_t size) { return size; };
    if (failed(changeTypes(module, keep, change)))
      return failure();
    return success(changed);
  }
};

} // namespace

void attn::reduce::addTypeReductions(Reductions &reductions) {
  reductions.push_back(std::make_unique<FixSizes>());
  reductions.push_back(std::make_unique<ReduceSizes>());
  reductions.push_back(std::make_unique<WidenTypes>());
}
