//===- EntryBuilder.h - Checks and views of a C entry's arguments -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ENTRYABI_ENTRYBUILDER_H
#define ATTN_LIB_CONVERSION_ENTRYABI_ENTRYBUILDER_H

#include "attn-runtime/attn_runtime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Twine.h"

namespace attn {

/// One DLTensor as the entry sees it. All values are i64 unless noted.
struct TensorView {
  /// Pointer to the DLTensor.
  mlir::Value tensor;
  mlir::MemRefType type;
  /// `input 0`, `output 1`: how messages call it.
  std::string name;
  llvm::SmallVector<mlir::Value> sizes = {};
  llvm::SmallVector<mlir::Value> strides = {};
  /// Pointer to the element with all indices 0.
  mlir::Value data = {};
  /// The addresses it occupies: [low, high), both 0 without elements.
  mlir::Value low = {};
  mlir::Value high = {};
  /// Where a function for the type leaves all this.
  mlir::Value fields = {};
};

/// Builds one C entry, check after check. A check that fails leaves the
/// function with its code and text.
class EntryBuilder {
public:
  /// Creates `int SYMBOL(ctx, numPointers x ptr)` and checks the context. Texts
  /// begin with the name of the kernel.
  EntryBuilder(mlir::ModuleOp module, mlir::Location loc,
               llvm::StringRef symbol, llvm::StringRef kernelName,
               unsigned numPointers);

  /// Creates the private `i32 SYMBOL(ctx, tensor, name, fields)`, whose texts
  /// go behind the name it is given.
  EntryBuilder(mlir::ModuleOp module, mlir::Location loc,
               llvm::StringRef symbol);

  mlir::LLVM::LLVMFuncOp getFunction() { return function; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Value getContext() { return function.getArgument(0); }
  mlir::Value getPointer(unsigned i) { return function.getArgument(i + 1); }

  void check(mlir::Value ok, attn_status code, const llvm::Twine &text);
  /// The same; what failed was a comparison of two i64, which the text names.
  void check(mlir::Value ok, attn_status code, const llvm::Twine &text,
             mlir::Value first, mlir::Value second);
  void checkEqual(mlir::Value a, mlir::Value b, attn_status code,
                  const llvm::Twine &text) {
    check(compareEqual(a, b), code, text, a, b);
  }
  /// Leaves the function with an i32 that is not ATTN_OK; its text is written.
  void returnIfFailed(mlir::Value status);
  void checkNotNull(mlir::Value pointer, const llvm::Twine &text);
  /// Ends the function; null is success.
  void finish(mlir::Value status = {});
  /// `count` numbers on the stack.
  mlir::Value createFields(int64_t count);
  /// `input 0` behind the name of the kernel.
  mlir::Value createName(llvm::StringRef name);

  /// Checks pointer, rank, element type and static sizes; fills all but the
  /// last three fields.
  TensorView readTensor(mlir::Value tensor, mlir::MemRefType type,
                        std::string name);
  /// Checks device, strides and data, which must be in this kind of memory;
  /// fills the rest.
  void readData(TensorView &view, DLDeviceType memory);
  void checkDisjoint(const TensorView &a, const TensorView &b);
  /// No two elements of an output share an address.
  void checkDistinctElements(const TensorView &view);

  mlir::Value constant(int64_t value);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value compareEqual(mlir::Value a, mlir::Value b) {
    return compare(mlir::LLVM::ICmpPredicate::eq, a, b);
  }

  mlir::Value load(mlir::Type type, mlir::Value base, int64_t byteOffset);

private:
  void createFailures(mlir::Value name);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  void branchUnless(mlir::Value ok, mlir::Block *target,
                    mlir::ValueRange arguments);
  void checkElementType(const TensorView &view);
  void readStrides(TensorView &view);
  mlir::Value hasZeroSize(const TensorView &view);
  void checkReach(const TensorView &view, mlir::Value isEmpty);
  void computeRange(TensorView &view, mlir::Value isEmpty);

  mlir::ModuleOp module;
  mlir::Location loc;
  /// What texts begin with.
  std::string prefix;
  mlir::OpBuilder builder;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Type pointerType;
  /// Take the text and the code, and two numbers.
  mlir::Block *failure = nullptr;
  mlir::Block *failureOfNumbers = nullptr;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ENTRYABI_ENTRYBUILDER_H
