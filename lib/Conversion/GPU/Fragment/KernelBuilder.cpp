//===- KernelBuilder.cpp - 32-bit arithmetic and memory of a kernel -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "../../Shared/ConvertFloat.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// All lanes of a warp.
static constexpr int64_t kAllLanes = -1;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::number(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

Value KernelBuilder::zero(Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Indices stay divisions: launches are recorded as formulas of them.
static bool isShift(Value a, int64_t b) {
  return llvm::isPowerOf2_64(b) && !a.getType().isIndex();
}

Value KernelBuilder::div(Value a, int64_t b) {
  return isShift(a, b) ? shiftRight(a, llvm::Log2_64(b)) : div(a, like(a, b));
}

Value KernelBuilder::rem(Value a, int64_t b) {
  if (isShift(a, b))
    return bitAnd(a, b - 1);
  return builder.createOrFold<arith::RemUIOp>(loc, a, like(a, b));
}

Value KernelBuilder::shiftRight(Value a, int64_t bits) {
  if (bits == 0)
    return a;
  return builder.createOrFold<arith::ShRUIOp>(loc, a, like(a, bits));
}

Value KernelBuilder::ceilDiv(Value a, int64_t b) {
  if (a.getType().isIndex())
    return builder.createOrFold<arith::CeilDivUIOp>(loc, a, like(a, b));
  return div(add(a, b - 1), b);
}

Value KernelBuilder::toI32(Value value) {
  if (value.getType() == getI32())
    return value;
  if (value.getType().isIndex())
    return builder.createOrFold<arith::IndexCastOp>(loc, getI32(), value);
  return builder.createOrFold<arith::TruncIOp>(loc, getI32(), value);
}

Value KernelBuilder::toI64(Value value) {
  Type type = builder.getI64Type();
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex())
    return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
  return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
}

Value KernelBuilder::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                  value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LLVM::LLVMPointerType KernelBuilder::getPointer(MemorySpace space) {
  return LLVM::LLVMPointerType::get(builder.getContext(),
                                    static_cast<unsigned>(space));
}

Value KernelBuilder::toPointer(MemorySpace space, Value address) {
  return LLVM::IntToPtrOp::create(builder, loc, getPointer(space),
                                  toI64(address));
}

Value KernelBuilder::getDynamicShared() {
  auto type = MemRefType::get(
      {ShapedType::kDynamic}, builder.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  Value memory = gpu::DynamicSharedMemoryOp::create(builder, loc, type);
  return toPointer(
      MemorySpace::Shared,
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory));
}

Value KernelBuilder::offset(Value pointer, Value bytes) {
  if (!bytes)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value KernelBuilder::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value KernelBuilder::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
}

void KernelBuilder::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(builder, loc, value, pointer, alignment);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value KernelBuilder::convertFloat(Value value, Type element) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return attn::convertFloat(builder, loc, value, type);
}

