//===- MiscFormsTest.cpp - Forms of barriers, fences, addresses -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

namespace {
/// A word a thread of a block, or of two in a cluster; %r0 = tid, %s = shared.
std::vector<uint32_t> threads(uint32_t block, const std::string &body,
                              std::string *found = nullptr,
                              uint32_t cluster = 1) {
  noteForms(body);
  std::string text =
      ".func twice(.param .b32 x, .param .b64 o) {\n"
      ".reg .b32 %a; .reg .b64 %o; ld.param.b32 %a, [x];\n"
      "ld.param.b64 %o, [o]; add.u32 %a, %a, %a; st.global.u32 [%o], %a;\n"
      "ret.uni; }\n"
      ".entry k(.param .u64 p) {\n"
      ".reg .b64 %a, %o, %w<8>; .reg .b32 %r<10>, %d, %s; .reg .pred %p<6>;\n"
      ".shared .align 8 .b8 s[1024]; .local .align 8 .b8 l[16];\n"
      "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %d, 0;\n"
      "mov.u32 %s, s; mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ntid.x;\n"
      "mad.lo.u32 %r8, %r8, %r9, %r0; mul.wide.u32 %o, %r8, 4;\n"
      "add.u64 %a, %a, %o;\n" +
      body + "\nst.global.u32 [%a], %d;\nret; }";
  return runThreads(text, block, cluster, found);
}
} // namespace

// Each warp reads what the next one wrote before the barrier.
TEST(MiscForms, Barriers) {
  std::vector<std::string> forms;
  for (const char *name :
       {"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.sync.aligned",
        "barrier.cta.sync", "barrier.cta.sync.aligned"})
    for (const char *operands : {" 3", " 3, 96", " %r5", " %r5, %r6"})
      forms.push_back(std::string(name) + operands + ";");
  for (const char *order : {"", ".release"})
    for (const char *acquire : {"", ".acquire"})
      for (const char *aligned : {"", ".aligned"})
        forms.push_back(std::string("barrier.cluster.arrive") + order +
                        aligned + "; barrier.cluster.wait" + acquire + aligned +
                        ";");
  for (const std::string &form : forms) {
    std::vector<uint32_t> got =
        threads(96, "mov.u32 %r5, 7; mov.u32 %r6, 96;\n"
                    "mad.lo.u32 %r1, %r0, 4, %s; st.shared.u32 [%r1], %r0;\n" +
                        form +
                        "\nadd.u32 %r4, %r0, 32; rem.u32 %r4, %r4, 96;\n"
                        "mad.lo.u32 %r4, %r4, 4, %s; ld.shared.u32 %d, [%r4];");
    for (uint32_t t = 0; t != 96; ++t)
      ASSERT_EQ(got[t], (t + 32) % 96) << form;
  }
}

// A relaxed arrival orders no memory: the same kernel is a race with it.
TEST(MiscForms, RelaxedClusterArrival) {
  for (const char *aligned : {"", ".aligned"}) {
    std::string found, a = aligned;
    threads(64,
            "mad.lo.u32 %r1, %r0, 4, %s; st.shared.u32 [%r1], %r0;\n"
            "barrier.cluster.arrive.relaxed" +
                a + "; barrier.cluster.wait" + a +
                ";\nxor.b32 %r4, %r0, 32; mad.lo.u32 %r4, %r4, 4, %s;\n"
                "ld.shared.u32 %d, [%r4];",
            &found);
    EXPECT_EQ(found.substr(0, 4), "race");
  }
}

TEST(MiscForms, ArrivalsAndReductions) {
  for (const char *name : {"bar.", "bar.cta.", "barrier.", "barrier.cta."})
    for (const char *aligned : {"", ".aligned"}) {
      std::string p = name, a = aligned;
      if (p.rfind("bar.", 0) == 0 && *aligned)
        continue;
      std::string arrive =
          "setp.lt.u32 %p1, %r0, 32; @%p1 bra WAIT;\n"
          "mad.lo.u32 %r1, %r0, 4, %s; st.shared.u32 [%r1], %r0;\n" +
          p + "arrive" + a + " 1, 64; bra END;\nWAIT: " + p + "sync" + a +
          " 1, 64;\nmad.lo.u32 %r1, %r0, 4, %s;\n"
          "ld.shared.u32 %d, [%r1+128];\nEND:";
      EXPECT_EQ(threads(64, arrive)[7], 39u) << p << a;
      for (const char *operands : {" 0", " %r5", " 2, 96", " %r5, %r6"}) {
        std::string setup = "mov.u32 %r5, 7; mov.u32 %r6, 96;\n"
                            "setp.lt.u32 %p1, %r0, 41;\n";
        std::string o = operands;
        EXPECT_EQ(threads(96, setup + p + "red.popc" + a + ".u32 %d," + o +
                                  ", %p1;")[90],
                  41u);
        EXPECT_EQ(threads(96, setup + p + "red.popc" + a + ".u32 %d," + o +
                                  ", !%p1;")[0],
                  55u);
        EXPECT_EQ(threads(96, setup + p + "red.and" + a + ".pred %p2," + o +
                                  ", %p1; selp.u32 %d, 1, 2, %p2;")[0],
                  2u);
        EXPECT_EQ(threads(96, setup + p + "red.or" + a + ".pred %p2," + o +
                                  ", !%p1; selp.u32 %d, 1, 2, %p2;")[0],
                  1u);
      }
    }
}

