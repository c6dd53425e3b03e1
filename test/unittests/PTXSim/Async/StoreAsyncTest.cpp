//===- StoreAsyncTest.cpp - st.async and red.async ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
/// Each of two CTAs fills its shared words with tid + 1, sends something to
/// the other one and reads what came, `words` words a thread. %r10 and %r11:
/// the other's data and barrier, %r13: the thread's own data.
std::string exchange(const std::string &send, unsigned bytes,
                     unsigned threads = 32) {
  std::string size = std::to_string(bytes);
  return "mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;\n"
         "mul.lo.u32 %r12, %tid, " +
         size +
         "; add.u32 %r13, %smem, %r12; add.u32 %r14, %tid, 1;\n"
         "st.shared.u32 [%r13], %r14;\n" +
         (bytes >= 8 ? "st.shared.u32 [%r13+4], 7;\n" : "") +
         (bytes >= 16 ? "st.shared.v2.u32 [%r13+8], {7, 7};\n" : "") +
         "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
         "@%p0 fence.mbarrier_init.release.cluster;\n"
         "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "@%p0 mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], " +
         std::to_string(bytes * threads) +
         ";\n"
         "mapa.shared::cluster.u32 %r10, %r13, %r2;\n"
         "mapa.shared::cluster.u32 %r11, %bar, %r2;\n" +
         send +
         "\nWAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
         "@!%p1 bra WAIT;\n"
         "mad.lo.u32 %r15, %r1, " +
         std::to_string(threads * bytes) +
         ", %r12; cvt.u64.u32 %rd1, %r15; add.s64 %rd1, %out, %rd1;\n" +
         (bytes == 16  ? "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r13];\n"
                         "st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6};\n"
          : bytes == 8 ? "ld.shared.v2.u32 {%r3, %r4}, [%r13];\n"
                         "st.global.v2.u32 [%rd1], {%r3, %r4};\n"
                       : "ld.shared.u32 %r3, [%r13];\n"
                         "st.global.u32 [%rd1], %r3;\n") +
         "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
}

Kernel pairOfCtas(const std::string &body) {
  Kernel kernel(body);
  kernel.ctas = kernel.cluster = 2;
  return kernel;
}
const char *const kHow = ".shared::cluster.mbarrier::complete_tx::bytes";
} // namespace

TEST(StoreAsync, Words) {
  for (const char *weak : {"", ".weak"})
    for (const char *type : {"b32", "u32", "s32", "f32"}) {
      std::string op = std::string("st.async") + weak + kHow + "." + type;
      bool single = std::string(type) == "f32";
      Kernel kernel = pairOfCtas(exchange(
          "mad.lo.u32 %r16, %r1, 1000, %tid;\nmov.b32 %f1, %r16;\n" + op +
              " [%r10], " + (single ? "%f1" : "%r16") + ", [%r11];",
          4));
      kernel.expectClean(5);
      for (uint32_t t = 0; t != 32; ++t) {
        EXPECT_EQ(kernel.out[t], 1000 + t) << op;
        EXPECT_EQ(kernel.out[32 + t], t) << op;
      }
    }
}

TEST(StoreAsync, LongWordsAndVectors) {
  std::string prepare = "mad.lo.u32 %r16, %r1, 1000, %tid;\n"
                        "mov.b64 %rd2, {%r16, %tid}; mov.b64 %rd3, {5, 6};\n"
                        "mov.b32 %f1, %r16; mov.b32 %f2, %tid;\n";
  struct Case {
    std::string form, value;
    unsigned bytes;
  };
  std::vector<Case> cases;
  for (const char *type : {"b64", "u64", "s64"}) {
    cases.push_back({std::string(".") + type, "%rd2", 8});
    cases.push_back({std::string(".v2.") + type, "{%rd2, %rd3}", 16});
  }
  for (const char *type : {"b32", "u32", "s32", "f32"}) {
    bool single = std::string(type) == "f32";
    cases.push_back({std::string(".v2.") + type,
                     single ? "{%f1, %f2}" : "{%r16, %tid}", 8});
    cases.push_back(
        {std::string(".v4.") + type,
         single ? "{%f1, %f2, 0f00000005, 0f00000006}" : "{%r16, %tid, 5, 6}",
         16});
  }
  for (const Case &c : cases) {
    Kernel kernel = pairOfCtas(exchange(prepare + "st.async" + kHow + c.form +
                                            " [%r10], " + c.value + ", [%r11];",
                                        c.bytes));
    kernel.expectClean(2);
    unsigned words = c.bytes / 4;
    for (uint32_t t = 0; t != 32; ++t) {
      EXPECT_EQ(kernel.out[t * words], 1000 + t) << c.form;
      EXPECT_EQ(kernel.out[t * words + 1], t) << c.form;
      if (words == 4) {
        EXPECT_EQ(kernel.out[t * words + 2], 5u) << c.form;
        EXPECT_EQ(kernel.out[t * words + 3], 6u) << c.form;
      }
    }
  }
}

