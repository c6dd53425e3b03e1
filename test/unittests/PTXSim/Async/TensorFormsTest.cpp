//===- TensorFormsTest.cpp - Every form of tensor and bulk copies ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
/// A tensor of 1024 words, a box in it that hangs over its last edges.
struct Box {
  unsigned rank;
  std::array<uint32_t, 5> dims, box;
  std::array<int, 5> start;

  unsigned words() const {
    unsigned n = 1;
    for (unsigned d = 0; d != rank; ++d)
      n *= box[d];
    return n;
  }
  /// Index in the tensor of a word of the box, or -1.
  int index(unsigned word) const {
    int result = 0, stride = 1;
    bool inside = true;
    for (unsigned d = 0; d != rank; ++d) {
      int at = start[d] + int(word % box[d]);
      word /= box[d];
      inside &= at >= 0 && at < int(dims[d]);
      result += at * stride;
      stride *= int(dims[d]);
    }
    return inside ? result : -1;
  }
  TensorMap map() const {
    TensorMap map;
    map.type = TensorMap::Type::U32;
    map.rank = rank;
    uint64_t stride = 4;
    for (unsigned d = 0; d != rank; ++d) {
      map.dims[d] = dims[d];
      map.box[d] = box[d];
      map.elementStrides[d] = 1;
      stride *= dims[d];
      if (d + 1 != rank)
        map.strides[d] = stride;
    }
    return map;
  }
  std::string coordinates() const {
    std::string list;
    for (unsigned d = 0; d != rank; ++d)
      list += (d ? ", %r" : "%r") + std::to_string(20 + d);
    return "[%map, {" + list + "}]";
  }
  std::string setup() const {
    std::string text;
    for (unsigned d = 0; d != rank; ++d)
      text += "mov.b32 %r" + std::to_string(20 + d) + ", " +
              std::to_string(start[d]) + ";\n";
    return text + "createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;\n"
                  "mov.b16 %h1, 1;\n";
  }
};
const Box boxes[] = {{1, {1024}, {64}, {992}},
                     {2, {32, 32}, {8, 8}, {-4, 29}},
                     {3, {16, 8, 8}, {4, 4, 4}, {14, -1, 6}},
                     {4, {8, 4, 8, 4}, {4, 2, 4, 2}, {6, 3, 5, 1}},
                     {5, {4, 4, 4, 4, 4}, {4, 2, 2, 2, 2}, {0, 3, -1, 2, 3}}};

std::string dim(const Box &b) { return "." + std::to_string(b.rank) + "d"; }

std::string load(const Box &b, const std::string &code) {
  std::string bytes = std::to_string(4 * b.words());
  return "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
         "@%p0 fence.proxy.async;\nbar.sync 0;\n" +
         b.setup() +
         "@!%p0 bra WAIT;\n"
         "mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], " +
         bytes + ";\n" + code +
         "\nWAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
         "@!%p1 bra WAIT;\nmov.u32 %r3, %o4;\n"
         "LOOP: add.u32 %r4, %smem, %r3; ld.shared.u32 %r5, [%r4];\n"
         "cvt.u64.u32 %rd1, %r3; add.s64 %rd2, %out, %rd1;\n"
         "st.global.u32 [%rd2], %r5;\nadd.u32 %r3, %r3, 128;\n"
         "setp.lt.u32 %p2, %r3, " +
         bytes + ";\n@%p2 bra LOOP;\n";
}

/// Word k of shared memory is 3 k + 5.
std::string store(const Box &b, const std::string &code) {
  return "mov.u32 %r3, %tid;\nFILL: shl.b32 %r4, %r3, 2;\n"
         "add.u32 %r4, %smem, %r4; mad.lo.u32 %r5, %r3, 3, 5;\n"
         "st.shared.u32 [%r4], %r5; add.u32 %r3, %r3, 32;\n"
         "setp.lt.u32 %p2, %r3, 512; @%p2 bra FILL;\n"
         "fence.proxy.async.shared::cta; bar.sync 0;\n" +
         b.setup() + "@!%p0 bra END;\n" + code +
         "\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:";
}

struct Reduction {
  const char *name;
  uint32_t (*f)(uint32_t old, uint32_t value);
};
const Reduction reductions[] = {
    {"add", [](uint32_t a, uint32_t b) { return a + b; }},
    {"min", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
    {"max", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
    {"inc", [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }},
    {"dec", [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }},
    {"and", [](uint32_t a, uint32_t b) { return a & b; }},
    {"or", [](uint32_t a, uint32_t b) { return a | b; }},
    {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }}};
const char *const kTracked = ".mbarrier::complete_tx::bytes";
} // namespace

