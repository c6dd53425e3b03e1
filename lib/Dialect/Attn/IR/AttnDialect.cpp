//===- AttnDialect.cpp - Registration of the attn dialect ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"
#include "InstructionVerifier.h"
#include "Suggestions.h"

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace attn;

#include "attn/Dialect/Attn/IR/AttnDialect.cpp.inc"

namespace {

/// Functions with attn ops are inlined like any others, also into the regions
/// of a residual block; the other regions hold arithmetic without calls.
struct AttnInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *to, Region *from, bool,
                       IRMapping &) const final {
    return isa<ResidualOp>(to->getParentOp()) && from->hasOneBlock();
  }
};

} // namespace

static ParseResult reportUnknownOp(OpAsmParser &parser, OperationState &state) {
  StringRef name = state.name.stripDialect();
  return parser.emitError(parser.getNameLoc())
         << "is unknown: " << describeOps(parser.getContext(), name);
}

std::optional<Dialect::ParseOpHook>
AttnDialect::getParseOperationHook(StringRef opName) const {
  if (std::optional<ParseOpHook> known = Dialect::getParseOperationHook(opName))
    return known;
  return ParseOpHook(reportUnknownOp);
}

static LogicalResult verifyContraction(Operation *op, Attribute schedule) {
  if (isa<ContractionScheduleAttr, GPUProductAttr, GPUDotsAttr>(schedule) &&
      isa<linalg::LinalgOp>(op)) {
    auto blocks = dyn_cast<ContractionScheduleAttr>(schedule);
    return verifyPartsOn(op, blocks ? blocks.getParts() : 1,
                         [&] { return op->emitOpError(); });
  }
  return op->emitOpError()
         << kContractionAttrName
         << " is the #attn.contraction_schedule, #attn.gpu_product or "
            "#attn.gpu_dots of a "
            "structured op, got "
         << schedule;
}

static LogicalResult verifyProducts(Operation *op, Attribute value) {
  if (!isa<ProductsAttr>(value))
    return op->emitOpError()
           << kProductsAttrName << " must be a #attn.products, got " << value;
  if (!makesProducts(op))
    return op->emitOpError() << kProductsAttrName
                             << " belongs on attn.attention, attn.linear or a "
                                "structured product";
  return success();
}

LogicalResult AttnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kContractionAttrName)
    return verifyContraction(op, attribute.getValue());
  if (attribute.getName() == kProductsAttrName)
    return verifyProducts(op, attribute.getValue());
  if (attribute.getName() != kTargetAttrName)
    return success();
  if (!isa<TargetAttr>(attribute.getValue()))
    return op->emitOpError()
           << kTargetAttrName << " must be a #attn.target, got "
           << attribute.getValue();
  if (!isa<ModuleOp>(op))
    return op->emitOpError() << kTargetAttrName << " belongs on a module";
  return success();
}

void AttnDialect::initialize() {
  addInterfaces<AttnInlinerInterface, AttnBytecodeInterface>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/Attn/IR/AttnOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/Attn/IR/TransformerOps.cpp.inc"
      >();
}
