//===- TensorTest.cpp - Tensor copies in kernels --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
// Loads a box and writes shared memory out as it lies there.
std::string loadBody(int x, int y, unsigned bytes) {
  std::string b = std::to_string(bytes);
  return "  @%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
         "  @%p0 fence.proxy.async;\n  bar.sync 0;\n  @!%p0 bra WAIT;\n"
         "  mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], " +
         b +
         ";\n"
         "  mov.b32 %r1, " +
         std::to_string(x) + "; mov.b32 %r2, " + std::to_string(y) +
         ";\n"
         "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
         "complete_tx::bytes [%smem], [%map, {%r1, %r2}], [%bar];\n"
         "WAIT:\n  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
         "  @!%p1 bra WAIT;\n  mov.u32 %r3, %o4;\n"
         "LOOP:\n  add.u32 %r4, %smem, %r3; ld.shared.u32 %r5, [%r4];\n"
         "  cvt.u64.u32 %rd1, %r3; add.s64 %rd2, %out, %rd1;\n"
         "  st.global.u32 [%rd2], %r5;\n"
         "  add.u32 %r3, %r3, 128; setp.lt.u32 %p2, %r3, " +
         b +
         ";\n"
         "  @%p2 bra LOOP;\n";
}

// in is a matrix of 16 rows of 32 words (128 bytes).
TensorMap rows(uint32_t boxColumns, uint32_t boxRows,
               TensorMap::Swizzle swizzle) {
  TensorMap map;
  map.type = TensorMap::Type::U32;
  map.rank = 2;
  map.buffer = 0;
  map.dims = {32, 16};
  map.strides = {128};
  map.box = {boxColumns, boxRows};
  map.swizzle = swizzle;
  return map;
}
} // namespace

// Every swizzle, inside and over the edges: word w of row r lies in the chunk
// that the row's number is XORed into.
TEST(Tensor, loads_with_every_swizzle_and_edge) {
  for (auto swizzle : {TensorMap::Swizzle::None, TensorMap::Swizzle::B32,
                       TensorMap::Swizzle::B64, TensorMap::Swizzle::B128}) {
    unsigned width =
        swizzle == TensorMap::Swizzle::None ? 32 : 4u << unsigned(swizzle);
    for (int x : {-2, 0, 28})
      for (int y : {-3, 0, 12}) {
        Kernel k(loadBody(x, y, width * 4 * 8));
        k.map = rows(width, 8, swizzle);
        k.expectClean(1);
        for (unsigned r = 0; r != 8; ++r)
          for (unsigned c = 0; c != width; ++c) {
            unsigned offset = (r * width + c) * 4;
            unsigned chunks = swizzle == TensorMap::Swizzle::None
                                  ? 0
                                  : (1u << unsigned(swizzle)) - 1;
            offset ^= ((offset / 128) & chunks) * 16;
            int column = x + int(c), row = y + int(r);
            bool inside = column >= 0 && column < 32 && row >= 0 && row < 16;
            ASSERT_EQ(k.out[offset / 4],
                      inside ? 0x1000u + unsigned(row * 32 + column) : 0u)
                << unsigned(swizzle) << " at " << r << "," << c;
          }
      }
  }
}

TEST(Tensor, load_without_wait) {
  Kernel k(without(loadBody(0, 0, 1024), "@!%p1 bra WAIT;"));
  k.map = rows(32, 8, TensorMap::Swizzle::B128);
  k.expectFinding(FindingKind::InFlight, "ld.shared.u32");
}

// Bytes outside the tensor count as well.
TEST(Tensor, expected_bytes_include_what_lies_outside) {
  Kernel k(without(loadBody(0, 12, 1024), "[%bar], 1024", "[%bar], 512"));
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  k.expectFinding(FindingKind::Deadlock, "try_wait");
}

TEST(Tensor, target_alignment) {
  Kernel k(
      without(loadBody(0, 0, 1024), "[%smem], [%map", "[%smem+64], [%map"));
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  k.expectFinding(FindingKind::BadDescriptor, "cp.async.bulk.tensor", true);
}

TEST(Tensor, coordinates_must_match_the_rank) {
  Kernel k(loadBody(0, 0, 1024));
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  k.map->rank = 1;
  k.expectFinding(FindingKind::BadDescriptor, "cp.async.bulk.tensor", true);
}