// Without a space the addresses are generic.
TEST(StoreAsync, GenericAddresses) {
  Kernel kernel = pairOfCtas(exchange(
      "mad.lo.u32 %r16, %r1, 1000, %tid;\n"
      "cvt.u64.u32 %rd5, %r13; cvta.shared.u64 %rd5, %rd5;\n"
      "cvt.u64.u32 %rd6, %bar; cvta.shared.u64 %rd6, %rd6;\n"
      "mapa.u64 %rd5, %rd5, %r2; mapa.u64 %rd6, %rd6, %r2;\n"
      "st.async.mbarrier::complete_tx::bytes.b32 [%rd5], %r16, [%rd6];",
      4));
  kernel.expectClean(3);
  EXPECT_EQ(kernel.out[3], 1003u);
}

// Each target holds tid + 1 before.
TEST(StoreAsync, Reductions) {
  struct Case {
    const char *form;
    uint32_t operand;
    uint32_t (*after)(uint32_t before, uint32_t operand);
  };
  const Case cases[] = {
      {"inc.u32", 20,
       [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }},
      {"dec.u32", 20, [](uint32_t a, uint32_t b) { return a > b ? b : a - 1; }},
      {"min.u32", 9, [](uint32_t a, uint32_t b) { return std::min(a, b); }},
      {"max.u32", 9, [](uint32_t a, uint32_t b) { return std::max(a, b); }},
      {"min.s32", ~5u, [](uint32_t, uint32_t b) { return b; }},
      {"max.s32", ~5u, [](uint32_t a, uint32_t) { return a; }},
      {"and.b32", 12, [](uint32_t a, uint32_t b) { return a & b; }},
      {"or.b32", 12, [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor.b32", 12, [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"add.u32", ~1u, [](uint32_t a, uint32_t b) { return a + b; }},
      {"add.s32", ~1u, [](uint32_t a, uint32_t b) { return a + b; }}};
  for (const Case &c : cases) {
    Kernel kernel =
        pairOfCtas(exchange("mov.b32 %r16, " + std::to_string(c.operand) +
                                ";\nred.async.relaxed.cluster" + kHow + "." +
                                c.form + " [%r10], %r16, [%r11];",
                            4));
    kernel.expectClean(3);
    for (uint32_t t = 0; t != 64; ++t)
      EXPECT_EQ(kernel.out[t], c.after(t % 32 + 1, c.operand)) << c.form;
  }
  for (const char *type : {"u64", "s64"}) {
    Kernel kernel = pairOfCtas(
        exchange(std::string("mov.b64 %rd2, {0xffffffff, 2};\n"
                             "red.async.relaxed.cluster") +
                     kHow + ".add." + type + " [%r10], %rd2, [%r11];",
                 8));
    kernel.expectClean(3);
    for (uint32_t t = 0; t != 64; ++t) {
      EXPECT_EQ(kernel.out[2 * t], t % 32); // tid + 1 + 2^32 - 1
      EXPECT_EQ(kernel.out[2 * t + 1], 7u + 2 + 1);
    }
  }
}

// Many lanes add to one word; each addition is indivisible.
TEST(StoreAsync, ReductionsOfOneWord) {
  Kernel kernel = pairOfCtas(
      exchange("mapa.shared::cluster.u32 %r10, %smem, %r2;\n"
               "red.async.relaxed.cluster" +
                   std::string(kHow) + ".add.u32 [%r10], %tid, [%r11];",
               4));
  kernel.expectClean(5);
  EXPECT_EQ(kernel.out[0], 1u + 31 * 32 / 2);
  EXPECT_EQ(kernel.out[1], 2u);
}

TEST(StoreAsync, Mistakes) {
  std::string send = std::string("st.async") + kHow + ".b32 ";
  // Nobody waits before the word is read.
  std::string body = exchange(send + "[%r10], %r14, [%r11];", 4);
  Kernel early = pairOfCtas(without(body, "@!%p1 bra WAIT;\n"));
  early.expectFinding(FindingKind::InFlight, "st.async");
  // Too few bytes expected: the phase ends before all words are there, and
  // the rest is a transaction nobody asked for.
  Kernel few = pairOfCtas(without(body, "[%bar], 128;", "[%bar], 64;"));
  few.expectFinding(FindingKind::InFlight, "st.async");
  // The barrier of the sender tracks nothing that the receiver can wait for.
  Kernel own = pairOfCtas(without(body, "%r14, [%r11]", "%r14, [%bar]"));
  own.expectFinding(FindingKind::AsyncMisuse, "st.async", true);
  Kernel odd = pairOfCtas(without(body, "[%r10], %r14", "[%r10+2], %r14"));
  odd.expectFinding(FindingKind::Misaligned, "st.async", true);
  Kernel far = pairOfCtas(without(body, "[%r10], %r14", "[%r10+65536], %r14"));
  far.expectFinding(FindingKind::OutOfBounds, "st.async", true);
}
