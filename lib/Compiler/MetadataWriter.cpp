//===- MetadataWriter.cpp - What a build system may want to know ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn-runtime/attn_runtime.h"
#include "attn/Compiler/Artifact.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct DataType {
  StringRef code;
  unsigned bits;
};

/// The element type in DLPack's words.
DataType getDataType(ElementKind kind) {
  unsigned bits = 8 * getElementSize(kind);
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::F32:
  case ElementKind::F16:
    return {"kDLFloat", bits};
  case ElementKind::BF16:
    return {"kDLBfloat", bits};
  case ElementKind::Bool:
    return {"kDLBool", bits};
  case ElementKind::I8:
  case ElementKind::I16:
  case ElementKind::I32:
  case ElementKind::I64:
    return {"kDLInt", bits};
  case ElementKind::U8:
  case ElementKind::U16:
  case ElementKind::U32:
  case ElementKind::U64:
    return {"kDLUInt", bits};
  }
  llvm_unreachable("unknown element kind");
}

void writeStrings(json::OStream &os, StringRef key,
                  llvm::ArrayRef<std::string> values) {
  os.attributeArray(key, [&] {
    for (const std::string &value : values)
      os.value(value);
  });
}

/// Static sizes as numbers, others by name.
void writeShape(json::OStream &os, llvm::ArrayRef<std::string> dims) {
  os.attributeArray("shape", [&] {
    for (const std::string &dim : dims) {
      int64_t size;
      if (StringRef(dim).getAsInteger(10, size))
        os.value(dim);
      else
        os.value(size);
    }
  });
}

void writeParameters(json::OStream &os, StringRef key,
                     llvm::ArrayRef<ParameterDescription> parameters) {
  os.attributeArray(key, [&] {
    for (const ParameterDescription &parameter : parameters)
      os.object([&] {
        DataType type = getDataType(parameter.kind);
        os.attribute("name", parameter.name);
        os.attribute("dtype", getElementName(parameter.kind));
        os.attributeObject("dlpack", [&] {
          os.attribute("code", type.code);
          os.attribute("bits", type.bits);
          os.attribute("lanes", 1);
        });
        writeShape(os, parameter.dims);
        // What is updated is never copied, so its rows must be contiguous.
        os.attribute("strides", parameter.updatedTo ? "last is 1" : "any");
        if (parameter.updatedTo)
          os.attribute("updated_to_result", *parameter.updatedTo);
        if (parameter.panelsOf)
          os.attribute("panels_of_input", *parameter.panelsOf);
      });
  });
}

void writeEntry(json::OStream &os, const EntryDescription &entry) {
  os.attribute("name", entry.name);
  os.attribute("shapes_function", getShapesFunctionName(entry.name));
  writeParameters(os, "inputs", entry.inputs);
  writeParameters(os, "outputs", entry.outputs);
  if (entry.flops)
    os.attribute("flops", *entry.flops);
  if (!entry.bytesFormula.empty())
    os.attribute("bytes", entry.bytesFormula);
}

void writeUsage(json::OStream &os, const KernelUsage &kernel) {
  os.attribute("name", kernel.name);
  os.attribute("registers", kernel.registers);
  os.attribute("stack_bytes", kernel.stackBytes);
  os.attribute("spill_store_bytes", kernel.spillStoreBytes);
  os.attribute("spill_load_bytes", kernel.spillLoadBytes);
  os.attribute("static_shared_bytes", kernel.sharedBytes);
}

/// A formula with the names that the entry's sizes have, which types know.
std::string nameSizes(StringRef formula, const EntryDescription &entry) {
  std::string text;
  while (true) {
    auto [before, rest] = formula.split("size(");
    text += before;
    if (rest.empty())
      return text;
    unsigned tensor = 0, dim = 0;
    rest.consumeInteger(10, tensor);
    rest.consume_front(",");
    rest.consumeInteger(10, dim);
    size_t inputs = entry.inputs.size();
    text += (tensor < inputs ? entry.inputs[tensor]
                             : entry.outputs[tensor - inputs])
                .dims[dim];
    formula = rest.drop_front(); // The bracket.
  }
}