TEST(TensorForms, Loads) {
  for (const Box &b : boxes)
    for (const char *tile : {"", ".tile"})
      for (const char *target : {".shared::cluster", ".shared::cta"})
        for (bool multicast : {false, true})
          for (bool hint : {false, true}) {
            if (multicast && std::string(target) == ".shared::cta")
              continue;
            std::string code =
                "cp.async.bulk.tensor" + dim(b) + target + ".global" + tile +
                kTracked + (multicast ? ".multicast::cluster" : "") +
                (hint ? ".L2::cache_hint" : "") + " [%smem], " +
                b.coordinates() + ", [%bar]" + (multicast ? ", %h1" : "") +
                (hint ? ", %rd9" : "") + ";";
            Kernel k(load(b, code));
            k.map = b.map();
            k.expectClean(1);
            for (unsigned w = 0; w != b.words(); ++w) {
              int at = b.index(w);
              ASSERT_EQ(k.out[w], at < 0 ? 0 : k.in[unsigned(at)]) << code;
            }
          }
}

static void checkStore(const Box &b, const std::string &code,
                       uint32_t (*f)(uint32_t, uint32_t)) {
  Kernel k(store(b, code));
  k.map = b.map();
  for (unsigned i = 0; i != 1024; ++i)
    k.in[i] = i * 7 % 400;
  std::vector<uint32_t> want = k.in;
  for (unsigned w = 0; w != b.words(); ++w)
    if (int at = b.index(w); at >= 0)
      want[unsigned(at)] = f(want[unsigned(at)], 3 * w + 5);
  std::vector<uint32_t> before = k.in;
  for (Schedule s : {Schedule::earliest(), Schedule::latest()}) {
    k.in = before;
    Report report = k.run(s);
    ASSERT_TRUE(report.clean()) << Kernel::text(report) << code;
    ASSERT_EQ(k.in, want) << code;
  }
}

TEST(TensorForms, StoresAndReductions) {
  for (const Box &b : boxes)
    for (const char *tile : {"", ".tile"}) {
      for (bool hint : {false, true}) {
        std::string tail = std::string(tile) + ".bulk_group" +
                           (hint ? ".L2::cache_hint " : " ") + b.coordinates() +
                           ", [%smem]" + (hint ? ", %rd9;" : ";");
        std::string name = dim(b) + ".global.shared::cta";
        checkStore(b, "cp.async.bulk.tensor" + name + tail,
                   [](uint32_t, uint32_t v) { return v; });
        for (const Reduction &r : reductions)
          checkStore(b,
                     "cp.reduce.async.bulk.tensor" + name + "." + r.name + tail,
                     r.f);
      }
    }
}

// Prefetches move nothing that a kernel could see.
TEST(TensorForms, Prefetches) {
  for (const Box &b : boxes)
    for (const char *tile : {"", ".tile"})
      for (bool hint : {false, true}) {
        Kernel k(b.setup() + "cp.async.bulk.prefetch.tensor" + dim(b) +
                 ".L2.global" + tile + (hint ? ".L2::cache_hint " : " ") +
                 b.coordinates() + (hint ? ", %rd9;" : ";") +
                 "\n@%p0 st.global.u32 [%out], 5;");
        k.map = b.map();
        k.expectClean(1);
        EXPECT_EQ(k.out[0], 5u);
      }
  for (const char *code :
       {"cp.async.bulk.prefetch.L2.global [%in], 128;",
        "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%in], 128, %rd9;",
        "prefetch.tensormap [%map];", "prefetch.param.tensormap [%map];",
        "prefetch.const.tensormap [%map];"}) {
    Kernel k(boxes[0].setup() + code + "\n@%p0 st.global.u32 [%out], 6;");
    k.map = boxes[0].map();
    k.expectClean(1);
    EXPECT_EQ(k.out[0], 6u) << code;
  }
}

// Copies of lines: both shared spaces, one CTA or several, with a policy.
TEST(BulkForms, Loads) {
  Box b = boxes[0];
  for (const char *target : {".shared::cluster", ".shared::cta"})
    for (bool multicast : {false, true})
      for (bool hint : {false, true}) {
        if (multicast && std::string(target) == ".shared::cta")
          continue;
        std::string code = std::string("cp.async.bulk") + target + ".global" +
                           kTracked + (multicast ? ".multicast::cluster" : "") +
                           (hint ? ".L2::cache_hint" : "") +
                           " [%smem], [%in+64], 256, [%bar]" +
                           (multicast ? ", %h1" : "") + (hint ? ", %rd9" : "") +
                           ";";
        Kernel k(load(b, code));
        k.expectClean(1);
        for (unsigned w = 0; w != 64; ++w)
          ASSERT_EQ(k.out[w], k.in[16 + w]) << code;
      }
}

TEST(BulkForms, Stores) {
  for (bool hint : {false, true}) {
    std::string code = std::string("cp.async.bulk.global.shared::cta") +
                       ".bulk_group" + (hint ? ".L2::cache_hint" : "") +
                       " [%out], [%smem], 256" + (hint ? ", %rd9;" : ";");
    Kernel k(store(boxes[0], code));
    k.expectClean(1);
    for (unsigned w = 0; w != 64; ++w)
      EXPECT_EQ(k.out[w], 3 * w + 5);
  }
}

