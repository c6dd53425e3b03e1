//===- Emulation.cpp - Kernels for another machine, emulated --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Emulation.h"
#include "../Runtime/EmulatedCall.h"
#include "CompilerDriver.h"
#include "RuntimeTexts.h"
#include "attn/Compiler/Errors.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Support/RunProgram.h"
#include "attn/Support/TemporaryFile.h"
#include "attn/Target/CPU/JIT.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstring>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

static constexpr char kCallHeader[] =
#include "EmulatedCallHeader.inc"
    ;
static constexpr char kCallSource[] =
#include "EmulatedCallSource.inc"
    ;

namespace {

/// How programs are made and run.
struct Emulator {
  std::string compiler;
  std::vector<std::string> command;
  int threads;
};

/// What stands between the context and the end of an entry's arguments.
struct Signature {
  size_t numTensors;
  size_t numSizes;
};

/// One entry as a program, which is made when it is first called: the sizes of
/// most results need no call.
class EmulatedEntry {
public:
  EmulatedEntry(const Emulator &emulator, Signature signature, StringRef object,
                StringRef name)
      : emulator(emulator), signature(signature), object(object), name(name) {}

  int32_t call(void **arguments);

private:
  llvm::Error link();
  llvm::Error run(DLTensor **tensors, int64_t *sizes, emulated_call &call);
  std::string write(DLTensor **tensors) const;
  static void readBack(StringRef file, DLTensor **tensors, int64_t *sizes,
                       emulated_call &call);

  Emulator emulator;
  Signature signature;
  std::string object, name;
  TemporaryFile program;
};

class EmulatedCode : public LoadedCode {
public:
  EmulatedCode(const Emulator &emulator, StringRef object,
               llvm::ArrayRef<CompiledEntry> entries);

  Expected<Invoker> lookup(StringRef entry) override;
  StringRef getObject() const override { return object; }

private:
  Emulator emulator;
  std::string object;
  llvm::StringMap<Signature> signatures;
};

} // namespace

static size_t countBytes(const DLTensor &tensor) {
  size_t bytes = tensor.dtype.bits / 8;
  for (int64_t size : llvm::ArrayRef(tensor.shape, tensor.ndim))
    bytes *= size;
  return bytes;
}

/// Everything in one source: the compiler needs to find no header of ours.
llvm::Error EmulatedEntry::link() {
  TemporaryFile source, kernel;
  if (llvm::Error error = source.create("c"))
    return error;
  if (llvm::Error error = kernel.create("o"))
    return error;
  if (llvm::Error error = program.create("out"))
    return error;
  if (llvm::Error error = kernel.write(object))
    return error;
  std::string text =
      getRuntimeHeader().str() + kCallHeader + withoutOwnIncludes(kCallSource);
  if (llvm::Error error = source.write(text))
    return error;
  std::string symbol = "-DATTN_EMULATED_ENTRY=\"" + getInvokerName(name) + "\"";
  // Static, so that the emulator needs no libraries of the other machine.
  auto printed = runProgram({emulator.compiler, "-O1", "-static", symbol, "-o",
                             program.getPath(), source.getPath(),
                             kernel.getPath(), "-lm", "-lpthread"});
  return printed ? llvm::Error::success() : printed.takeError();
}

/// The call as a file. Elements are apart by cache lines.
std::string EmulatedEntry::write(DLTensor **tensors) const {
  emulated_call call = {};
  call.threads = emulator.threads;
  call.num_tensors = signature.numTensors;
  call.num_sizes = signature.numSizes;
  std::vector<emulated_tensor> described;
  std::vector<int64_t> words;
  for (const DLTensor *tensor : llvm::ArrayRef(tensors, signature.numTensors)) {
    described.push_back({0, tensor->ndim, tensor->dtype.code,
                         tensor->dtype.bits, tensor->dtype.lanes});
    words.insert(words.end(), tensor->shape, tensor->shape + tensor->ndim);
  }
  words.resize(words.size() + signature.numSizes);
  size_t tablesBytes = sizeof(call) + described.size() * sizeof(described[0]) +
                       words.size() * sizeof(words[0]);
  std::string file(tablesBytes, 0);
  for (size_t i = 0; i < described.size(); ++i) {
    file.resize(llvm::alignTo(file.size(), 64));
    described[i].data = file.size();
    if (size_t bytes = countBytes(*tensors[i]))
      file.append(static_cast<const char *>(tensors[i]->data), bytes);
  }
  char *at = file.data();
  auto put = [&](const void *data, size_t bytes) {
    if (bytes)
      std::memcpy(at, data, bytes);
    at += bytes;
  };
  put(&call, sizeof(call));
  put(described.data(), described.size() * sizeof(described[0]));
  put(words.data(), words.size() * sizeof(words[0]));
  return file;
}

