//===- RunProgram.cpp - Other programs, and what they print ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/RunProgram.h"
#include "attn/Support/TemporaryFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace attn;
using llvm::StringRef;

llvm::Expected<std::string>
attn::runProgram(llvm::ArrayRef<StringRef> command) {
  TemporaryFile log;
  if (llvm::Error error = log.create("log"))
    return std::move(error);
  std::optional<StringRef> redirects[] = {StringRef(), log.getPath(),
                                          log.getPath()};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt,
                                       redirects, 0, 0, &problem);
  auto text = llvm::MemoryBuffer::getFile(log.getPath());
  std::string printed = text ? (*text)->getBuffer().str() : "";
  if (code == 0)
    return printed;
  if (problem.empty() && StringRef(printed).trim().empty())
    problem = "exit code " + std::to_string(code);
  return llvm::createStringError(command.front() + " failed: " + problem +
                                 StringRef(printed).trim());
}
