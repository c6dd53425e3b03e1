//===- Ptxas.cpp - NVIDIA's assembler, where it is installed --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/NVPTX/Ptxas.h"
#include "attn/Support/RunProgram.h"
#include "attn/Support/TemporaryFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace attn;
using llvm::createStringError;
using llvm::StringRef;

std::optional<std::string> attn::findPtxas() {
  if (auto program = llvm::sys::findProgramByName("ptxas"))
    return *program;
  return std::nullopt;
}

/// The number in front of `unit` in a line, or 0.
static int64_t readNumber(StringRef line, StringRef unit) {
  llvm::SmallVector<StringRef> matches;
  int64_t number = 0;
  if (llvm::Regex(("([0-9]+) " + unit).str()).match(line, &matches))
    matches[1].getAsInteger(10, number);
  return number;
}

/// A kernel's lines begin with one that names it.
static void readUsage(StringRef report, DeviceCode &code) {
  llvm::SmallVector<StringRef> lines;
  report.split(lines, '\n');
  for (StringRef line : lines) {
    auto [before, rest] = line.split("Compiling entry function '");
    if (!rest.empty())
      code.kernels.push_back({rest.split('\'').first.str()});
    if (code.kernels.empty())
      continue;
    KernelUsage &kernel = code.kernels.back();
    if (line.contains("spill stores")) {
      kernel.stackBytes = readNumber(line, "bytes stack frame");
      kernel.spillStoreBytes = readNumber(line, "bytes spill stores");
      kernel.spillLoadBytes = readNumber(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      kernel.registers = readNumber(line, "registers");
      kernel.sharedBytes = readNumber(line, "bytes smem");
    }
  }
  // As PTX has them: ptxas goes backwards.
  llvm::sort(code.kernels, [&](const KernelUsage &a, const KernelUsage &b) {
    return StringRef(code.ptx).find(".entry " + a.name + "(") <
           StringRef(code.ptx).find(".entry " + b.name + "(");
  });
}

llvm::Error attn::assemble(DeviceCode &code, const std::string &ptxas) {
  TemporaryFile input, output;
  if (llvm::Error error = input.create("ptx"))
    return error;
  if (llvm::Error error = output.create("cubin"))
    return error;
  if (llvm::Error error = input.write(code.ptx))
    return error;
  auto report = runProgram({ptxas, "-v", "--gpu-name", code.arch, "-o",
                            output.getPath(), input.getPath()});
  if (!report)
    return report.takeError();
  auto version = runProgram({ptxas, "--version"});
  if (!version)
    return version.takeError();
  auto cubin = llvm::MemoryBuffer::getFile(output.getPath());
  if (!cubin)
    return createStringError(output.getPath() + ": " +
                             cubin.getError().message());
  code.cubin = (*cubin)->getBuffer().str();
  code.ptxasVersion =
      StringRef(*version).split(", V").second.split('\n').first.str();
  readUsage(*report, code);
  return llvm::Error::success();
}
