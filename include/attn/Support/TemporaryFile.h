//===- TemporaryFile.h - Files that other programs read ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_TEMPORARYFILE_H
#define ATTN_SUPPORT_TEMPORARYFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace attn {

/// A file in the temporary folder that does not outlive this object.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }

  llvm::Error create(llvm::StringRef extension) {
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("attn-compile", extension, path))
      return llvm::createStringError("cannot create a temporary file: " +
                                     code.message());
    return llvm::Error::success();
  }
  llvm::Error write(llvm::StringRef contents) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (!code) {
      stream << contents;
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
    return code ? llvm::createStringError(path + ": " + code.message())
                : llvm::Error::success();
  }
  llvm::StringRef getPath() const { return path; }

private:
  llvm::SmallString<128> path;
};

} // namespace attn

#endif // ATTN_SUPPORT_TEMPORARYFILE_H
