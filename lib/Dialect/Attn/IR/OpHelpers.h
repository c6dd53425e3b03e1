//===- OpHelpers.h - Shared by the files of the ops -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_OPHELPERS_H
#define ATTN_LIB_DIALECT_ATTN_IR_OPHELPERS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// The attribute that holds the changes of these rows.
inline llvm::StringRef getRowChangesName(LoadedRows rows) {
  return rows == LoadedRows::Query ? "load_query" : "load_key";
}

/// The params of one change of these rows.
llvm::SmallVector<ParamSpec> getRowChangeSpecs(mlir::Attribute change,
                                               LoadedRows rows);

/// Checks the changes themselves, not their params.
mlir::LogicalResult
verifyRowChanges(AttentionOpInterface op, int64_t headDim,
                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// What a message calls the operand of indexing map `index`, and an iteration
/// dimension.
std::string getOperandName(AttentionOpInterface op, unsigned index,
                           llvm::ArrayRef<ParamSpec> specs);
std::string getDimName(AttentionOpInterface op, unsigned dim);

/// How many params there are, and what each policy needs.
std::string describeParams(llvm::ArrayRef<mlir::Attribute> policies,
                           unsigned numFound);
/// The policies of an op in the order of their params.
llvm::SmallVector<mlir::Attribute> getPolicies(mlir::DictionaryAttr attributes);

/// Checks the schedule, if there is one, against the op that carries it.
mlir::LogicalResult verifySchedule(ScheduledOpInterface op);

/// Text form of the options of #attn.row_norm.
mlir::ParseResult parseRowNormOptions(mlir::AsmParser &parser, EpsMode &mode,
                                      bool &gamma, bool &beta);
void printRowNormOptions(mlir::AsmPrinter &printer, EpsMode mode, bool gamma,
                         bool beta);

/// What an op does to the rows that it loads; null where it does nothing.
struct RowChangeLists {
  mlir::ArrayAttr query, key;
};

/// The specs of all params in order. The region's params, of which there are
/// as many as the policies leave of `numParams`, may use every dimension.
mlir::FailureOr<llvm::SmallVector<ParamSpec>>
collectParamSpecs(mlir::Attribute scale, mlir::ArrayAttr biases,
                  mlir::ArrayAttr masks, mlir::Attribute normalizer,
                  RowChangeLists loads, unsigned numParams, bool hasRegion,
                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The same from an attribute list or dictionary, which may lack or mistype
/// what is needed.
template <typename Attributes>
mlir::FailureOr<llvm::SmallVector<ParamSpec>>
collectParamSpecs(const Attributes &attributes, unsigned numParams,
                  bool hasRegion,
                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
  return collectParamSpecs(
      attributes.get("scale"),
      llvm::dyn_cast_or_null<mlir::ArrayAttr>(attributes.get("biases")),
      llvm::dyn_cast_or_null<mlir::ArrayAttr>(attributes.get("masks")),
      attributes.get("normalizer"),
      {llvm::dyn_cast_or_null<mlir::ArrayAttr>(
           attributes.get(getRowChangesName(LoadedRows::Query))),
       llvm::dyn_cast_or_null<mlir::ArrayAttr>(
           attributes.get(getRowChangesName(LoadedRows::Key)))},
      numParams, hasRegion, emitError);
}

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_OPHELPERS_H
