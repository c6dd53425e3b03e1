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

Error attn::ptxrun::checkInput(StringRef path, uint64_t limit) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return createStringError(path + ": " + code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return createStringError(path + ": is not a regular file");
  if (status.getSize() > limit)
    return createStringError(path + ": has " + llvm::Twine(status.getSize()) +
                             " bytes, more than the limit of " +
                             llvm::Twine(limit));
  return Error::success();
}

Expected<std::unique_ptr<llvm::MemoryBuffer>>
attn::ptxrun::readInput(StringRef path, uint64_t limit) {
  if (Error error = checkInput(path, limit))
    return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}
