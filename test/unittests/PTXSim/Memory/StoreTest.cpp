//===- StoreTest.cpp - Stores of several warps to one place ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Async/RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
Kernel ofTwoWarps(const std::string &body) {
  Kernel k(body);
  k.threads = 64;
  return k;
}

// Every warp publishes a constant: its value does not depend on their order.
TEST(SharedStores, OneValueByOneInstructionIsNoRace) {
  ofTwoWarps("st.shared.v2.b32 [%smem], {7, 16843009};\nbar.sync 0;\n"
             "ld.shared.v2.b32 {%r1, %r2}, [%smem];")
      .expectClean();
}

TEST(SharedStores, TwoValuesAreARace) {
  ofTwoWarps("shr.u32 %r1, %tid, 5;\nst.shared.v2.b32 [%smem], {7, %r1};")
      .expectFinding(FindingKind::Race, "st.shared", true);
}

TEST(SharedStores, TwoInstructionsAreARace) {
  ofTwoWarps("setp.gt.u32 %p1, %tid, 31;\n@%p1 st.shared.b32 [%smem], 7;\n"
             "@!%p1 st.shared.b32 [%smem], 7;")
      .expectFinding(FindingKind::Race, "@!%p1 st.shared", true);
}

// Whoever did not take part needs a barrier as ever.
TEST(SharedStores, OtherReadersNeedABarrier) {
  std::string store = "setp.lt.u32 %p1, %tid, 64;\n"
                      "@%p1 st.shared.b32 [%smem], 7;\n";
  std::string load = "@!%p1 ld.shared.b32 %r1, [%smem];";
  Kernel k(store + "bar.sync 0;\n" + load);
  k.threads = 96;
  k.expectClean();
  k.body = store + load;
  k.expectFinding(FindingKind::Race, "@%p1 st.shared");
}
} // namespace
