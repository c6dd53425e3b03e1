//===- KernelBuilder.h - 32-bit arithmetic and memory of a kernel --*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_KERNELBUILDER_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// Memory of a kernel: pointers of LLVM's address spaces.
enum class MemorySpace : unsigned { Global = 1, Shared = 3 };

/// Builds what kernels compute of indices, which are i32 that are never
/// negative, and addresses, which are bytes from a pointer. Folds constants.
class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::Type getI32() { return builder.getI32Type(); }

  mlir::Value constant(int64_t value);
  mlir::Value constant64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value bitAnd(mlir::Value a, int64_t b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, int64_t bits);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// Conversions of index, i32 and i64.
  mlir::Value toI32(mlir::Value value);
  mlir::Value toI64(mlir::Value value);
  mlir::Value toIndex(mlir::Value value);

  mlir::LLVM::LLVMPointerType getPointer(MemorySpace space);
  /// The address that the index `address` is.
  mlir::Value toPointer(MemorySpace space, mlir::Value address);
  /// The shared memory that the launch asks for.
  mlir::Value getDynamicShared();
  /// `bytes` (i32 or i64) after `pointer`.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment);

  /// Numbers, or vectors of them, in another float type: instructions of the
  /// machine, for what expands arith's in general does not know them.
  mlir::Value convertFloat(mlir::Value value, mlir::Type element);

  /// A vector of scalars, and the scalars of a vector.
  mlir::Value pack(mlir::ValueRange elements);
  llvm::SmallVector<mlir::Value> unpack(mlir::Value vector);
  /// The members of a struct that an instruction gives.
  llvm::SmallVector<mlir::Value> unpackStruct(mlir::Value value);

  /// Numbers (i32) of the digits of `number` in a system of these sizes: the
  /// last one changes fastest.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value number,
                                             mlir::ValueRange sizes);
  /// Runs `body` where `condition` holds.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// Waits for all threads of the block.
  void barrier();
  /// The same; gives whether `condition` holds for one of them.
  mlir::Value barrierAny(mlir::Value condition);
  /// Waits for `threads` threads, whole warps, at barrier `number` (i32): 1 to
  /// 15, as 0 is that of the whole block.
  void barrier(mlir::Value number, int64_t threads);
  /// The same without waiting.
  void arrive(mlir::Value number, int64_t threads);
  mlir::Value barrierAny(mlir::Value condition, mlir::Value number,
                         int64_t threads);
  /// Waits for the threads of the warp.
  void warpBarrier();
  /// The value of the lane whose number differs in the bits `mask`.
  mlir::Value shuffleXor(mlir::Value value, int64_t mask);
  /// An i32 that all lanes have, as the first lane has it: so the assembler
  /// knows that it is uniform.
  mlir::Value uniform(mlir::Value value);
  /// The same i32, of which the compiler knows nothing more: what follows from
  /// it is computed where it is used, and not kept in registers until then.
  mlir::Value opaque(mlir::Value value);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_KERNELBUILDER_H