/// All tensors: inputs too, as a call in this process might change them.
void EmulatedEntry::readBack(StringRef file, DLTensor **tensors, int64_t *sizes,
                             emulated_call &call) {
  std::memcpy(&call, file.data(), sizeof(call));
  size_t at = sizeof(call), dims = 0;
  for (const DLTensor *tensor : llvm::ArrayRef(tensors, call.num_tensors)) {
    emulated_tensor described;
    std::memcpy(&described, file.data() + at, sizeof(described));
    if (size_t bytes = countBytes(*tensor))
      std::memcpy(tensor->data, file.data() + described.data, bytes);
    at += sizeof(described);
    dims += tensor->ndim;
  }
  if (call.num_sizes)
    std::memcpy(sizes, file.data() + at + dims * sizeof(int64_t),
                call.num_sizes * sizeof(int64_t));
}

llvm::Error EmulatedEntry::run(DLTensor **tensors, int64_t *sizes,
                               emulated_call &call) {
  if (program.getPath().empty())
    if (llvm::Error error = link())
      return error;
  TemporaryFile file;
  if (llvm::Error error = file.create("call"))
    return error;
  if (llvm::Error error = file.write(write(tensors)))
    return error;
  llvm::SmallVector<StringRef> command(emulator.command.begin(),
                                       emulator.command.end());
  command.append({program.getPath(), file.getPath()});
  if (auto printed = runProgram(command); !printed)
    return printed.takeError();
  auto contents = llvm::MemoryBuffer::getFile(file.getPath());
  if (!contents)
    return createStringError(file.getPath() + ": " +
                             contents.getError().message());
  readBack((*contents)->getBuffer(), tensors, sizes, call);
  if (call.live_blocks)
    return createStringError("the kernel did not free " +
                             llvm::Twine(call.live_blocks) +
                             " blocks of scratch memory");
  return llvm::Error::success();
}

int32_t EmulatedEntry::call(void **arguments) {
  auto *context = static_cast<attn_context *>(arguments[0]);
  auto **tensors = reinterpret_cast<DLTensor **>(arguments + 1);
  int64_t *sizes =
      signature.numSizes
          ? static_cast<int64_t *>(arguments[signature.numTensors + 1])
          : nullptr;
  emulated_call call = {};
  std::string text;
  if (llvm::Error error = run(tensors, sizes, call)) {
    call.status = LoadedCode::kCallFailed;
    text = llvm::toString(std::move(error));
  } else {
    text = call.error;
  }
  std::strncpy(context->error, text.c_str(), sizeof(context->error) - 1);
  return call.status;
}

EmulatedCode::EmulatedCode(const Emulator &emulator, StringRef object,
                           llvm::ArrayRef<CompiledEntry> entries)
    : emulator(emulator), object(object) {
  for (const CompiledEntry &entry : entries) {
    size_t inputs = entry.types.inputs.size(), outputs = 0, sizes = 0;
    for (auto [type, input] : llvm::zip(entry.types.outputs, entry.types.inOut))
      if (!input) {
        ++outputs;
        sizes += type.shape.size();
      }
    signatures[entry.name] = {inputs + outputs, 0};
    signatures[getShapesFunctionName(entry.name)] = {inputs, sizes};
  }
}

Expected<LoadedCode::Invoker> EmulatedCode::lookup(StringRef entry) {
  auto found = signatures.find(entry);
  if (found == signatures.end())
    return createStringError("the emulator calls no '" + entry + "'");
  auto program =
      std::make_shared<EmulatedEntry>(emulator, found->second, object, entry);
  return Invoker([program](void **arguments) -> int32_t {
    return program->call(arguments);
  });
}

Expected<EntryLoader>
attn::createEmulatedLoader(const TargetDescription &target, StringRef emulator,
                           int threads) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(emulator, words);
  if (words.empty())
    return createStringError("--emulator: expected a command");
  auto program = llvm::sys::findProgramByName(words.front());
  if (!program)
    return createStringError("--emulator=" + emulator + ": " +
                             program.getError().message());
  std::optional<std::string> compiler =
      findCompilerDriver(llvm::Triple(target.triple));
  if (!compiler)
    return createStringError(
        "--emulator: no C compiler for '" + target.name +
        "' is in PATH (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)");
  Emulator made{*compiler, {words.begin(), words.end()}, threads};
  made.command.front() = *program;
  return EntryLoader(
      [made](StringRef object, llvm::ArrayRef<CompiledEntry> entries)
          -> Expected<std::unique_ptr<LoadedCode>> {
        return std::make_unique<EmulatedCode>(made, object, entries);
      });
}
