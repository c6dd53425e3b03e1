//===- InputFile.cpp - Reads a module's file ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/InputFile.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::MemoryBuffer;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// What comes from a pipe or a terminal. Larger modules have files.
static constexpr size_t kMaxStreamBytes = size_t(1) << 30;

StringRef attn::getInputName(StringRef file) {
  return file == "-" ? "<stdin>" : file;
}

/// Who gives another file by mistake shall not see it as one long line.
llvm::Error attn::checkContents(llvm::MemoryBufferRef buffer) {
  if (!mlir::isBytecode(buffer) && buffer.getBuffer().contains('\0'))
    return createStringError(buffer.getBufferIdentifier() +
                             ": is neither text nor bytecode of MLIR");
  return llvm::Error::success();
}

/// Reads to the end. A device that has none, as /dev/zero, is known by its
/// first bytes or stopped at the limit.
static Expected<std::unique_ptr<MemoryBuffer>> readStream(fs::file_t stream,
                                                          StringRef name) {
  llvm::SmallVector<char, 0> bytes;
  while (bytes.size() <= kMaxStreamBytes) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(size + (1 << 16));
    Expected<size_t> count = fs::readNativeFile(
        stream, llvm::MutableArrayRef<char>(bytes).drop_front(size));
    if (!count)
      return createStringError(name + ": " + llvm::toString(count.takeError()));
    bytes.truncate(size + *count);
    if (*count == 0)
      return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                             name);
    StringRef text(bytes.data(), bytes.size());
    if (size < 4)
      if (llvm::Error error = checkContents(llvm::MemoryBufferRef(text, name)))
        return std::move(error);
  }
  return createStringError(name + ": is longer than " +
                           llvm::Twine(kMaxStreamBytes >> 30) +
                           " GiB, and not a file");
}

Expected<std::unique_ptr<MemoryBuffer>> attn::readInputFile(StringRef file) {
  if (file == "-")
    return readStream(fs::getStdinHandle(), getInputName(file));
  Expected<fs::file_t> opened = fs::openNativeFileForRead(file);
  if (!opened)
    return createStringError(file + ": " + llvm::toString(opened.takeError()));
  llvm::scope_exit close([&] { fs::closeFile(*opened); });
  fs::file_status status;
  if (std::error_code code = fs::status(*opened, status))
    return createStringError(file + ": " + code.message());
  if (status.type() == fs::file_type::directory_file)
    return createStringError(file + ": Is a directory");
  if (status.type() != fs::file_type::regular_file)
    return readStream(*opened, file);
  auto buffer = MemoryBuffer::getOpenFile(*opened, file, status.getSize());
  if (!buffer)
    return createStringError(file + ": " + buffer.getError().message());
  if (llvm::Error error = checkContents(**buffer))
    return std::move(error);
  return std::move(*buffer);
}
