//===- KernelBuilder.cpp - 32-bit arithmetic and memory of a kernel -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

Value KernelBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, getI32(), value);
}

Value KernelBuilder::constant64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                      value);
}

Value KernelBuilder::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value KernelBuilder::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value KernelBuilder::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value KernelBuilder::div(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (llvm::isPowerOf2_64(b))
    return shiftRight(a, llvm::Log2_64(b));
  return builder.createOrFold<arith::DivUIOp>(loc, a, constant(b));
}

Value KernelBuilder::div(Value a, Value b) {
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}

Value KernelBuilder::rem(Value a, int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return bitAnd(a, b - 1);
  return builder.createOrFold<arith::RemUIOp>(loc, a, constant(b));
}

Value KernelBuilder::bitAnd(Value a, int64_t b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, constant(b));
}

Value KernelBuilder::bitXor(Value a, Value b) {
  return builder.createOrFold<arith::XOrIOp>(loc, a, b);
}

Value KernelBuilder::shiftRight(Value a, int64_t bits) {
  return bits == 0
             ? a
             : builder.createOrFold<arith::ShRUIOp>(loc, a, constant(bits));
}

Value KernelBuilder::min(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}

Value KernelBuilder::max(Value a, Value b) {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value KernelBuilder::less(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}

Value KernelBuilder::equal(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                             b);
}

Value KernelBuilder::both(Value a, Value b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value KernelBuilder::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
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
  Type from = getElementTypeOrSelf(value.getType()), type = element;
  if (from == element)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return LLVM::FPExtOp::create(builder, loc, type, value);
  return LLVM::FPTruncOp::create(builder, loc, type, value);
}

Value KernelBuilder::pack(ValueRange elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements[0].getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
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

void KernelBuilder::emitIf(Value condition, function_ref<void()> body) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void KernelBuilder::barrier() { NVVM::Barrier0Op::create(builder, loc); }

void KernelBuilder::barrier(Value number, int64_t threads) {
  NVVM::BarrierOp::create(builder, loc, TypeRange(), number, constant(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void KernelBuilder::arrive(Value number, int64_t threads) {
  LLVM::CallIntrinsicOp::create(
      builder, loc,
      builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
      ValueRange{number, constant(threads)});
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