// Fences change no value; those strong enough order a flag and its data.
TEST(MiscForms, Fences) {
  std::vector<std::string> fences{
      "fence.mbarrier_init.release.cluster;",
      "fence.acquire.sync_restrict::shared::cluster.cluster;",
      "fence.release.sync_restrict::shared::cta.cluster;",
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster."
      "cluster;",
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
      "membar.proxy.alias;",
      "discard.L2 [%w1], 128;",
      "discard.global.L2 [%w1], 128;",
      "pmevent.mask 5;"};
  for (const char *scope : {".cta", ".cluster", ".gpu", ".sys"}) {
    std::string s = scope;
    for (const char *order : {"", ".sc", ".acq_rel", ".acquire", ".release"})
      fences.push_back("fence" + std::string(order) + s + ";");
    fences.push_back("fence.proxy.tensormap::generic.release" + s + ";");
    fences.push_back("fence.proxy.tensormap::generic.acquire" + s +
                     " [%a], 128;");
  }
  for (const std::string &fence : fences)
    EXPECT_EQ(threads(32, "mov.u64 %w1, %a; " + fence + " mov.u32 %d, 3;")[5],
              3u)
        << fence;
}

// To a generic address and back is where one began.
TEST(MiscForms, AddressConversions) {
  for (const char *space :
       {"global", "shared", "shared::cta", "shared::cluster", "local", "param",
        "param::entry", "const"}) {
    std::string s = space;
    std::vector<uint32_t> got = threads(
        32, "mov.u64 %w1, 1040; cvta." + s + ".u64 %w2, %w1;\n" + "cvta.to." +
                s + ".u64 %w3, %w2;\n" + "cvt.u32.u64 %d, %w3;");
    EXPECT_EQ(got[9], 1040u) << space;
  }
  // Which space a generic address is of.
  struct Case {
    const char *make, *space;
    uint32_t yes;
  };
  const Case cases[] = {
      {"mov.u64 %w1, %a", "global", 1},
      {"mov.u64 %w1, %a", "shared", 0},
      {"mov.u64 %w1, %a", "local", 0},
      {"mov.u64 %w1, %a", "param", 0},
      {"cvt.u64.u32 %w1, %s; cvta.shared.u64 %w1, %w1", "shared", 1},
      {"cvt.u64.u32 %w1, %s; cvta.shared.u64 %w1, %w1", "shared::cta", 1},
      {"cvt.u64.u32 %w1, %s; cvta.shared.u64 %w1, %w1", "shared::cluster", 1},
      {"cvt.u64.u32 %w1, %s; cvta.shared.u64 %w1, %w1", "global", 0},
      {"mov.u64 %w1, l; cvta.local.u64 %w1, %w1", "local", 1},
      {"mov.u64 %w1, l; cvta.local.u64 %w1, %w1", "shared", 0},
      {"mov.b64 %w1, p; cvta.param.u64 %w1, %w1", "param", 1},
      {"mov.b64 %w1, p; cvta.param.u64 %w1, %w1", "param::entry", 1},
      {"mov.b64 %w1, p; cvta.param.u64 %w1, %w1", "global", 0}};
  for (const Case &c : cases)
    EXPECT_EQ(threads(32, std::string(c.make) + ";\nisspacep." + c.space +
                              " %p1, %w1; selp.u32 %d, 1, 0, %p1;")[31],
              c.yes)
        << c.make << " in " << c.space;
}

// Each CTA writes into the other's shared memory, through every form of mapa.
TEST(MiscForms, MapaAndRank) {
  struct Case {
    const char *map, *rank, *store;
  };
  const Case cases[] = {
      {"mapa.shared::cluster.u32 %r4, %r1, %r3;",
       "getctarank.shared::cluster.u32 %r5, %r4;",
       "st.shared::cluster.u32 [%r4], %r6;"},
      {"cvt.u64.u32 %w1, %r1; mapa.shared::cluster.u64 %w2, %w1, %r3;",
       "getctarank.shared::cluster.u64 %r5, %w2;",
       "st.shared::cluster.u32 [%w2], %r6;"},
      {"cvt.u64.u32 %w1, %r1; cvta.shared.u64 %w1, %w1;\n"
       "mapa.u64 %w2, %w1, %r3;",
       "getctarank.u64 %r5, %w2;", "st.u32 [%w2], %r6;"},
      {"mapa.shared::cluster.u32 %r4, s, %r3; mad.lo.u32 %r4, %r0, 4, %r4;",
       "getctarank.shared::cluster.u32 %r5, %r4;",
       "st.shared::cluster.u32 [%r4], %r6;"}};
  for (const Case &c : cases) {
    std::vector<uint32_t> got = threads(
        32,
        std::string("mad.lo.u32 %r1, %r0, 4, %s;\n"
                    "mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1;\n") +
            c.map + "\n" + c.rank +
            "\nmad.lo.u32 %r6, %r2, 1000, %r0;\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" +
            c.store +
            "\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
            "ld.shared.u32 %d, [%r1]; mad.lo.u32 %d, %r5, 100000, %d;",
        nullptr, 2);
    for (uint32_t t = 0; t != 32; ++t) {
      EXPECT_EQ(got[t], 100000u + 1000 + t) << c.map;
      EXPECT_EQ(got[32 + t], t) << c.map;
    }
  }
}

TEST(MiscForms, CallsAndStops) {
  for (const char *call : {"call", "call.uni"}) {
    std::vector<uint32_t> got =
        threads(32, "{ .param .b32 x; .param .b64 o; st.param.b32 [x], %r0;\n"
                    "st.param.b64 [o], %a;\n" +
                        std::string(call) +
                        " twice, (x, o); }\nld.global.u32 %d, [%a];");
    EXPECT_EQ(got[21], 42u) << call;
  }
  std::string found;
  threads(32, "setp.eq.u32 %p1, %r0, 3; @%p1 brkpt;", &found);
  EXPECT_EQ(found.substr(0, 4), "trap");
}

} // namespace attn::ptx::test
