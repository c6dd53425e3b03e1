//===- TensorMapCalls.cpp - What the context is told of a tensor ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMapCalls.h"
#include "../Shared/MemRefMemory.h"
#include "attn-runtime/attn_gpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

Type attn::getTensorDescriptionType(MLIRContext *context) {
  static_assert(sizeof(attn_gpu_tensor) % sizeof(uint64_t) == 0);
  return LLVM::LLVMArrayType::get(IntegerType::get(context, 64),
                                  sizeof(attn_gpu_tensor) / sizeof(uint64_t));
}

/// The number that CUtensorMapDataType has for an element.
static int64_t getTypeNumber(Type element) {
  constexpr int64_t u8 = 0, u16 = 1, u32 = 2, f16 = 6, f32 = 7, f64 = 8,
                    bf16 = 9, u64 = 4;
  if (element.isF16())
    return f16;
  if (element.isBF16())
    return bf16;
  if (element.isF32())
    return f32;
  if (element.isF64())
    return f64;
  switch (getElementBytes(element)) {
  case 1:
    return u8;
  case 2:
    return u16;
  case 4:
    return u32;
  default:
    return u64;
  }
}

namespace {

/// The members of an attn_gpu_tensor.
class DescriptionWriter {
public:
  DescriptionWriter(OpBuilder &builder, Location loc, Value address)
      : b(builder), loc(loc), address(address) {}

  void store(Value value, size_t offset) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value at = LLVM::GEPOp::create(
        b, loc, pointer, b.getI8Type(), address,
        ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(offset)));
    LLVM::StoreOp::create(b, loc, value, at);
  }
  void storeIndex(Value value, size_t offset) {
    store(arith::IndexCastUIOp::create(b, loc, b.getI64Type(), value), offset);
  }
  void storeNumber(int64_t value, size_t offset) {
    store(LLVM::ConstantOp::create(b, loc, b.getI32Type(), value), offset);
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

private:
  OpBuilder &b;
  Location loc;
  Value address;
};

} // namespace

void attn::emitTensorDescription(OpBuilder &b,
                                 nvgpu::TmaCreateDescriptorOp create,
                                 Value address) {
  Location loc = create.getLoc();
  DescriptionWriter writer(b, loc, address);
  Value tensor = create.getTensor();
  if (auto any = tensor.getDefiningOp<memref::CastOp>())
    tensor = any.getSource();
  auto map = cast<nvgpu::TensorMapDescriptorType>(create.getType());
  ArrayRef<int64_t> box = map.getTensor().getShape();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, tensor);
  int64_t bytes = getElementBytes(map.getTensor().getElementType());
  auto toBytes = [&](Value elements) -> Value {
    return b.createOrFold<arith::MulIOp>(loc, elements, writer.index(bytes));
  };
  Value start = b.createOrFold<arith::AddIOp>(
      loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, tensor),
      toBytes(metadata.getOffset()));
  writer.storeIndex(start, offsetof(attn_gpu_tensor, data));
  writer.storeNumber(getTypeNumber(map.getTensor().getElementType()),
                     offsetof(attn_gpu_tensor, type));
  int64_t rank = box.size();
  writer.storeNumber(rank, offsetof(attn_gpu_tensor, rank));
  for (int64_t dim = 0; dim < rank; ++dim) {
    // The host's order is the other way round.
    int64_t from = rank - 1 - dim;
    Value size = metadata.getSizes()[from];
    writer.storeIndex(size,
                      offsetof(attn_gpu_tensor, dims) + dim * sizeof(uint64_t));
    writer.storeNumber(box[from],
                       offsetof(attn_gpu_tensor, box) + dim * sizeof(uint32_t));
    if (dim == 0)
      continue;
    // Of a single index the distance may be any, but a map takes multiples of
    // 16 bytes only.
    Value isSingle = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, size, writer.index(1));
    Value stride = b.createOrFold<arith::SelectOp>(
        loc, isSingle, writer.index(16), toBytes(metadata.getStrides()[from]));
    writer.storeIndex(stride, offsetof(attn_gpu_tensor, strides) +
                                  (dim - 1) * sizeof(uint64_t));
  }
  writer.storeNumber(static_cast<int64_t>(map.getSwizzle()),
                     offsetof(attn_gpu_tensor, swizzle));
  writer.storeNumber(static_cast<int64_t>(map.getL2promo()),
                     offsetof(attn_gpu_tensor, l2));
  writer.storeNumber(0, offsetof(attn_gpu_tensor, reserved));
}

void attn::eraseTensorMap(nvgpu::TmaCreateDescriptorOp create) {
  auto any = create.getTensor().getDefiningOp<memref::CastOp>();
  create.erase();
  if (any && any->use_empty())
    any.erase();
}