// Zero is no tensor map.
TEST(Tensor, null_map) {
  Kernel k(without(loadBody(0, 0, 1024), "mov.b32 %r1",
                   "mov.u64 %map, 0; mov.b32 %r1"));
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  k.expectFinding(FindingKind::BadDescriptor, "cp.async.bulk.tensor", true);
}

namespace {
const char *const kStore = R"(
  mov.u32 %r3, %o4;
FILL:
  add.u32 %r4, %smem, %r3;
  st.shared.u32 [%r4], %r3;
  add.u32 %r3, %r3, 128; setp.lt.u32 %p2, %r3, 1024;
  @%p2 bra FILL;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%p0 bra END;
  mov.b32 %r1, 0; mov.b32 %r2, 12;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {%r1, %r2}], [%smem];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
)";
} // namespace

// Rows beyond the tensor are not written.
TEST(Tensor, store_clips_at_the_edge) {
  Kernel k(kStore);
  k.map = rows(32, 8, TensorMap::Swizzle::B128);
  std::vector<uint32_t> before = k.in;
  for (Schedule s : Kernel::schedules(3)) {
    k.in = before;
    Report report = k.run(s);
    EXPECT_TRUE(report.clean()) << Kernel::text(report);
    for (unsigned i = 0; i != before.size(); ++i) {
      bool inside = i >= 12 * 32 && i < 16 * 32;
      unsigned r = i / 32 - 12, c = i % 32;
      unsigned offset = (r * 128 + c * 4) ^ (inside ? (r % 8) * 16 : 0);
      ASSERT_EQ(k.in[i], inside ? offset : before[i]) << i;
    }
  }
}

TEST(Tensor, store_without_fence) {
  Kernel k(without(kStore, "fence.proxy.async.shared::cta;"));
  k.map = rows(32, 8, TensorMap::Swizzle::B128);
  k.expectFinding(FindingKind::MissingProxyFence, "cp.async.bulk.tensor", true);
}

// Four of the box's rows lie inside of the tensor, 128 bytes each.
TEST(Tensor, store_reads_what_it_writes) {
  Kernel inside(without(kStore, "%r3, 1024;", "%r3, 512;"));
  inside.map = rows(32, 8, TensorMap::Swizzle::B128);
  Report report = inside.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  Kernel less(without(kStore, "%r3, 1024;", "%r3, 384;"));
  less.map = rows(32, 8, TensorMap::Swizzle::B128);
  less.expectFinding(FindingKind::Uninitialised, "cp.async.bulk.tensor", true);
}

TEST(Tensor, reductions) {
  Kernel k(
      without(kStore, "cp.async.bulk.tensor.2d.global.shared::cta.tile",
              "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile"));
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  std::vector<uint32_t> before = k.in;
  Report report = k.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  EXPECT_EQ(k.in[12 * 32 + 5], before[12 * 32 + 5] + 20);
  EXPECT_EQ(k.in[11 * 32 + 5], before[11 * 32 + 5]);
}

// One load fills both CTAs of the cluster and completes on both barriers.
TEST(Tensor, multicast) {
  std::string body = R"(
  mov.u32 %r9, %cluster_ctarank;
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 fence.mbarrier_init.release.cluster;
  @%p0 mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 1024;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  setp.eq.u32 %p2, %r9, 0;
  and.pred %p2, %p2, %p0;
  mov.b32 %r1, 0; mov.b16 %h1, 3;
  @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%smem], [%map, {%r1, %r1}], [%bar], %h1;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;
  @!%p1 bra WAIT;
  add.u32 %r4, %smem, %o4; ld.shared.u32 %r5, [%r4+256];
  shl.b32 %r6, %r9, 7; add.u32 %r6, %r6, %o4;
  cvt.u64.u32 %rd1, %r6; add.s64 %rd2, %out, %rd1;
  st.global.u32 [%rd2], %r5;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)";
  Kernel k(body);
  k.ctas = 2;
  k.cluster = 2;
  k.map = rows(32, 8, TensorMap::Swizzle::None);
  k.expectClean(5);
  EXPECT_EQ(k.out[3], 0x1043u);
  EXPECT_EQ(k.out[35], 0x1043u);
  Kernel wrong(without(body, "%h1, 3", "%h1, 5"));
  wrong.ctas = wrong.cluster = 2;
  wrong.map = k.map;
  wrong.expectFinding(FindingKind::AsyncMisuse, "cp.async.bulk.tensor", true);
}
