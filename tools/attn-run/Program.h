//===- Program.h - The file, its entry and its types ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_PROGRAM_H
#define ATTN_RUN_PROGRAM_H

#include "Options.h"
#include "attn/Support/HostArray.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::run {

/// A tensor type in the words of NumPy files. Dynamic sizes are kDynamic.
struct TensorInfo {
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;

  bool isStatic() const;
  bool acceptsShape(llvm::ArrayRef<int64_t> given) const;
  /// Whether an array has this kind and, where static, these sizes.
  bool accepts(const HostArray &array) const;
  /// `2x?x64xf32`
  std::string format() const;
};

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// For each output the input whose memory holds it, where there is one.
  llvm::SmallVector<std::optional<unsigned>> inOut;
};

/// Parses and verifies the file and finds the function to run. Diagnostics of
/// the parser go to stderr with file, line and column.
llvm::Expected<Program> loadProgram(const Options &options,
                                    mlir::MLIRContext &context);

} // namespace attn::run

#endif // ATTN_RUN_PROGRAM_H
