//===- InputFile.cpp - Files that the command line names ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

using namespace attn;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static Error checkSize(StringRef name, uint64_t bytes, uint64_t limit) {
  if (bytes <= limit)
    return Error::success();
  return createStringError(name + ": has " + llvm::Twine(bytes) +
                           " bytes, more than the limit of " +
                           llvm::Twine(limit));
}

Error attn::ptxrun::checkInput(StringRef path, uint64_t limit) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return createStringError(path + ": " + code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return createStringError(path + ": is not a regular file");
  return checkSize(path, status.getSize(), limit);
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
attn::ptxrun::readInput(StringRef path, uint64_t limit) {
  bool isStandardInput = path == "-";
  if (!isStandardInput)
    if (Error error = checkInput(path, limit))
      return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  if (isStandardInput)
    if (Error error =
            checkSize("standard input", (*buffer)->getBufferSize(), limit))
      return std::move(error);
  return std::move(*buffer);
}
