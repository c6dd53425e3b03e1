//===- Wgmma.cpp - The arithmetic of wgmma --------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/Wgmma.h"

#include "PTXSim/Matrix/Elements.h"
#include "PTXSim/Ops/FloatMath.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace attn::ptx {

/// Every instruction has 32 bytes of k in each row.
static constexpr uint32_t kRowBytes = 32;

std::vector<uint32_t> operandPieces(const MatrixDescriptor &descriptor,
                                    bool kMajor, uint32_t first,
                                    uint32_t rows) {
  std::vector<uint32_t> result;
  result.reserve(rows * 2);
  if (kMajor) {
    for (uint32_t r = first; r != first + rows; ++r)
      for (uint32_t byte = 0; byte != kRowBytes; byte += 16)
        result.push_back(descriptor.address(true, r, byte));
    return result;
  }
  // Only 16-bit elements may be MN-major: 16 of k.
  for (uint32_t k = 0; k != 16; ++k)
    for (uint32_t byte = first * 2; byte != (first + rows) * 2; byte += 16)
      result.push_back(descriptor.address(false, k, byte));
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void decodeElements(ir::Type type, const uint8_t *from, size_t count,
                    float *to) {
  if (type == ir::Type::S8)
    for (size_t i = 0; i != count; ++i)
      to[i] = int8_t(from[i]);
  else if (type == ir::Type::U8)
    for (size_t i = 0; i != count; ++i)
      to[i] = from[i];
  else
    elementsToFloat(type, from, count, to);
}

static std::vector<float> transpose(const std::vector<float> &matrix,
                                    uint32_t rows, uint32_t columns) {
  std::vector<float> result(matrix.size());
  for (uint32_t r = 0; r != rows; ++r)
    for (uint32_t c = 0; c != columns; ++c)
      result[c * rows + r] = matrix[r * columns + c];
  return result;
}

static std::vector<float> decodeAll(ir::Type type,
                                    llvm::ArrayRef<uint8_t> pieces) {
  std::vector<float> result(pieces.size() * 8 / ir::bitWidth(type));
  decodeElements(type, pieces.data(), result.size(), result.data());
  return result;
}

std::vector<float> decodeRows(ir::Type type, bool kMajor, uint32_t rows,
                              uint32_t k, llvm::ArrayRef<uint8_t> pieces) {
  std::vector<float> all = decodeAll(type, pieces);
  return kMajor ? all : transpose(all, k, rows);
}

std::vector<float> decodeColumns(ir::Type type, bool kMajor, uint32_t rows,
                                 uint32_t k, llvm::ArrayRef<uint8_t> pieces) {
  std::vector<float> all = decodeAll(type, pieces);
  return kMajor ? transpose(all, rows, k) : all;
}

std::vector<float> decodeFragment(ir::Type type, uint32_t k,
                                  const uint32_t *const registers[4]) {
  std::vector<float> result(16 * k);
  uint32_t perRegister = 32 / ir::bitWidth(type);
  for (uint32_t reg = 0; reg != WgmmaShape::operandRegisters; ++reg)
    for (unsigned lane = 0; lane != 32; ++lane) {
      float values[4];
      uint8_t bytes[4];
      std::memcpy(bytes, &registers[reg][lane], 4);
      decodeElements(type, bytes, perRegister, values);
      for (uint32_t e = 0; e != perRegister; ++e) {
        uint32_t value = reg * perRegister + e;
        uint32_t row = WgmmaOperand::row(lane, value, perRegister);
        result[row * k + WgmmaOperand::column(lane, value, perRegister)] =
            values[e];
      }
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ATTN_PTXSIM_VECTORS                                                    \
  __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define ATTN_PTXSIM_VECTORS
#endif

/// One row of sums += `sign` * x[k] times the k rows of y. Never contracted:
/// all machines have to agree where a product of bf16 is not exact.
ATTN_PTXSIM_VECTORS
static void addProducts(float *__restrict sums, const float *__restrict x,
                        const float *__restrict y, float sign, uint32_t k,
                        uint32_t n) {
#pragma clang fp contract(off)
  // k is a multiple of 8.
  for (uint32_t i = 0; i != k; i += 4) {
    const float *y0 = y + i * n, *y1 = y0 + n, *y2 = y1 + n, *y3 = y2 + n;
    float x0 = sign * x[i], x1 = sign * x[i + 1];
    float x2 = sign * x[i + 2], x3 = sign * x[i + 3];
    for (uint32_t c = 0; c != n; ++c)
      sums[c] =
          (((sums[c] + x0 * y0[c]) + x1 * y1[c]) + x2 * y2[c]) + x3 * y3[c];
  }
}

std::vector<float> multiply(const WgmmaShape &shape, llvm::ArrayRef<float> a,
                            llvm::ArrayRef<float> b) {
  const float sign = shape.negateA != shape.negateB ? -1 : 1;
  std::vector<float> sums(16 * shape.n, 0.0f);
  for (uint32_t row = 0; row != 16; ++row)
    addProducts(&sums[row * shape.n], &a[row * shape.k], b.data(), sign,
                shape.k, shape.n);
  return sums;
}

static uint32_t addInteger(float sum, uint32_t old, bool saturate) {
  int64_t total = int64_t(sum) + int32_t(old);
  if (saturate)
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(total);
}

static uint32_t addHalf(float sum, uint32_t old) {
  auto bits = uint16_t(old);
  float before;
  elementsToFloat(ir::Type::F16, &bits, 1, &before);
  return halfFromDouble(double(sum) + before);
}

/// One register of every lane; `first` is lane 0's sum.
template <typename Add>
static void addRegister(uint32_t *place, const float *first, uint32_t n,
                        Add add) {
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned pair = 0; pair != 4; ++pair)
      place[row * 4 + pair] =
          add(&first[row * n + pair * 2], place[row * 4 + pair]);
}

void accumulate(const WgmmaShape &shape, llvm::ArrayRef<float> sums, bool add,
                llvm::ArrayRef<uint32_t *> registers) {
  uint32_t packed = shape.result == ir::Type::F16 ? 2 : 1;
  for (uint32_t reg = 0; reg != registers.size(); ++reg) {
    const float *first = &sums[WgmmaResult::row(0, reg * packed) * shape.n +
                               WgmmaResult::column(0, reg * packed)];
    uint32_t *place = registers[reg];
    if (!add)
      std::memset(place, 0, 32 * 4);
    if (shape.result == ir::Type::F32)
      addRegister(place, first, shape.n, [](const float *sum, uint32_t old) {
        return llvm::bit_cast<uint32_t>(
            canonical(*sum + llvm::bit_cast<float>(old)));
      });
    else if (shape.result == ir::Type::F16)
      addRegister(place, first, shape.n, [](const float *sum, uint32_t old) {
        return addHalf(sum[0], old) | addHalf(sum[1], old >> 16) << 16;
      });
    else
      addRegister(place, first, shape.n, [&](const float *sum, uint32_t old) {
        return addInteger(*sum, old, shape.saturate);
      });
  }
}

} // namespace attn::ptx
