//===- HeaderWriter.cpp - The C header of compiled kernels ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTexts.h"
#include "attn/Compiler/Artifact.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Target/CPU/Dispatch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::StringRef;

/// include/attn-runtime/attn_runtime.h, so that a header needs no other file.
static constexpr char kRuntimeHeader[] =
#include "RuntimeHeader.inc"
    ;

StringRef attn::getRuntimeHeader() { return kRuntimeHeader; }

/// How a host declares elements of a kind.
static StringRef getElementDoc(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "double {kDLFloat, 64, 1}";
  case ElementKind::F32:
    return "float {kDLFloat, 32, 1}";
  case ElementKind::F16:
    return "IEEE half {kDLFloat, 16, 1}";
  case ElementKind::BF16:
    return "bfloat16 {kDLBfloat, 16, 1}";
  case ElementKind::Bool:
    return "bytes, zero or not {kDLUInt, 8, 1}";
  case ElementKind::I8:
    return "int8_t {kDLInt, 8, 1}";
  case ElementKind::I16:
    return "int16_t {kDLInt, 16, 1}";
  case ElementKind::I32:
    return "int32_t {kDLInt, 32, 1}";
  case ElementKind::I64:
    return "int64_t {kDLInt, 64, 1}";
  case ElementKind::U8:
    return "uint8_t {kDLUInt, 8, 1}";
  case ElementKind::U16:
    return "uint16_t {kDLUInt, 16, 1}";
  case ElementKind::U32:
    return "uint32_t {kDLUInt, 32, 1}";
  case ElementKind::U64:
    return "uint64_t {kDLUInt, 64, 1}";
  }
  llvm_unreachable("unknown element kind");
}

static void writeParameterDoc(const EntryDescription &entry,
                              const ParameterDescription &parameter,
                              llvm::raw_ostream &os) {
  os << " *   " << parameter.name << "  [" << llvm::join(parameter.dims, ", ")
     << "]  " << getElementDoc(parameter.kind) << "\n";
  if (parameter.updatedTo)
    os << " *         updated in place: it is also result "
       << *parameter.updatedTo << "; last stride 1\n";
  if (parameter.panelsOf)
    os << " *         the panels of " << entry.inputs[*parameter.panelsOf].name
       << ", as " << getPackingName(entry.name, *parameter.panelsOf)
       << " writes them\n";
  if (llvm::any_of(entry.inputs, [&](const ParameterDescription &other) {
        return other.panelsOf && &entry.inputs[*other.panelsOf] == &parameter;
      }))
    os << " *         only its sizes are read\n";
}

static bool hasDim(const EntryDescription &entry,
                   llvm::function_ref<bool(StringRef)> matches) {
  for (const auto *parameters : {&entry.inputs, &entry.outputs})
    for (const ParameterDescription &parameter : *parameters)
      if (llvm::any_of(parameter.dims, matches))
        return true;
  return false;
}

static void writeDoc(const EntryDescription &entry, llvm::raw_ostream &os) {
  os << "/* " << entry.name << ": inputs\n";
  for (const ParameterDescription &input : entry.inputs)
    writeParameterDoc(entry, input, os);
  os << " * outputs, whose memory the caller owns\n";
  for (const ParameterDescription &output : entry.outputs)
    writeParameterDoc(entry, output, os);
  if (hasDim(entry, [](StringRef dim) { return dim.starts_with("n"); }))
    os << " * n0, n1, ...: any sizes; the same name is the same size, and the "
          "kernel\n * checks it.\n";
  if (hasDim(entry, [](StringRef dim) { return dim == "?"; }))
    os << " * ?: a size that " << getShapesFunctionName(entry.name)
       << " computes.\n";
  os << " * Any strides, in elements (null = compact, row-major); outputs "
        "overlap nothing.\n * Returns ATTN_OK or another attn_status; then "
        "attn_error_message(ctx) says why. */\n";
}

static void writePrototype(StringRef name,
                           llvm::ArrayRef<std::string> parameters,
                           llvm::raw_ostream &os) {
  os << "int " << name << "(const attn_context *ctx";
  for (const std::string &parameter : parameters)
    os << ",\n    " << parameter;
  os << ");\n";
}

/// Also for who asks for one instruction set by its name.
static void writeClones(const EntryDescription &entry,
                        llvm::ArrayRef<TargetCode> targets,
                        llvm::ArrayRef<std::string> parameters,
                        llvm::raw_ostream &os) {
  os << "\n/* " << entry.name
     << " for one instruction set, which the processor must have: nothing asks "
        "it.\n * "
     << entry.name << " itself takes the best that it has. */\n";
  for (const TargetCode &code : targets)
    writePrototype(getCloneName(entry.name, code.target), parameters, os);
}

static void writeEntry(const EntryDescription &entry,
                       llvm::ArrayRef<TargetCode> targets, bool isDevice,
                       llvm::raw_ostream &os) {
  std::vector<std::string> parameters;
  for (const ParameterDescription &input : entry.inputs)
    parameters.push_back("DLTensor *" + input.name);
  std::vector<std::string> shapesParameters = parameters;
  for (const ParameterDescription &output : entry.outputs)
    parameters.push_back("DLTensor *" + output.name);
  shapesParameters.push_back("int64_t *dims");
  writeDoc(entry, os);
  if (isDevice)
    os << "/* The data of all tensors lie in device memory (kDLCUDA), and ctx "
          "is "
          "the base of\n * an attn_gpu_context. */\n";
  writePrototype(entry.name, parameters, os);
  // Host code of a GPU's kernels has one form.
  if (!isDevice)
    writeClones(entry, targets, parameters, os);
  os << "\n/* Stores the sizes of all outputs of " << entry.name
     << ", one after the other, in dims.\n * Reads only the shapes of the "
        "inputs: their data may be null. */\n";
  writePrototype(getShapesFunctionName(entry.name), shapesParameters, os);
  os << "\n";
}

std::string attn::writeHeader(const Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string names = llvm::join(
      llvm::map_range(artifact.entries,
                      [](const EntryDescription &e) { return e.name; }),
      ", ");
  std::string guard = "ATTN_KERNEL";
  for (const EntryDescription &entry : artifact.entries)
    guard += "_" + entry.name;
  os << "/* Kernels compiled by attn-mlir: " << names
     << ". Generated; nothing else is needed\n * to call them. */\n#ifndef "
     << guard << "_H\n#define " << guard << "_H\n\n"
     << kRuntimeHeader << "\n";
  bool isDevice = isForDevice(artifact);
  if (isDevice)
    os << getDeviceHeaders() << "\n";
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const EntryDescription &entry : artifact.entries)
    writeEntry(entry, artifact.targets, isDevice, os);
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << "_H */\n";
  return text;
}
