//===- WgmmaKernel.cpp - One product of a warpgroup -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaKernel.h"

#include <cstdlib>
#include <cstring>

namespace attn::ptx::test {

/// Words of the shared-memory image, copied there by the kernel.
static constexpr unsigned kImageWords = 4096;

unsigned typeBytes(const std::string &type) {
  return type == "f16" || type == "bf16"                    ? 2
         : type == "tf32" || type == "f32" || type == "s32" ? 4
                                                            : 1;
}

uint32_t encodeInteger(const std::string &type, int value) {
  if (type == "s8" || type == "u8")
    return uint8_t(value);
  if (type == "s32")
    return uint32_t(value);
  if (type == "f32" || type == "tf32") {
    auto f = float(value);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  }
  // Sign, exponent, mantissa of a small integer: 1.xxx times a power of two.
  int exponentBits = type == "bf16" ? 8 : type == "e4m3" ? 4 : 5;
  int mantissaBits = type == "f16"    ? 10
                     : type == "bf16" ? 7
                     : type == "e4m3" ? 3
                                      : 2;
  if (value == 0)
    return 0;
  uint32_t sign = value < 0, size = uint32_t(std::abs(value)), power = 0;
  while (size >> (power + 1))
    ++power;
  uint32_t mantissa = (size << mantissaBits >> power) - (1u << mantissaBits);
  uint32_t exponent = power + (1u << (exponentBits - 1)) - 1;
  return (sign << exponentBits | exponent) << mantissaBits | mantissa;
}

static void put(std::vector<uint32_t> &words, uint32_t address, uint32_t bits,
                unsigned bytes) {
  std::memcpy(reinterpret_cast<uint8_t *>(words.data()) + address, &bits,
              bytes);
}

static std::string vectorOf(const char *name, unsigned count) {
  std::string result = "{";
  for (unsigned i = 0; i != count; ++i)
    result += (i ? ", %" : "%") + std::string(name) + std::to_string(i);
  return result + "}";
}

std::string Product::instruction() const {
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" +
         std::to_string(k) + (saturate ? ".satfinite." : ".") + result + "." +
         a + "." + b;
}

std::string Product::body() const {
  auto number = [](uint64_t v) { return std::to_string(v); };
  std::string text = ".reg .b32 %d<128>; .reg .b32 %a<4>;\n"
                     "mov.u32 %r0, %tid;\nCOPY:\nmul.wide.u32 %rd0, %r0, 4;\n"
                     "add.s64 %rd0, %rd0, %in; ld.global.u32 %r1, [%rd0];\n"
                     "shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %smem;\n"
                     "st.shared.u32 [%r2], %r1; add.u32 %r0, %r0, 128;\n"
                     "setp.lt.u32 %p1, %r0, " +
                     number(kImageWords) +
                     ";\n@%p1 bra COPY;\n"
                     "mul.wide.u32 %rd1, %tid, 4; add.s64 %rd2, %rd1, %in;\n"
                     "add.s64 %rd3, %rd1, %out;\n";
  unsigned count = resultRegisters();
  for (unsigned i = 0; i != count; ++i)
    text += "ld.global.u32 %d" + number(i) + ", [%rd2+" +
            number((kImageWords + i * 128) * 4) + "];\n";
  // For tests that add a second product with accumulators of its own.
  for (unsigned i = count; i < 16; ++i)
    text += "mov.b32 %d" + number(i) + ", 0;\n";
  for (unsigned i = 0; i != 4; ++i)
    text += "ld.global.u32 %a" + number(i) + ", [%rd2+" +
            number((kImageWords + (count + i) * 128) * 4) + "];\n";
  text += "fence.proxy.async;\nbar.sync 0;\n"
          "cvt.u64.u32 %rd4, %smem; shr.u64 %rd4, %rd4, 4;\n"
          "add.s64 %rd5, %rd4, " +
          std::to_string(int64_t(layoutA.bits() | extraBitsA)) +
          ";\nadd.s64 %rd6, %rd4, " + std::to_string(int64_t(layoutB.bits())) +
          ";\nwgmma.fence.sync.aligned;\n" + instruction() + " " +
          vectorOf("d", count) + ", " + (fragment ? vectorOf("a", 4) : "%rd5") +
          ", %rd6, " + scaleD;
  if (result != "s32")
    text += ", " + std::to_string(scaleA) + ", " + std::to_string(scaleB);
  if (typeBytes(a) == 2)
    text += std::string(fragment         ? ""
                        : layoutA.kMajor ? ", 0"
                                         : ", 1") +
            (layoutB.kMajor ? ", 0" : ", 1");
  text += ";\nwgmma.commit_group.sync.aligned;\n"
          "wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned i = 0; i != count; ++i)
    text +=
        "st.global.u32 [%rd3+" + number(i * 512) + "], %d" + number(i) + ";\n";
  return text;
}

Kernel Product::kernel() const {
  Kernel kernel(body());
  kernel.threads = threads;
  unsigned count = resultRegisters();
  kernel.in.assign(kImageWords + (count + 4) * 128, 0);
  kernel.outWords = count * 128;
  unsigned sizeA = typeBytes(a), sizeB = typeBytes(b),
           sizeD = typeBytes(result);
  for (unsigned row = 0; row != 64; ++row)
    for (unsigned i = 0; i != k; ++i) {
      uint32_t bits = encodeInteger(a, valueA(row, i));
      if (spoilA)
        bits = spoilA(bits);
      Place place = placeOfA(sizeA, row % 16, i);
      unsigned thread = row / 16 * 32 + place.lane, perRegister = 4 / sizeA;
      unsigned reg = count + place.value / perRegister;
      if (fragment)
        put(kernel.in,
            (kImageWords + reg * 128 + thread) * 4 +
                place.value % perRegister * sizeA,
            bits, sizeA);
      else
        put(kernel.in, layoutA.address(sizeA, row, i), bits, sizeA);
    }
  for (unsigned column = 0; column != n; ++column)
    for (unsigned i = 0; i != k; ++i)
      put(kernel.in, layoutB.address(sizeB, column, i),
          encodeInteger(b, valueB(i, column)), sizeB);
  for (unsigned row = 0; row != 64; ++row)
    for (unsigned column = 0; column != n; ++column) {
      Place place = placeOfD(row % 16, column);
      unsigned thread = row / 16 * 32 + place.lane, perRegister = 4 / sizeD;
      put(kernel.in,
          (kImageWords + place.value / perRegister * 128 + thread) * 4 +
              place.value % perRegister * sizeD,
          encodeInteger(result, valueD(row, column)), sizeD);
    }
  return kernel;
}

uint32_t Product::at(const Kernel &kernel, unsigned row,
                     unsigned column) const {
  Place place = placeOfD(row % 16, column);
  unsigned thread = row / 16 * 32 + place.lane;
  unsigned perRegister = result == "f16" ? 2 : 1;
  uint32_t word = kernel.out[place.value / perRegister * 128 + thread];
  return perRegister == 1 ? word : word >> (place.value % 2 * 16) & 0xffff;
}

void Product::expectExact() const {
  Kernel k1 = kernel();
  for (Schedule schedule : Kernel::schedules(1)) {
    Report report = k1.run(schedule);
    ASSERT_TRUE(report.clean()) << Kernel::text(report);
    for (unsigned row = 0; row != 64; ++row)
      for (unsigned column = 0; column != n; ++column) {
        int sum = scaleD == "0" ? 0 : valueD(row, column);
        for (unsigned i = 0; i != k; ++i)
          sum += scaleA * valueA(row, i) * (scaleB * valueB(i, column));
        ASSERT_EQ(at(k1, row, column), encodeInteger(result, sum))
            << instruction() << " row " << row << " column " << column;
      }
  }
}

} // namespace attn::ptx::test