/// A number where a formula is one.
void writeFormula(json::OStream &os, StringRef formula,
                  const EntryDescription &entry) {
  int64_t number;
  if (formula.getAsInteger(10, number))
    os.value(nameSizes(formula, entry));
  else
    os.value(number);
}

void writeLaunch(json::OStream &os, const LaunchRecord &launch,
                 const EntryDescription &entry) {
  os.attribute("entry", launch.entry);
  os.attribute("kernel", launch.kernel);
  os.attributeArray("grid", [&] {
    for (const std::string &blocks : launch.grid)
      writeFormula(os, blocks, entry);
  });
  os.attributeArray("block", [&] {
    for (int64_t threads : launch.block)
      os.value(threads);
  });
  os.attributeArray("cluster", [&] {
    for (int64_t blocks : launch.cluster)
      os.value(blocks);
  });
  os.attributeBegin("dynamic_shared_bytes");
  writeFormula(os, launch.shared, entry);
  os.attributeEnd();
  writeStrings(os, "parameters", launch.parameters);
}

void writeDevice(json::OStream &os, const TargetCode &code,
                 llvm::ArrayRef<EntryDescription> entries) {
  const DeviceCode &device = *code.device;
  os.attribute("arch", device.arch);
  os.attribute("ptx_version", llvm::formatv("{0}.{1}", device.ptxVersion / 10,
                                            device.ptxVersion % 10)
                                  .str());
  if (!device.ptxasVersion.empty())
    os.attribute("ptxas_version", device.ptxasVersion);
  os.attribute("waits_for_device", code.waitsForDevice);
  os.attributeArray("launches", [&] {
    for (const LaunchRecord &launch : device.launches)
      for (const EntryDescription &entry : entries)
        if (entry.name == launch.entry)
          os.object([&] { writeLaunch(os, launch, entry); });
  });
  if (!device.kernels.empty())
    os.attributeArray("kernels", [&] {
      for (const KernelUsage &kernel : device.kernels)
        os.object([&] { writeUsage(os, kernel); });
    });
}

void writeTarget(json::OStream &os, const TargetCode &code,
                 llvm::ArrayRef<EntryDescription> entries) {
  os.attribute("target", code.target.name);
  os.attribute("isa", code.isa);
  // `cpu` means the machine that compiled; another one gives other code.
  os.attribute("features_of_compiling_host", code.target.name == "cpu");
  os.attribute("triple", code.target.triple);
  writeStrings(os, "features", code.target.features);
  os.attributeArray("kernels", [&] {
    for (const KernelInfo &kernel : code.kernels)
      os.object([&] {
        os.attribute("name", kernel.name);
        os.attribute("schedule", kernel.schedule);
      });
  });
  os.attributeObject("context", [&] {
    os.attribute("needs_alloc", code.needsAlloc);
    os.attribute("calls_parallel_for", code.callsParallelFor);
    StringRef stack = code.device ? "none" : "stack, at most 64 KiB";
    os.attribute("scratch", code.needsAlloc ? "ctx->alloc" : stack);
  });
  if (code.device)
    os.attributeObject("device", [&] { writeDevice(os, code, entries); });
  os.attributeArray("remarks", [&] {
    for (const CompilerMessage &remark : code.remarks)
      os.value(json::fixUTF8(remark.format()));
  });
}

} // namespace

std::string attn::writeMetadata(const Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream, /*IndentSize=*/2);
  os.object([&] {
    os.attribute("abi_version", ATTN_ABI_VERSION);
    os.attribute("checks", artifact.innerChecks ? "all" : "entry");
    os.attributeArray("entries", [&] {
      for (const EntryDescription &entry : artifact.entries)
        os.object([&] { writeEntry(os, entry); });
    });
    os.attributeArray("targets", [&] {
      for (const TargetCode &code : artifact.targets)
        os.object([&] { writeTarget(os, code, artifact.entries); });
    });
    writeStrings(os, "undefined_symbols", artifact.undefinedSymbols);
  });
  os.flush();
  text += "\n";
  return text;
}
