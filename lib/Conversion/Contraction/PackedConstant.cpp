//===- PackedConstant.cpp - Constant operands, packed ahead ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConstant.h"

#include "HalfParts.h"
#include "MatrixBlock.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace attn;

/// The constant that `memref` is, if its numbers are known.
static memref::GlobalOp findConstant(Operation *user, Value memref) {
  auto use = memref.getDefiningOp<memref::GetGlobalOp>();
  if (!use)
    return {};
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      user, use.getNameAttr());
  bool isKnown = global && global.getConstant() && global.isPrivate() &&
                 isa_and_nonnull<ElementsAttr>(global.getInitialValueAttr());
  return isKnown ? global : memref::GlobalOp();
}

/// The bytes of an attribute's elements, one after the other, or of the only
/// one that all of them are.
static ArrayRef<char> getBytes(Attribute value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

namespace {

/// Puts the numbers of a matrix where the panels want them.
class PanelFiller {
public:
  PanelFiller(const RegisterTile &tile, int64_t depth, bool transposed,
              ArrayRef<int64_t> shape)
      : tile(tile), stepDepth(depth), transposed(transposed),
        terms(shape[transposed ? 1 : 0]), columns(shape[transposed ? 0 : 1]) {}

  /// The panels' sizes; what fills them up is 0.
  SmallVector<int64_t> getShape() const {
    return getPanelsShape(tile, stepDepth, terms, columns);
  }
  /// `bytes` are those of the matrix, of elements of `size` bytes.
  std::vector<char> fill(ArrayRef<char> bytes, int64_t size) const;

private:
  const RegisterTile &tile;
  int64_t stepDepth;
  bool transposed;
  int64_t terms, columns;
};

} // namespace

static float widen(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

/// As the instruction does that kernels have: to nearest, and denormal numbers
/// become 0.
static uint16_t roundToBF16(float number) {
  auto bits = llvm::bit_cast<uint32_t>(number);
  constexpr uint32_t exponent = 0x7f800000, sign = 0x80000000, quiet = 0x40;
  if ((bits & exponent) == 0)
    return uint16_t((bits & sign) >> 16);
  if (std::isnan(number))
    return uint16_t(bits >> 16 | quiet);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint16_t cut(float number) {
  return uint16_t(llvm::bit_cast<uint32_t>(number) >> 16);
}

/// A number of f32, or of f16, which has half of its size.
static float read(const char *bytes, int64_t size) {
  if (size == sizeof(float)) {
    float number;
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  }
  uint16_t half;
  std::memcpy(&half, bytes, sizeof(half));
  APFloat number(APFloat::IEEEhalf(), APInt(16, half));
  return float(number.convertToDouble());
}

std::vector<char> PanelFiller::fill(ArrayRef<char> bytes, int64_t size) const {
  SmallVector<int64_t> shape = getShape();
  int64_t width = tile.getColumns(), each = tile.getTerms();
  bool isSplat = static_cast<int64_t>(bytes.size()) == size;
  int64_t stored = tile.getVectorType().getElementTypeBitWidth() / 8 / each;
  int64_t partSize = shape[2] / tile.parts * width * each;
  std::vector<char> panels(ShapedType::getNumElements(shape) * each * stored);
  for (int64_t term = 0; term < terms; ++term) {
    int64_t step = term / stepDepth, k = term % stepDepth;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t from =
          transposed ? column * terms + term : term * columns + column;
      int64_t to = step * shape[1] + column / width;
      to = (to * shape[2] + k / each) * width + column % width;
      to = to * each + k % each;
      const char *source = bytes.data() + (isSplat ? 0 : from * size);
      if (tile.parts == 1) {
        std::memcpy(&panels[to * stored], source, size);
        continue;
      }
      float rest = read(source, size);
      for (int64_t part = 0; part < tile.parts; ++part) {
        uint16_t rounded = tile.isCut(part) ? cut(rest) : roundToBF16(rest);
        std::memcpy(&panels[(to + part * partSize) * stored], &rounded, stored);
        rest = tile.areHalves ? getSecondHalf(rest) : rest - widen(rounded);
      }
    }
  }
  return panels;
}

/// A constant with these numbers; equal ones are one.
static memref::GlobalOp createConstant(memref::GlobalOp source,
                                       DenseElementsAttr values) {
  auto module = source->getParentOfType<ModuleOp>();
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getInitialValueAttr() == values)
      return global;
  SymbolTable symbols(module);
  OpBuilder detached(source.getContext());
  auto shaped = cast<ShapedType>(values.getType());
  auto packed = memref::GlobalOp::create(
      detached, source.getLoc(), (source.getSymName() + "_panels").str(),
      detached.getStringAttr("private"),
      MemRefType::get(shaped.getShape(), shaped.getElementType()), values,
      /*constant=*/true, detached.getI64IntegerAttr(64));
  // Which makes its name one of its own.
  symbols.insert(packed, std::next(source->getIterator()));
  return packed;
}

SmallVector<int64_t> attn::getPanelsShape(const RegisterTile &tile,
                                          int64_t depth, int64_t terms,
                                          int64_t columns) {
  int64_t steps = llvm::divideCeil(terms, depth);
  int64_t panels = llvm::divideCeil(columns, tile.getColumns());
  return {steps, panels, tile.parts * getPanelSteps(tile, depth),
          tile.getColumns()};
}

const char *attn::whyNotAhead(ContractionScheduleAttr schedule,
                              const RegisterTile &tile, ShapedType matrix) {
  if (matrix.getRank() != 2 || !matrix.hasStaticShape() ||
      matrix.getNumElements() == 0)
    return "it is no matrix whose sizes are known";
  if (schedule.getDirect() || schedule.getTurned())
    return "it is read where it lies";
  if (tile.getTerms() == 1 && matrix.getElementType() != tile.element)
    return "its elements are widened, which would take more memory at each "
           "call";
  return nullptr;
}

Value attn::findPanels(const MatrixProduct &product,
                       ContractionScheduleAttr schedule, FloatType compute) {
  Value matrix = product.rhs.memref;
  while (auto cast = matrix.getDefiningOp<memref::CastOp>())
    matrix = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(matrix);
  auto func =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!func || !argument.getOwner()->isEntryBlock())
    return {};
  auto name =
      func.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kPackedAttr);
  auto type = cast<MemRefType>(matrix.getType());
  RegisterTile tile = getRegisterTile(schedule, compute, product.lhs.memref,
                                      product.rhs.memref);
  if (!name || whyNotAhead(schedule, tile, type))
    return {};
  SmallVector<int64_t> shape = getPanelsShape(
      tile, schedule.getDepth(), type.getDimSize(product.rhsTransposed ? 1 : 0),
      type.getDimSize(product.rhsTransposed ? 0 : 1));
  auto arePanels = [&](BlockArgument other) {
    auto panels = dyn_cast<MemRefType>(other.getType());
    return func.getArgAttr(other.getArgNumber(), kPanelsOfAttr) == name &&
           panels && panels.getShape() == ArrayRef(shape) &&
           panels.getElementType() == compute;
  };
  for (BlockArgument other : argument.getOwner()->getArguments())
    if (arePanels(other))
      return other;
  return {};
}