namespace {
struct BulkReduction {
  const char *form;
  uint64_t old, value, result;
  unsigned bytes;
  bool inShared;
};
const BulkReduction bulkReductions[] = {
    {"add.u32", 0xfffffffe, 5, 3, 4, true},
    {"add.s32", 7, 0xfffffff7, 0xfffffffe, 4, true},
    {"add.u64", ~0ull, 5, 4, 8, true},
    {"min.u32", 0x80000000, 1, 1, 4, true},
    {"max.u32", 0x80000000, 1, 0x80000000, 4, true},
    {"min.s32", 0x80000000, 1, 0x80000000, 4, true},
    {"max.s32", 0x80000000, 1, 1, 4, true},
    {"min.u64", 1ull << 63, 1, 1, 8, false},
    {"max.u64", 1ull << 63, 1, 1ull << 63, 8, false},
    {"min.s64", 1ull << 63, 1, 1ull << 63, 8, false},
    {"max.s64", 1ull << 63, 1, 1, 8, false},
    {"inc.u32", 5, 5, 0, 4, true},
    {"dec.u32", 0, 5, 5, 4, true},
    {"and.b32", 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 4, true},
    {"or.b32", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0, 4, true},
    {"xor.b32", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0, 4, true},
    {"and.b64", 0xff00ff00ff00ff00, 0xff0, 0xf00, 8, false},
    {"or.b64", 0xff00ff00ff00ff00, 0xf, 0xff00ff00ff00ff0f, 8, false},
    {"xor.b64", 0xff00ff00ff00ff00, 0xff0f, 0xff00ff00ff00000f, 8, false},
    {"add.f32", 0x3fc00000, 0x40100000, 0x40700000, 4, false},
    {"add.f64", 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000, 8,
     false},
    {"add.noftz.f16", 0x3c004200, 0x42003c00, 0x44004400, 4, false},
    {"add.noftz.bf16", 0x3f804040, 0x40403f80, 0x40804080, 4, false},
    {"min.f16", 0x3c004200, 0x42003c00, 0x3c003c00, 4, false},
    {"max.f16", 0x3c004200, 0x42003c00, 0x42004200, 4, false},
    {"min.bf16", 0x3f804040, 0x40403f80, 0x3f803f80, 4, false},
    {"max.bf16", 0x3f804040, 0x40403f80, 0x40404040, 4, false}};
} // namespace

// 64 words of one value meet 64 words of another, element by element.
TEST(BulkForms, Reductions) {
  for (const BulkReduction &c : bulkReductions)
    for (bool hint : {false, true}) {
      uint32_t high = uint32_t(c.bytes == 8 ? c.value >> 32 : c.value);
      std::string fill =
          "mov.u32 %r3, %tid;\nFILL: shl.b32 %r4, %r3, 3;\n"
          "add.u32 %r4, %smem, %r4; st.shared.v2.u32 [%r4], {" +
          std::to_string(uint32_t(c.value)) + ", " + std::to_string(high) +
          "};\nfence.proxy.async; bar.sync 0;\n" + boxes[0].setup();
      std::string code =
          std::string("cp.reduce.async.bulk.global.shared::cta.bulk_group") +
          (hint ? ".L2::cache_hint." : ".") + c.form + " [%in], [%smem], 256" +
          (hint ? ", %rd9;" : ";");
      Kernel k(fill + "@!%p0 bra END;\n" + code +
               "\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
               "END:");
      for (unsigned i = 0; i != 64; ++i)
        k.in[i] = uint32_t(c.bytes == 8 && i % 2 ? c.old >> 32 : c.old);
      Report report = k.run(Schedule::latest());
      ASSERT_TRUE(report.clean()) << Kernel::text(report) << code;
      for (unsigned i = 0; i != 64; ++i)
        ASSERT_EQ(k.in[i],
                  uint32_t(c.bytes == 8 && i % 2 ? c.result >> 32 : c.result))
            << code;
      EXPECT_EQ(k.in[64], 0x1000u + 64);
      if (!c.inShared || hint)
        continue;
      // The same into shared memory 1024 bytes on, tracked by the barrier.
      std::string shared =
          fill + "add.u32 %r6, %r4, 1024; st.shared.v2.u32 [%r6], {" +
          std::to_string(uint32_t(c.old)) + ", " +
          std::to_string(uint32_t(c.bytes == 8 ? c.old >> 32 : c.old)) +
          "};\n@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
          "fence.proxy.async; bar.sync 0;\nadd.u32 %r7, %smem, 1024;\n"
          "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 256;\n@%p0 " +
          "cp.reduce.async.bulk.shared::cluster.shared::cta" + kTracked + "." +
          c.form +
          " [%r7], [%smem], 256, [%bar];\n"
          "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
          "@!%p1 bra WAIT;\nld.shared.v2.u32 {%r8, %r9}, [%r6];\n"
          "mul.wide.u32 %rd1, %tid, 8; add.s64 %rd1, %out, %rd1;\n"
          "st.global.v2.u32 [%rd1], {%r8, %r9};";
      Kernel inside(shared);
      inside.expectClean(1);
      for (unsigned i = 0; i != 64; ++i)
        ASSERT_EQ(inside.out[i],
                  uint32_t(c.bytes == 8 && i % 2 ? c.result >> 32 : c.result))
            << c.form;
    }
}
