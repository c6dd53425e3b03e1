//===- EntryDescription.cpp - What a header says of an entry --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryDescription.h"
#include "attn/Conversion/EntryABI/DimsFunction.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// Gives each class of equal dynamic sizes a name: n0, n1, ... in the order of
/// the arguments.
class DimNames {
public:
  std::string getName(func::FuncOp entry, unsigned argument, unsigned dim) {
    auto type = cast<RankedTensorType>(entry.getArgumentTypes()[argument]);
    if (!type.isDynamicDim(dim))
      return std::to_string(type.getDimSize(dim));
    if (auto sizes =
            entry.getArgAttrOfType<DenseI64ArrayAttr>(argument, kDimSizesAttr))
      if (sizes[dim] >= 0)
        return std::to_string(sizes[dim]);
    // A dimension of no class stands for itself alone.
    std::pair<int64_t, int64_t> key{-1 - int64_t(argument), dim};
    if (auto classes = entry.getArgAttrOfType<DenseI64ArrayAttr>(
            argument, kDimClassesAttr))
      key = {0, classes[dim]};
    auto [found, isNew] = numbers.try_emplace(key, numbers.size());
    return "n" + std::to_string(found->second);
  }

private:
  llvm::MapVector<std::pair<int64_t, int64_t>, size_t> numbers;
};

} // namespace

/// The sizes of the outputs, one after the other, in terms of the inputs'
/// dimensions. `?` where they are computed.
static std::vector<std::string> getOutputDims(func::FuncOp entry,
                                              ArrayRef<std::string> inputDims) {
  // What computes the sizes is internal in the words of the LLVM dialect, which
  // no earlier phase needs.
  entry.getContext()->getOrLoadDialect<LLVM::LLVMDialect>();
  // The clone is simplified beyond recognition; the module is not to change.
  OwningOpRef<ModuleOp> scratch(ModuleOp::create(entry.getLoc()));
  auto clone = cast<func::FuncOp>(entry->clone());
  scratch->push_back(clone);
  std::vector<std::string> dims;
  // Where this fails, the lowering will say so for all to hear.
  ScopedDiagnosticHandler silence(entry.getContext(),
                                  [](Diagnostic &) { return success(); });
  PassManager manager(entry.getContext());
  manager.addPass(createConvertElementwiseToLinalgPass());
  if (failed(manager.run(*scratch)))
    return dims;
  FailureOr<func::FuncOp> function = createDimsFunction(clone);
  if (failed(function))
    return dims;
  Operation *terminator = function->getBody().back().getTerminator();
  // The context comes before the sizes, a status behind those of the results.
  for (Value size : terminator->getOperands().drop_back()) {
    APInt constant;
    if (auto argument = dyn_cast<BlockArgument>(size))
      dims.push_back(inputDims[argument.getArgNumber() - 1]);
    else if (matchPattern(size, m_ConstantInt(&constant)))
      dims.push_back(std::to_string(constant.getSExtValue()));
    else
      dims.push_back("?");
  }
  return dims;
}

/// `4*n0*64`, with the numbers multiplied out and in front.
static std::string formatBytes(const ParameterDescription &parameter) {
  int64_t factor = getElementSize(parameter.kind);
  std::string names;
  for (const std::string &dim : parameter.dims) {
    int64_t size;
    if (StringRef(dim).getAsInteger(10, size))
      names += "*" + dim;
    else
      factor *= size;
  }
  return std::to_string(factor) + names;
}

/// Empty where a size is only known to NAME__shapes.
static std::string formatTotalBytes(const EntryDescription &entry) {
  std::vector<std::string> terms;
  for (const auto *parameters : {&entry.inputs, &entry.outputs})
    for (const ParameterDescription &parameter : *parameters) {
      if (llvm::is_contained(parameter.dims, "?"))
        return "";
      terms.push_back(formatBytes(parameter));
    }
  return llvm::join(terms, " + ");
}

llvm::Expected<EntryDescription> attn::describeEntry(func::FuncOp entry,
                                                     StringRef file) {
  auto types = describeTypes(entry, file);
  if (!types)
    return types.takeError();
  EntryDescription result;
  result.name = entry.getSymName().str();
  DimNames names;
  std::vector<std::string> inputDims;
  for (auto [i, info] : llvm::enumerate(types->inputs)) {
    ParameterDescription parameter;
    parameter.name = "arg" + std::to_string(i);
    parameter.kind = info.kind;
    for (unsigned d = 0; d < info.shape.size(); ++d)
      parameter.dims.push_back(names.getName(entry, i, d));
    if (auto of = entry.getArgAttrOfType<IntegerAttr>(i, kPanelsOfAttr))
      parameter.panelsOf = of.getInt();
    llvm::append_range(inputDims, parameter.dims);
    result.inputs.push_back(std::move(parameter));
  }
  std::vector<std::string> outputDims = getOutputDims(entry, inputDims);
  size_t next = 0;
  for (auto [i, info] : llvm::enumerate(types->outputs)) {
    if (std::optional<unsigned> input = types->inOut[i]) {
      result.inputs[*input].updatedTo = i;
      continue;
    }
    ParameterDescription parameter;
    parameter.name = "out" + std::to_string(i);
    parameter.kind = info.kind;
    for (int64_t size : info.shape) {
      bool isStatic = !ShapedType::isDynamic(size);
      parameter.dims.push_back(isStatic                   ? std::to_string(size)
                               : next < outputDims.size() ? outputDims[next]
                                                          : "?");
      ++next;
    }
    result.outputs.push_back(std::move(parameter));
  }
  result.bytesFormula = formatTotalBytes(result);
  return result;
}