Value attn::packConstant(OpBuilder &builder, Operation *user,
                         const MatrixProduct &product,
                         ContractionScheduleAttr schedule, FloatType compute) {
  memref::GlobalOp global = findConstant(user, product.rhs.memref);
  if (!global)
    return {};
  RegisterTile tile = getRegisterTile(schedule, compute, product.lhs.memref,
                                      product.rhs.memref);
  MemRefType type = global.getType();
  if (whyNotAhead(schedule, tile, type) || !type.getLayout().isIdentity() ||
      !llvm::all_of(product.rhs.batchStrides, isZeroInteger))
    return {};
  int64_t size = type.getElementTypeBitWidth() / 8;
  ArrayRef<char> bytes = getBytes(*global.getInitialValue());
  int64_t count = static_cast<int64_t>(bytes.size()) / size;
  if (count == 0 || (count != 1 && count != type.getNumElements()))
    return {};
  PanelFiller filler(tile, schedule.getDepth(), product.rhsTransposed,
                     type.getShape());
  std::vector<char> panels = filler.fill(bytes, size);
  auto values = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(filler.getShape(), compute), panels);
  Remark(RemarkId::ContractionPacked,
         {{"bytes", std::to_string(panels.size())}})
      .emit(user->getLoc());
  memref::GlobalOp packed = createConstant(global, values);
  return memref::GetGlobalOp::create(builder, user->getLoc(), packed.getType(),
                                     packed.getSymName());
}