Value KernelBuilder::pack(ValueRange elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements[0].getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

SmallVector<Value> KernelBuilder::packEach(ArrayRef<Values> vectors) {
  return llvm::map_to_vector(
      vectors, [&](const Values &elements) { return pack(elements); });
}

SmallVector<Value> KernelBuilder::unpack(Value vector) {
  auto elements = vector::ToElementsOp::create(builder, loc, vector);
  return SmallVector<Value>(elements.getResults());
}

SmallVector<Value> KernelBuilder::unpackStruct(Value value) {
  auto type = cast<LLVM::LLVMStructType>(value.getType());
  SmallVector<Value> members;
  for (int64_t i = 0, e = type.getBody().size(); i < e; ++i)
    members.push_back(LLVM::ExtractValueOp::create(builder, loc, value, i));
  return members;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::delinearize(Value number, ValueRange sizes) {
  SmallVector<Value> digits(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;) {
    Value rest = div(number, sizes[i]);
    digits[i] = sub(number, mul(rest, sizes[i]));
    number = rest;
  }
  if (!digits.empty())
    digits[0] = number;
  return digits;
}

void KernelBuilder::emitIf(Value condition, function_ref<void()> then,
                           function_ref<void()> otherwise) {
  if (!condition)
    return then();
  auto branch = scf::IfOp::create(builder, loc, condition, bool(otherwise));
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

SmallVector<Value> KernelBuilder::emitChoice(Value condition,
                                             function_ref<Values()> then,
                                             function_ref<Values()> otherwise) {
  auto emit = [&](function_ref<Values()> body) {
    return [this, body](OpBuilder &, Location) {
      scf::YieldOp::create(builder, loc, body());
    };
  };
  auto branch =
      scf::IfOp::create(builder, loc, condition, emit(then), emit(otherwise));
  return Values(branch.getResults());
}

SmallVector<Value>
KernelBuilder::emitLoop(Value lower, Value upper, int64_t step,
                        ValueRange inits,
                        function_ref<Values(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(builder, loc, lower, upper, like(lower, step), inits);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(builder, loc, next);
  return Values(loop.getResults());
}

void KernelBuilder::emitLoop(Value lower, Value upper, int64_t step,
                             function_ref<void(Value)> body) {
  emitLoop(lower, upper, step, {}, [&](Value at, ValueRange) {
    body(at);
    return Values();
  });
}

void KernelBuilder::barrier() { NVVM::Barrier0Op::create(builder, loc); }

void KernelBuilder::barrier(Value number, int64_t threads) {
  NVVM::BarrierOp::create(builder, loc, TypeRange(), number, constant(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

Value KernelBuilder::barrierAny(Value condition) {
  Value predicate = arith::ExtUIOp::create(builder, loc, getI32(), condition);
  auto kind = NVVM::BarrierReductionAttr::get(builder.getContext(),
                                              NVVM::BarrierReduction::OR);
  Value any =
      NVVM::BarrierOp::create(builder, loc, TypeRange{getI32()},
                              /*barrierId=*/Value(),
                              /*numberOfThreads=*/Value(), kind, predicate)
          .getResult(0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, any,
                               constant(0));
}

// The NVVM dialect has it for the whole block only.
Value KernelBuilder::barrierAny(Value condition, Value number,
                                int64_t threads) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, builder.getI1Type(),
             builder.getStringAttr(
                 "llvm.nvvm.barrier.cta.red.or.aligned.count"),
             ValueRange{number, constant(threads), condition})
      .getResult(0);
}

void KernelBuilder::warpBarrier() {
  NVVM::SyncWarpOp::create(builder, loc, constant(kAllLanes));
}

Value KernelBuilder::shuffleXor(Value value, int64_t mask) {
  // A shuffle moves 32 bits.
  if (value.getType().isF64()) {
    Type halves = VectorType::get({2}, getI32());
    Value bits = LLVM::BitcastOp::create(builder, loc, halves, value);
    SmallVector<Value> moved = llvm::map_to_vector(
        unpack(bits), [&](Value half) { return shuffleXor(half, mask); });
    return LLVM::BitcastOp::create(builder, loc, value.getType(), pack(moved));
  }
  return NVVM::ShflOp::create(builder, loc, value.getType(),
                              constant(kAllLanes), value, constant(mask),
                              constant(31), NVVM::ShflKind::bfly, UnitAttr());
}

Value KernelBuilder::uniform(Value value) {
  return NVVM::ShflOp::create(builder, loc, value.getType(),
                              constant(kAllLanes), value, constant(0),
                              constant(31), NVVM::ShflKind::idx, UnitAttr());
}

Value KernelBuilder::opaque(Value value) {
  return LLVM::InlineAsmOp::create(
             builder, loc, value.getType(), value, /*asm_string=*/"", "=r,0",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

gpu::LaunchOp attn::emitLaunch(OpBuilder &builder, Location loc, Value blocks,
                               int64_t threads, int64_t sharedBytes,
                               function_ref<void(Value, Value)> body) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1), shared;
  Value width = arith::ConstantIndexOp::create(builder, loc, threads);
  if (sharedBytes != 0)
    shared = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                          sharedBytes);
  auto launch = gpu::LaunchOp::create(builder, loc, blocks, one, one, width,
                                      one, one, shared);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  body(launch.getBlockIds().x, launch.getThreadIds().x);
  gpu::TerminatorOp::create(builder, loc);
  return launch;
}
