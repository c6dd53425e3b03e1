//===- Dumper.h - Writes what each phase made -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_DUMPER_H
#define ATTN_RUN_DUMPER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace attn::run {

/// Numbered files in one directory, which is made at the first dump. Does
/// nothing when no directory was asked for.
class Dumper {
public:
  /// No phase takes the place of `program`, the file that is read.
  Dumper(std::string directory, std::string program)
      : directory(std::move(directory)), program(std::move(program)) {}

  llvm::Error dump(llvm::StringRef phase, mlir::ModuleOp module);
  llvm::Error write(llvm::StringRef phase, llvm::StringRef extension,
                    llvm::function_ref<void(llvm::raw_ostream &)> print);

  bool isOn() const { return !directory.empty(); }

  /// Time spent here, which is not compile time.
  double getSeconds() const { return seconds; }

private:
  std::string directory;
  std::string program;
  unsigned count = 0;
  double seconds = 0;
};

} // namespace attn::run

#endif // ATTN_RUN_DUMPER_H
