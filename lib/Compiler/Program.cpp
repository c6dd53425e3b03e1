//===- Program.cpp - The file, its entries and their types ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Program.h"
#include "attn/Compiler/InputFile.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/TMTensor/TMTensor.h"
#include "attn/Support/CrashGuard.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace attn;
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

std::string attn::formatLocation(Location location, StringRef file) {
  if (auto found = location->findInstanceOf<FileLineColLoc>())
    return (found.getFilename().getValue() + ":" + Twine(found.getLine()))
        .str();
  return file.str();
}

std::string attn::formatLocation(Operation *op, StringRef file) {
  return formatLocation(op->getLoc(), file);
}

void attn::exportOnly(ModuleOp module, ArrayRef<std::string> entries) {
  for (auto function : module.getOps<func::FuncOp>())
    if (llvm::is_contained(entries, function.getSymName()))
      function.setPublic();
    else
      function.setPrivate();
}

/// The forms on memrefs are for other compilers' pipelines: what is compiled
/// here is bufferized here, too.
static llvm::Error checkOperands(Operation *op, StringRef file) {
  if (!isa_and_nonnull<AttnDialect>(op->getDialect()) ||
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return llvm::Error::success();
  return createStringError(
      formatLocation(op, file) + ": '" + op->getName().getStringRef() +
      "' has memrefs as operands; kernels are compiled from ops on tensors, "
      "which become memrefs later: write it on tensors");
}

/// Only bytecode can hold such a size: the parser of text refuses it.
static llvm::Error checkSizes(Operation *op, StringRef file) {
  auto isNegative = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasRank() &&
           llvm::any_of(shaped.getShape(), [](int64_t size) {
             return size < 0 && !ShapedType::isDynamic(size);
           });
  };
  if (llvm::none_of(op->getOperandTypes(), isNegative) &&
      llvm::none_of(op->getResultTypes(), isNegative))
    return llvm::Error::success();
  return createStringError(formatLocation(op, file) + ": '" +
                           op->getName().getStringRef() +
                           "' has a tensor of a negative size: the bytecode is "
                           "broken; write it anew");
}

/// The bytes of a constant that stands at the end of the file.
static llvm::Error checkResource(Operation *op, StringRef file) {
  auto constant = op->getAttrOfType<DenseResourceElementsAttr>("value");
  if (!constant || !op->hasTrait<OpTrait::ConstantLike>())
    return llvm::Error::success();
  std::string where = formatLocation(op, file) +
                      ": the constant dense_resource<" +
                      constant.getRawHandle().getKey().str() + "> ";
  const AsmResourceBlob *blob = constant.getRawHandle().getBlob();
  if (!blob)
    return createStringError(
        where + "has no bytes in the file; write the file with its resources, "
                "or make the constant an argument");
  Type element = constant.getType().getElementType();
  int64_t numbers = constant.getType().getNumElements();
  if (auto parts = dyn_cast<ComplexType>(element)) {
    element = parts.getElementType();
    numbers *= 2;
  }
  unsigned bits = element.isIndex()        ? 64
                  : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                           : 0;
  // A truth value is a byte.
  if (bits != 1 && (bits % 8 != 0 || !llvm::isPowerOf2_32(bits) || bits > 64))
    return createStringError(where + "has elements of a type that kernels do "
                                     "not read from a file; make the constant "
                                     "an argument of another type");
  int64_t bytes = numbers * llvm::divideCeil(bits, 8);
  if (static_cast<int64_t>(blob->getData().size()) == bytes)
    return llvm::Error::success();
  return createStringError(where + "has " +
                           llvm::Twine(blob->getData().size()) +
                           " bytes in the file, and elements of " +
                           llvm::Twine(bytes) + "; write the file anew");
}

/// Calls are inlined, so each has to lead to a body and to an end. `path` are
/// the functions on the way from the entry.
static llvm::Error checkBody(func::FuncOp function, StringRef file,
                             SmallVectorImpl<Operation *> &path,
                             llvm::DenseSet<Operation *> &checked) {
  if (!checked.insert(function).second)
    return llvm::Error::success();
  if (llvm::none_of(function.getBody(), [](Block &block) {
        return isa<func::ReturnOp>(block.getTerminator());
      }))
    return createStringError(formatLocation(function, file) + ": function '" +
                             function.getSymName() +
                             "' has no end; a kernel ends with func.return");
  path.push_back(function);
  llvm::Error result = llvm::Error::success();
  function.walk([&](Operation *op) {
    if ((result = checkSizes(op, file)) || (result = checkResource(op, file)))
      return WalkResult::interrupt();
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      result = checkOperands(op, file);
      return result ? WalkResult::interrupt() : WalkResult::advance();
    }
    auto callee =
        function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
            call.getCallee());
    std::string where = formatLocation(call, file);
    if (!callee || callee.isExternal())
      result = createStringError(where + ": calls '" + call.getCallee() +
                                 "', which has no body");
    else if (llvm::is_contained(path, callee))
      result =
          createStringError(where + ": calls '" + call.getCallee() +
                            "' while that runs; kernels have no recursion");
    else
      result = checkBody(callee, file, path, checked);
    return result ? WalkResult::interrupt() : WalkResult::advance();
  });
  path.pop_back();
  return result;
}

