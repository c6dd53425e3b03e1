//===- Program.h - The file, its entries and their types --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_PROGRAM_H
#define ATTN_COMPILER_PROGRAM_H

#include "attn/Support/HostArray.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>
#include <vector>

namespace attn {

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

/// A function that hosts can call.
struct EntryTypes {
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// For each output the input whose memory holds it, where there is one.
  llvm::SmallVector<std::optional<unsigned>> inOut;
};

/// A module and the one function of it that is to run.
struct Program : EntryTypes {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
};

/// Where an operation stands in its file, as `FILE:LINE`; `file` where nothing
/// is known.
std::string formatLocation(mlir::Location location, llvm::StringRef file);
std::string formatLocation(mlir::Operation *op, llvm::StringRef file);

/// Makes the entries public and all other functions private: only public ones
/// become kernels.
void exportOnly(mlir::ModuleOp module, llvm::ArrayRef<std::string> entries);

/// Parses and verifies text or bytecode in memory, which ends with a zero byte.
/// Diagnostics go to the handlers of the context.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseModule(llvm::MemoryBufferRef buffer, mlir::MLIRContext &context);

/// The same for a file. Diagnostics of the parser go to stderr with file, line
/// and column.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
loadModule(llvm::StringRef file, mlir::MLIRContext &context);

/// The function called `name`, or every public one with a body if `name` is
/// empty; never none. `file` is for messages.
llvm::Expected<llvm::SmallVector<mlir::func::FuncOp>>
findEntries(mlir::ModuleOp module, llvm::StringRef file, llvm::StringRef name);

/// Fails for types that the kernel ABI cannot pass, and for calls that cannot
/// be inlined.
llvm::Expected<EntryTypes> describeTypes(mlir::func::FuncOp entry,
                                         llvm::StringRef file);

/// All of it, for a file with one function to run: `name`, or the only public
/// one.
llvm::Expected<Program> loadProgram(llvm::StringRef file, llvm::StringRef name,
                                    mlir::MLIRContext &context);

} // namespace attn

#endif // ATTN_COMPILER_PROGRAM_H
