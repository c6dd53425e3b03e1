//===- Program.cpp - The file, its entry and its types --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "attn/Conversion/EntryABI.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;

bool TensorInfo::isStatic() const { return !ShapedType::isDynamicShape(shape); }

bool TensorInfo::acceptsShape(ArrayRef<int64_t> given) const {
  return given.size() == shape.size() &&
         llvm::all_of(llvm::zip(shape, given), [](auto pair) {
           auto [wanted, size] = pair;
           return ShapedType::isDynamic(wanted) || wanted == size;
         });
}

bool TensorInfo::accepts(const HostArray &array) const {
  return array.getKind() == kind && acceptsShape(array.getShape());
}

std::string TensorInfo::format() const {
  std::string text;
  for (int64_t size : shape)
    text += (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
  return text + getElementName(kind).str();
}

static std::optional<ElementKind> getElementKind(Type type) {
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementKind::Bool;
  case 8:
    return isUnsigned ? ElementKind::U8 : ElementKind::I8;
  case 16:
    return isUnsigned ? ElementKind::U16 : ElementKind::I16;
  case 32:
    return isUnsigned ? ElementKind::U32 : ElementKind::I32;
  case 64:
    return isUnsigned ? ElementKind::U64 : ElementKind::I64;
  default:
    return std::nullopt;
  }
}

/// Scalars count as tensors of rank 0.
static std::optional<TensorInfo> describeType(Type type) {
  TensorInfo info;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    info.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
  }
  std::optional<ElementKind> kind = getElementKind(element);
  if (!kind)
    return std::nullopt;
  info.kind = *kind;
  return info;
}

/// Where `op` stands in its file, as `FILE:LINE`.
static std::string formatLocation(Operation *op, StringRef file) {
  if (auto location = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return (location.getFilename().getValue() + ":" + Twine(location.getLine()))
        .str();
  return file.str();
}

static Expected<func::FuncOp> findEntry(ModuleOp module,
                                        const Options &options) {
  if (!options.entry.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(options.entry);
    if (!function)
      return createStringError(options.file + ": there is no function '" +
                               options.entry + "'");
    if (function.isExternal())
      return createStringError(formatLocation(function, options.file) +
                               ": function '" + options.entry +
                               "' has no body");
    return function;
  }
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  if (candidates.size() == 1)
    return candidates.front();
  if (candidates.empty())
    return createStringError(options.file +
                             ": there is no public function to run");
  std::string names = llvm::join(
      llvm::map_range(candidates,
                      [](func::FuncOp f) { return f.getSymName().str(); }),
      ", ");
  return createStringError(options.file +
                           ": choose the function with --entry: " + names);
}

static llvm::Error describeTypes(TypeRange types, StringRef what,
                                 const std::string &where,
                                 std::vector<TensorInfo> &infos) {
  for (auto [index, type] : llvm::enumerate(types)) {
    std::optional<TensorInfo> info = describeType(type);
    if (!info) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return createStringError(where + ": " + what + " " + Twine(index) +
                               " has type " + text +
                               ", which attn-run cannot pass");
    }
    infos.push_back(std::move(*info));
  }
  return llvm::Error::success();
}

Expected<Program> attn::run::loadProgram(const Options &options,
                                         MLIRContext &context) {
  auto buffer = llvm::MemoryBuffer::getFile(options.file);
  if (!buffer)
    return createStringError(options.file + ": " + buffer.getError().message());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  Program program;
  {
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    program.module = parseSourceFile<ModuleOp>(sources, &context);
  }
  if (!program.module)
    return createStringError(options.file + ": is not a valid MLIR module");

  Expected<func::FuncOp> entry = findEntry(*program.module, options);
  if (!entry)
    return entry.takeError();
  program.entry = *entry;
  std::string where = formatLocation(*entry, options.file);
  FunctionType type = entry->getFunctionType();
  if (llvm::Error error =
          describeTypes(type.getInputs(), "argument", where, program.inputs))
    return std::move(error);
  if (llvm::Error error =
          describeTypes(type.getResults(), "result", where, program.outputs))
    return std::move(error);
  auto inOut = getInOutArguments(*entry);
  if (failed(inOut))
    return createStringError(where + ": an argument's " + kInOutAttr +
                             " does not fit the function");
  program.inOut = std::move(*inOut);
  if (program.outputs.empty())
    return createStringError(where + ": the function has no results");
  return program;
}