Expected<SmallVector<func::FuncOp>>
attn::findEntries(ModuleOp module, StringRef file, StringRef name) {
  if (!name.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return createStringError(file + ": there is no function '" + name + "'");
    if (function.isExternal())
      return createStringError(formatLocation(function, file) + ": function '" +
                               name + "' has no body");
    return SmallVector<func::FuncOp>{function};
  }
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isEntryCandidate(function))
      continue;
    if (function.getSymName().empty())
      return createStringError(formatLocation(function, file) +
                               ": the function has no name");
    entries.push_back(function);
  }
  if (entries.empty())
    return createStringError(file + ": there is no public function to run");
  return entries;
}

/// What to do instead.
static StringRef getAdvice(Type type) {
  if (isa<BaseMemRefType>(type))
    return "; write the function on tensors, with attn.inout on an argument "
           "that is updated in place";
  if (isa<ComplexType>(getElementTypeOrSelf(type)))
    return "; pass real and imaginary parts, in a dimension of 2 (in PyTorch "
           "torch.view_as_real)";
  return "";
}

static llvm::Error appendTypes(TypeRange types, StringRef what,
                               const std::string &where,
                               std::vector<TensorInfo> &infos) {
  for (auto [index, type] : llvm::enumerate(types)) {
    std::optional<TensorInfo> info = describeType(type);
    if (!info) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return createStringError(
          where + ": " + what + " " + Twine(index) + " has type " + text +
          ", which kernels cannot take or return" + getAdvice(type));
    }
    for (int64_t size : info->shape)
      // Positions inside kernels are 32 bits wide.
      if (!ShapedType::isDynamic(size) && size >= int64_t(1) << 31)
        return createStringError(where + ": " + what + " " + Twine(index) +
                                 " has a dimension of 2^31 or more");
    infos.push_back(std::move(*info));
  }
  return llvm::Error::success();
}

Expected<OwningOpRef<ModuleOp>> attn::parseModule(llvm::MemoryBufferRef buffer,
                                                  MLIRContext &context) {
  if (llvm::Error error = checkNesting(buffer))
    return std::move(error);
  if (llvm::Error error = checkFrameworkDialects(buffer, [&](StringRef name) {
        return llvm::is_contained(context.getAvailableDialects(), name);
      }))
    return std::move(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(buffer), SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  // What one framework writes beside linalg is read as linalg, in which nothing
  // is left of the sizes that have to agree.
  PassManager passes(&context);
  bool isOther = false;
  if (module)
    module->walk([&](Operation *op) {
      isOther |= isa_and_present<tm_tensor::TMTensorDialect>(op->getDialect());
    });
  if (isOther)
    passes.addNestedPass<func::FuncOp>(createCheckCastsPass());
  passes.addNestedPass<func::FuncOp>(createLowerTMTensorPass());
  if (!module || failed(passes.run(*module)))
    return createStringError(buffer.getBufferIdentifier() +
                             ": is not a valid MLIR module");
  return module;
}

Expected<OwningOpRef<ModuleOp>> attn::loadModule(StringRef file,
                                                 MLIRContext &context) {
  auto buffer = readInputFile(file);
  if (!buffer)
    return buffer.takeError();
  std::shared_ptr<llvm::MemoryBuffer> input = std::move(*buffer);
  setCrashInput(input);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(*input), SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return parseModule(*input, context);
}

Expected<EntryTypes> attn::describeTypes(func::FuncOp entry, StringRef file) {
  EntryTypes result;
  std::string where = formatLocation(entry, file);
  FunctionType type = entry.getFunctionType();
  if (llvm::Error error =
          appendTypes(type.getInputs(), "argument", where, result.inputs))
    return std::move(error);
  if (llvm::Error error =
          appendTypes(type.getResults(), "result", where, result.outputs))
    return std::move(error);
  std::string problem;
  ScopedDiagnosticHandler capture(entry.getContext(), [&](Diagnostic &message) {
    problem = message.str();
    return success();
  });
  auto inOut = getInOutArguments(entry);
  if (failed(inOut))
    return createStringError(where + ": " + problem);
  result.inOut = std::move(*inOut);
  if (result.outputs.empty())
    return createStringError(where + ": the function has no results");
  SmallVector<Operation *> path;
  llvm::DenseSet<Operation *> checked;
  if (llvm::Error error = checkBody(entry, file, path, checked))
    return std::move(error);
  return result;
}

Expected<Program> attn::loadProgram(StringRef file, StringRef name,
                                    MLIRContext &context) {
  auto module = loadModule(file, context);
  if (!module)
    return module.takeError();
  file = getInputName(file);
  auto entries = findEntries(**module, file, name);
  if (!entries)
    return entries.takeError();
  if (entries->size() > 1) {
    std::string names = llvm::join(
        llvm::map_range(*entries,
                        [](func::FuncOp f) { return f.getSymName().str(); }),
        ", ");
    return createStringError(file +
                             ": choose the function with --entry: " + names);
  }
  auto types = describeTypes(entries->front(), file);
  if (!types)
    return types.takeError();
  Program program;
  static_cast<EntryTypes &>(program) = std::move(*types);
  program.module = std::move(*module);
  program.entry = entries->front();
  return program;
}
