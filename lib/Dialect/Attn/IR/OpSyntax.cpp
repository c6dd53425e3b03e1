//===- OpSyntax.cpp - How the attention ops are printed -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"

#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

static void printList(OpAsmPrinter &printer, StringRef keyword,
                      ArrayAttr attributes) {
  if (attributes.empty())
    return;
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(attributes, printer);
  printer << ']';
}

static void printValues(OpAsmPrinter &printer, StringRef keyword,
                        OperandRange values, bool typed) {
  if (values.empty())
    return;
  printer << ' ' << keyword << '(' << values;
  if (typed)
    printer << " : " << values.getTypes();
  printer << ')';
}

/// Whether the op's maps are what its text would read back without them.
static bool hasDefaultMaps(AttentionOpInterface op) {
  if (!isa<AttentionOp>(op.getOperation()))
    return false;
  ScopedDiagnosticHandler silence(op.getContext(),
                                  [](Diagnostic &) { return success(); });
  auto emitError = [&] { return mlir::emitError(op.getLoc()); };
  FailureOr<SmallVector<ParamSpec>> specs =
      collectParamSpecs(op->getAttrDictionary(), op.getParams().size(),
                        op.getScoreBody() != nullptr, emitError);
  if (failed(specs))
    return false;
  FailureOr<SmallVector<AffineMap>> maps = getDefaultIndexingMaps(
      op.getShapedInputs().getTypes(), op.getParams().getTypes(), *specs,
      op.getShapedOutputs().getTypes(), op.getContext(), emitError);
  return succeeded(maps) && *maps == op.getMaps();
}

static void printOp(AttentionOpInterface op, OpAsmPrinter &printer) {
  if (op->hasAttr("packed"))
    printer << " packed";
  printer << " scale(" << op.getScale() << ')';
  if (!isa<DotAttr>(op.getSimilarity()))
    printer << " similarity(" << op.getSimilarity() << ')';
  printer << " softmax(" << op.getNormalizer() << ')';
  if (std::optional<Alignment> align = op.getAlign())
    printer << " align(" << stringifyAlignment(*align) << ')';
  printList(printer, "bias", op.getBiases());
  printList(printer, "masks", op.getMasks());
  if (FloatAttr cap = op.getSoftcapAttr()) {
    printer << " softcap(";
    printDouble(printer, cap.getValueAsDouble());
    printer << ')';
  }
  if (auto probes = op->getAttrOfType<ArrayAttr>("probes"))
    printList(printer, "probes", probes);
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
    if (auto changes = op->getAttrOfType<ArrayAttr>(getRowChangesName(rows)))
      printList(printer, getRowChangesName(rows), changes);
  if (std::optional<Products> products = getProducts(op))
    printer << " products(" << stringifyProducts(*products) << ')';
  if (Attribute schedule = op->getAttr("schedule"))
    printer << " schedule(" << schedule << ')';
  if (!hasDefaultMaps(op))
    printList(printer, "indexing_maps", op.getIndexingMaps());
  printValues(printer, "origin", op.getOrigin(), false);
  printValues(printer, "sizes", op.getSizes(), false);
  printValues(printer, "ins", op.getShapedInputs(), true);
  printValues(printer, "params", op.getParams(), true);
  printValues(printer, "outs", op.getShapedOutputs(), true);
  if (Region *body = op.getScoreBody()) {
    printer << " score ";
    printer.printRegion(*body);
  }
  printer.printOptionalAttrDict(
      op->getAttrs(),
      {"scale", "similarity", "normalizer", "align", "biases", "masks",
       "softcap", "probes", "load_query", "load_key", "schedule",
       "indexing_maps", "operandSegmentSizes", "packed", kProductsAttrName});
  if (op->getNumResults() > 0)
    printer << " -> " << op->getResultTypes();
}

#define ATTN_DEFINE_SYNTAX(OpTy)                                               \
  void OpTy::print(OpAsmPrinter &printer) {                                    \
    printOp(cast<AttentionOpInterface>(getOperation()), printer);              \
  }
ATTN_DEFINE_SYNTAX(AttentionOp)
ATTN_DEFINE_SYNTAX(OnlineAttentionOp)
ATTN_DEFINE_SYNTAX(PackQueryOp)
ATTN_DEFINE_SYNTAX(FinalizeOp)
#undef ATTN_DEFINE_SYNTAX
