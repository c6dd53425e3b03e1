//===- AttentionTest.cpp - A whole kernel, and how fast it runs -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention of 256 x 256 x 64 in f32 with tiles in shared memory, against plain
// loops in double. The speed is printed, not tested.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <random>

namespace attn::ptx::test {

static void printSpeed(const char *what, const Report &report) {
  llvm::outs() << what << ": " << report.laneInstructions
               << " lane instructions in "
               << llvm::format("%.3f s, %.1f million a second\n",
                               report.seconds,
                               report.laneInstructions / report.seconds * 1e-6);
}

// A loop of integer and float arithmetic, no memory.
TEST(Speed, Arithmetic) {
  std::string body =
      ".entry k(.param .u64 p) {\n"
      ".reg .b64 %a, %o; .reg .b32 %r<10>, %f<10>; .reg .pred %p;\n"
      "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n"
      "mov.u32 %r2, 1; mov.f32 %f1, 0f3F800000;\n"
      "mov.f32 %f2, 0f3F000000; mov.u32 %r3, 0;\nL:\n";
  for (unsigned k = 0; k != 4; ++k)
    body += "mad.lo.u32 %r2, %r2, 1664525, %r0; xor.b32 %r3, %r3, %r2;\n"
            "fma.rn.f32 %f1, %f1, %f2, 0f3F800000; add.f32 %f2, %f2, %f1;\n"
            "mul.f32 %f2, %f2, 0f3E800000; shr.u32 %r4, %r2, 7;\n"
            "and.b32 %r4, %r4, %r3; add.u32 %r3, %r3, %r4;\n";
  body += "add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 400; @%p bra L;\n"
          "mul.wide.u32 %o, %r0, 4; add.u64 %a, %a, %o;\n"
          "st.global.u32 [%a], %r3; ret; }";
  std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(256)};
  Launch launch;
  launch.grid.x = 4;
  launch.block.x = 256;
  llvm::Expected<Report> report = runKernel(body, launch, buffers);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  EXPECT_TRUE(report->clean());
  for (uint32_t t = 0; t < 256; t += 37) {
    uint32_t a = 1, b = 0;
    for (unsigned k = 0; k != 1600; ++k) {
      a = a * 1664525 + t;
      b ^= a;
      b += a >> 7 & b;
    }
    EXPECT_EQ(buffers[0][t], b);
  }
  printSpeed("arithmetic", *report);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
constexpr unsigned size = 256, depth = 64, tile = 32;

std::string reg(const char *name, unsigned k) {
  return name + std::to_string(k);
}
std::string four(const char *name, unsigned k) {
  return "{" + reg(name, k) + ", " + reg(name, k + 1) + ", " +
         reg(name, k + 2) + ", " + reg(name, k + 3) + "}";
}

/// Copies a tile of 32 x 64 floats from %source to the shared array.
std::string copyTile(const char *source, const char *array) {
  std::string text;
  for (unsigned k = 0; k != 4; ++k)
    text += "ld.global.v4.f32 " + four("%x", 4 * k) + ", [" + source + "+" +
            std::to_string(2048 * k) + "];\n";
  for (unsigned k = 0; k != 4; ++k)
    text += "st.shared.v4.f32 [" + std::string(array) + "+" +
            std::to_string(2048 * k) + "], " + four("%x", 4 * k) + ";\n";
  return text;
}

/// 128 threads, four to a row of 32: eight keys each for the scores, sixteen
/// columns each for the result.
std::string attention() {
  std::string t =
      ".entry k(.param .u64 q, .param .u64 k, .param .u64 v, .param .u64 o) {\n"
      ".reg .b64 %q, %k, %v, %o, %w; .reg .pred %p;\n"
      ".reg .b32 %t, %row, %part, %r<8>, %n, %sq, %sk, %sv, %sp, %cq, %ck, "
      "%cv;\n"
      ".reg .f32 %x<16>, %s<8>, %a<16>, %max, %sum, %new, %scale, %y<4>;\n"
      ".shared .align 16 .b8 tq[8192]; .shared .align 16 .b8 tk[8192];\n"
      ".shared .align 16 .b8 tv[8192]; .shared .align 16 .b8 tp[4096];\n"
      "ld.param.u64 %q, [q]; ld.param.u64 %k, [k]; ld.param.u64 %v, [v];\n"
      "ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; shr.u32 %row, %t, 2;\n"
      "and.b32 %part, %t, 3; mov.u32 %r0, %ctaid.x; mul.wide.u32 %w, %r0, "
      "8192;\n"
      "add.u64 %q, %q, %w; add.u64 %o, %o, %w; mul.wide.u32 %w, %t, 16;\n"
      "add.u64 %q, %q, %w; add.u64 %k, %k, %w; add.u64 %v, %v, %w;\n"
      "shl.b32 %r1, %t, 4; mov.u32 %cq, tq; add.u32 %cq, %cq, %r1;\n"
      "mov.u32 %ck, tk; add.u32 %ck, %ck, %r1; mov.u32 %cv, tv;\n"
      "add.u32 %cv, %cv, %r1; mov.u32 %r1, tq; mad.lo.u32 %sq, %row, 256, "
      "%r1;\n"
      "mov.u32 %r1, tk; mad.lo.u32 %sk, %part, 2048, %r1; mov.u32 %r1, tv;\n"
      "mad.lo.u32 %sv, %part, 64, %r1; mov.u32 %r1, tp;\n"
      "mad.lo.u32 %sp, %row, 128, %r1; mad.lo.u32 %r2, %part, 32, %sp;\n"
      "mov.f32 %max, 0fFF800000; mov.f32 %sum, 0f00000000; mov.u32 %n, 0;\n";
  for (unsigned c = 0; c != 16; ++c)
    t += "mov.f32 " + reg("%a", c) + ", 0f00000000;\n";
  t += copyTile("%q", "%cq") + "LOOP: bar.sync 0;\n" + copyTile("%k", "%ck") +
       copyTile("%v", "%cv") + "bar.sync 0;\n";
  for (unsigned j = 0; j != 8; ++j)
    t += "mov.f32 " + reg("%s", j) + ", 0f00000000;\n";
  for (unsigned d = 0; d != depth; d += 4) {
    t += "ld.shared.v4.f32 " + four("%x", 0) + ", [%sq+" +
         std::to_string(4 * d) + "];\n";
    for (unsigned j = 0; j != 8; ++j) {
      t += "ld.shared.v4.f32 " + four("%y", 0) + ", [%sk+" +
           std::to_string(256 * j + 4 * d) + "];\n";
      for (unsigned e = 0; e != 4; ++e)
        t += "fma.rn.f32 " + reg("%s", j) + ", " + reg("%x", e) + ", " +
             reg("%y", e) + ", " + reg("%s", j) + ";\n";
    }
  }
  t += "mov.f32 %new, %max;\n";
  for (unsigned j = 0; j != 8; ++j) // log2(e) / 8
    t += "mul.f32 " + reg("%s", j) + ", " + reg("%s", j) + ", 0f3E38AA3B;\n" +
         "max.f32 %new, %new, " + reg("%s", j) + ";\n";
  for (const char *step : {"1", "2"})
    t += std::string("shfl.sync.bfly.b32 %y0, %new, ") + step +
         ", 31, -1; max.f32 %new, %new, %y0;\n";
  t += "sub.f32 %scale, %max, %new; ex2.approx.f32 %scale, %scale;\n"
       "mov.f32 %max, %new; mul.f32 %sum, %sum, %scale;\n";
  for (unsigned j = 0; j != 8; ++j)
    t += "sub.f32 " + reg("%s", j) + ", " + reg("%s", j) + ", %max;\n" +
         "ex2.approx.f32 " + reg("%s", j) + ", " + reg("%s", j) + ";\n" +
         "add.f32 %sum, %sum, " + reg("%s", j) + ";\n";
  t += "st.shared.v4.f32 [%r2], " + four("%s", 0) +
       ";\nst.shared.v4.f32 [%r2+16], " + four("%s", 4) +
       ";\nbar.warp.sync -1;\n";
  for (unsigned c = 0; c != 16; ++c)
    t += "mul.f32 " + reg("%a", c) + ", " + reg("%a", c) + ", %scale;\n";
  for (unsigned j = 0; j != tile; ++j) {
    t += "ld.shared.f32 %y0, [%sp+" + std::to_string(4 * j) + "];\n";
    for (unsigned c = 0; c != 16; c += 4) {
      t += "ld.shared.v4.f32 " + four("%x", 0) + ", [%sv+" +
           std::to_string(256 * j + 4 * c) + "];\n";
      for (unsigned e = 0; e != 4; ++e)
        t += "fma.rn.f32 " + reg("%a", c + e) + ", " + reg("%x", e) +
             ", %y0, " + reg("%a", c + e) + ";\n";
    }
  }
  t += "add.u64 %k, %k, 8192; add.u64 %v, %v, 8192; add.u32 %n, %n, 1;\n"
       "setp.lt.u32 %p, %n, 8; @%p bra LOOP;\n";
  for (const char *step : {"1", "2"})
    t += std::string("shfl.sync.bfly.b32 %y0, %sum, ") + step +
         ", 31, -1; add.f32 %sum, %sum, %y0;\n";
  t += "rcp.rn.f32 %scale, %sum; mul.wide.u32 %w, %row, 256; add.u64 %o, %o, "
       "%w;\n"
       "mul.wide.u32 %w, %part, 64; add.u64 %o, %o, %w;\n";
  for (unsigned c = 0; c != 16; ++c)
    t += "mul.f32 " + reg("%a", c) + ", " + reg("%a", c) + ", %scale;\n";
  for (unsigned c = 0; c != 16; c += 4)
    t += "st.global.v4.f32 [%o+" + std::to_string(4 * c) + "], " +
         four("%a", c) + ";\n";
  return t + "ret; }";
}

std::vector<double> reference(const std::vector<std::vector<float>> &in) {
  std::vector<double> out(size * depth);
  for (unsigned i = 0; i != size; ++i) {
    double p[size], sum = 0;
    for (unsigned j = 0; j != size; ++j) {
      double s = 0;
      for (unsigned d = 0; d != depth; ++d)
        s += double(in[0][i * depth + d]) * in[1][j * depth + d];
      sum += p[j] = std::exp(s / 8);
    }
    for (unsigned d = 0; d != depth; ++d) {
      double value = 0;
      for (unsigned j = 0; j != size; ++j)
        value += p[j] * in[2][j * depth + d];
      out[i * depth + d] = value / sum;
    }
  }
  return out;
}
} // namespace

TEST(Speed, Attention) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> in(3, std::vector<float>(size * depth));
  std::vector<std::vector<uint32_t>> buffers(
      4, std::vector<uint32_t>(size * depth));
  for (unsigned k = 0; k != 3; ++k)
    for (unsigned i = 0; i != size * depth; ++i) {
      in[k][i] = normal(random);
      buffers[k][i] = uint32_t(f32(in[k][i]));
    }
  Launch launch;
  launch.grid.x = size / tile;
  launch.block.x = 128;
  llvm::Expected<Report> report = runKernel(attention(), launch, buffers);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  EXPECT_EQ(problem(*report), "");
  std::vector<double> want = reference(in);
  for (unsigned i = 0; i != size * depth; ++i)
    ASSERT_NEAR(llvm::bit_cast<float>(buffers[3][i]), want[i], 2e-6) << i;
  printSpeed("attention 256 x 256 x 64", *report);
}

} // namespace attn::ptx::test
