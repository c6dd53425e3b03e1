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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// Memory of a kernel: pointers of LLVM's address spaces.
enum class MemorySpace : unsigned { Global = 1, Shared = 3 };

/// Builds what kernels compute of indices, which are i32 that are never
/// negative, and addresses, which are bytes from a pointer. Folds constants.
class KernelBuilder {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::Type getI32() { return builder.getI32Type(); }

  mlir::Value constant(int64_t value) { return number(getI32(), value); }
  mlir::Value constant64(int64_t value) {
    return number(builder.getI64Type(), value);
  }
  mlir::Value index(int64_t value) {
    return number(builder.getIndexType(), value);
  }
  mlir::Value number(mlir::Type type, int64_t value);
  /// Zeros of a type.
  mlir::Value zero(mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::AddIOp>(a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::SubIOp>(a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MulIOp>(a, b);
  }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::DivUIOp>(a, b);
  }
  mlir::Value bitXor(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::XOrIOp>(a, b);
  }
  mlir::Value min(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MinSIOp>(a, b);
  }
  mlir::Value max(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MaxSIOp>(a, b);
  }
  mlir::Value less(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::slt, a, b);
  }
  /// The same of numbers that may have all bits.
  mlir::Value below(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value equal(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::AndIOp>(a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::SelectOp>(condition, a, b);
  }
  /// With a number of the type that `a` has.
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, like(a, b)); }
  mlir::Value sub(mlir::Value a, int64_t b) { return sub(a, like(a, b)); }
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, like(a, b)); }
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value min(mlir::Value a, int64_t b) { return min(a, like(a, b)); }
  mlir::Value max(mlir::Value a, int64_t b) { return max(a, like(a, b)); }
  mlir::Value less(mlir::Value a, int64_t b) { return less(a, like(a, b)); }
  mlir::Value equal(mlir::Value a, int64_t b) { return equal(a, like(a, b)); }
  mlir::Value bitAnd(mlir::Value a, int64_t b) { return both(a, like(a, b)); }
  mlir::Value bitXor(mlir::Value a, int64_t b) { return bitXor(a, like(a, b)); }
  mlir::Value shiftRight(mlir::Value a, int64_t bits);
  /// How many times `b` it takes for `a`: an index of the host, or an i32 that
  /// is far from the largest one.
  mlir::Value ceilDiv(mlir::Value a, int64_t b);
  /// `count` (index, i32 or i64) times `stride` (i64).
  mlir::Value mul64(mlir::Value count, mlir::Value stride) {
    return mul(toI64(count), stride);
  }

  /// Conversions of index, i32 and i64.
  mlir::Value toI32(mlir::Value value);
  mlir::Value toI64(mlir::Value value);
  mlir::Value toIndex(mlir::Value value);

  mlir::LLVM::LLVMPointerType getPointer(MemorySpace space);
  /// The address that the index `address` is.
  mlir::Value toPointer(MemorySpace space, mlir::Value address);
  /// The shared memory that the launch asks for.
  mlir::Value getDynamicShared();
  /// `bytes` (i32 or i64, null for none) after `pointer`.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment);

  /// Numbers, or vectors of them, in another float type: instructions of the
  /// machine, for what expands arith's in general does not know them.
  mlir::Value convertFloat(mlir::Value value, mlir::Type element);

  /// A vector of scalars, and the scalars of a vector.
  mlir::Value pack(mlir::ValueRange elements);
  Values packEach(llvm::ArrayRef<Values> vectors);
  Values unpack(mlir::Value vector);
  /// The members of a struct that an instruction gives.
  Values unpackStruct(mlir::Value value);

  /// Numbers (i32) of the digits of `number` in a system of these sizes: the
  /// last one changes fastest.
  Values delinearize(mlir::Value number, mlir::ValueRange sizes);
  /// Runs `then` where `condition` holds (null: everywhere), and `otherwise`,
  /// which may be null, elsewhere.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  /// The values that one of them gives.
  Values emitChoice(mlir::Value condition, llvm::function_ref<Values()> then,
                    llvm::function_ref<Values()> otherwise);
  /// Runs `body` for numbers from `lower` on below `upper`, `step` apart. It
  /// gets what is carried, and gives what the next one gets.
  Values
  emitLoop(mlir::Value lower, mlir::Value upper, int64_t step,
           mlir::ValueRange inits,
           llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  void emitLoop(mlir::Value lower, mlir::Value upper, int64_t step,
                llvm::function_ref<void(mlir::Value)> body);

  /// Waits for all threads of the block.
  void barrier();
  /// The same; gives whether `condition` holds for one of them.
  mlir::Value barrierAny(mlir::Value condition);
  /// Waits for `threads` threads, whole warps, at barrier `number` (i32): 1 to
  /// 15, as 0 is that of the whole block.
  void barrier(mlir::Value number, int64_t threads);
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
  template <typename OpTy, typename... Operands>
  mlir::Value fold(Operands... operands) {
    return builder.createOrFold<OpTy>(loc, operands...);
  }
  mlir::Value like(mlir::Value a, int64_t value) {
    return number(a.getType(), value);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Emits a launch of `blocks` blocks (an index), each of so many threads and
/// bytes of shared memory. `body` gets the numbers (of type index) of block and
/// thread.
mlir::gpu::LaunchOp emitLaunch(
    mlir::OpBuilder &, mlir::Location loc, mlir::Value blocks, int64_t threads,
    int64_t sharedBytes,
    llvm::function_ref<void(mlir::Value block, mlir::Value thread)> body);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_KERNELBUILDER_H
