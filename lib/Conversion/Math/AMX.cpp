//===- AMX.cpp - Instructions of the tile unit ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMX.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

static constexpr StringRef kZero = "llvm.x86.tilezero";
static constexpr StringRef kLoad = "llvm.x86.tileloadd64";
static constexpr StringRef kStore = "llvm.x86.tilestored64";
static constexpr StringRef kDotBF16 = "llvm.x86.tdpbf16ps";
static constexpr StringRef kDotF16 = "llvm.x86.tdpfp16ps";

static void call(OpBuilder &builder, Location loc, StringRef name,
                 ValueRange operands) {
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name),
                                operands);
}

static Value nameTile(OpBuilder &builder, Location loc, int64_t tile) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI8IntegerAttr(int8_t(tile)));
}

namespace attn::amx {

void emitConfigure(OpBuilder &builder, Location loc, Value address) {
  call(builder, loc, "llvm.x86.ldtilecfg", address);
}

void emitRelease(OpBuilder &builder, Location loc) {
  call(builder, loc, "llvm.x86.tilerelease", {});
}

/// Palette 1; from byte 16 on the bytes of a row of each tile, in two bytes
/// each, and from byte 48 on the numbers of rows, in one.
SmallVector<char> getConfiguration() {
  constexpr size_t bytes = 64, rowBytes = 16, rowCounts = 48;
  SmallVector<char> configuration(bytes, 0);
  configuration[0] = 1;
  for (size_t tile = 0; tile < kTileRegisters; ++tile) {
    configuration[rowBytes + 2 * tile] = char(kTileBytes);
    configuration[rowCounts + tile] = char(kTileRows);
  }
  return configuration;
}

void emitZero(OpBuilder &builder, Location loc, int64_t tile) {
  call(builder, loc, kZero, nameTile(builder, loc, tile));
}

void emitLoad(OpBuilder &builder, Location loc, int64_t tile, Value address,
              Value stride) {
  call(builder, loc, kLoad, {nameTile(builder, loc, tile), address, stride});
}

void emitStore(OpBuilder &builder, Location loc, int64_t tile, Value address,
               Value stride) {
  call(builder, loc, kStore, {nameTile(builder, loc, tile), address, stride});
}

void emitDot(OpBuilder &builder, Location loc, FloatType narrow, int64_t sums,
             int64_t lhs, int64_t rhs) {
  call(builder, loc, narrow.isF16() ? kDotF16 : kDotBF16,
       {nameTile(builder, loc, sums), nameTile(builder, loc, lhs),
        nameTile(builder, loc, rhs)});
}

bool usesTiles(Operation *op) {
  auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return intrinsic &&
         llvm::is_contained({kZero, kLoad, kStore, kDotBF16, kDotF16},
                            intrinsic.getIntrin());
}

} // namespace attn::amx
