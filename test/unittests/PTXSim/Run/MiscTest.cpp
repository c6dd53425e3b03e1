//===- MiscTest.cpp - Barriers, fences, registers, dependencies -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

/// Runs a body over one output buffer of a word a thread, with %r0 = tid.
static std::vector<uint32_t> threads(uint32_t block, const std::string &body,
                                     std::string *found = nullptr,
                                     uint32_t cluster = 1) {
  noteForms(body);
  std::string text =
      ".entry k(.param .u64 p) {\n"
      ".reg .b64 %a, %o, %w<8>; .reg .b32 %r<10>, %d; .reg .pred %p<6>;\n"
      ".shared .align 8 .b8 s[1024];\n"
      "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %d, 0;\n" +
      body +
      "\nmov.u32 %r8, %ctaid.x; mov.u32 %r9, %ntid.x;\n"
      "mad.lo.u32 %r8, %r8, %r9, %r0; mul.wide.u32 %o, %r8, 4;\n"
      "add.u64 %a, %a, %o; st.global.u32 [%a], %d;\nret; }";
  return runThreads(text, block, cluster, found);
}

// An array that says no size is as long as what it begins with.
TEST(Misc, ArrayOfNoSize) {
  for (uint32_t value : threads(32, ".global .align 4 .u32 t[] = {5, 6, 7};\n"
                                    "ld.global.u32 %d, [t+8];"))
    EXPECT_EQ(value, 7u);
}

// Clusters of more than one block have been asked for.
TEST(Misc, ExplicitCluster) {
  for (uint32_t cluster : {1, 2})
    for (uint32_t value : threads(32,
                                  "mov.pred %p1, %is_explicit_cluster;\n"
                                  "selp.u32 %d, 1, 0, %p1;",
                                  nullptr, cluster))
      EXPECT_EQ(value, cluster - 1);
}

// Each form hands a word to the neighbour of the next warp.
TEST(Misc, BarrierForms) {
  for (const char *barrier :
       {"bar.sync 0;", "bar.sync 3, 96;", "barrier.sync 1;",
        "barrier.sync.aligned 2;", "barrier.cta.sync.aligned 2, 96;",
        "bar.cta.sync 15;", "barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;",
        "mov.u32 %r5, 4; bar.sync %r5;", "mov.u32 %r5, 96; bar.sync 4, %r5;"}) {
    std::vector<uint32_t> got = threads(
        96, std::string("mul.lo.u32 %r1, %r0, 4; mov.u32 %r2, s;\n"
                        "add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %r0;\n") +
                barrier +
                "\nadd.u32 %r4, %r0, 32; rem.u32 %r4, %r4, 96;\n"
                "mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %d, [%r4];");
    for (uint32_t t = 0; t != 96; ++t)
      EXPECT_EQ(got[t], (t + 32) % 96) << barrier;
  }
}

// Producers arrive, consumers wait: bar.arrive counts and does not block.
TEST(Misc, BarrierArrive) {
  for (const char *prefix : {"bar.", "barrier.", "barrier.cta."}) {
    std::string p = prefix;
    std::string text = "setp.lt.u32 %p1, %r0, 32; @%p1 bra WAIT;\n"
                       "sub.u32 %r1, %r0, 32; mad.lo.u32 %r1, %r1, 4, 0;\n"
                       "mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n"
                       "st.shared.u32 [%r1], %r0; " +
                       p + "arrive 1, 64; bra END;\n" + "WAIT: " + p +
                       "sync 1, 64;\n"
                       "mov.u32 %r2, s; mad.lo.u32 %r1, %r0, 4, %r2;\n"
                       "ld.shared.u32 %d, [%r1];\nEND:";
    EXPECT_EQ(threads(64, text)[7], 39u) << p;
  }
}

TEST(Misc, BarrierReductions) {
  for (const char *prefix :
       {"bar.red", "barrier.red", "barrier.cta.red.aligned"}) {
    std::string p = prefix;
    p = p == "barrier.cta.red.aligned" ? "barrier.cta.red" : p;
    EXPECT_EQ(threads(96, "setp.lt.u32 %p1, %r0, 41; " + p +
                              ".popc.u32 %d, 0, %p1;")[90],
              41u);
    EXPECT_EQ(threads(96, "setp.lt.u32 %p1, %r0, 41; " + p +
                              ".popc.u32 %d, 2, 96, !%p1;")[0],
              55u);
    EXPECT_EQ(
        threads(96, "setp.lt.u32 %p1, %r0, 41; " + p +
                        ".and.pred %p2, 0, %p1; selp.u32 %d, 1, 2, %p2;")[0],
        2u);
    EXPECT_EQ(
        threads(96, "setp.lt.u32 %p1, %r0, 41; " + p +
                        ".or.pred %p2, 0, %p1; selp.u32 %d, 1, 2, %p2;")[90],
        1u);
  }
}

// Fences order, they change nothing.
TEST(Misc, Fences) {
  for (const char *fence : {"membar.cta;",
                            "membar.gl;",
                            "membar.sys;",
                            "fence.sc.cta;",
                            "fence.sc.gpu;",
                            "fence.sc.cluster;",
                            "fence.sc.sys;",
                            "fence.acq_rel.cta;",
                            "fence.acq_rel.cluster;",
                            "fence.acq_rel.gpu;",
                            "fence.acq_rel.sys;",
                            "fence.proxy.async;",
                            "fence.proxy.alias;",
                            "fence.proxy.async.global;",
                            "fence.proxy.async.shared::cta;",
                            "fence.proxy.async.shared::cluster;",
                            "fence.mbarrier_init.release.cluster;",
                            "fence.acquire.gpu;",
                            "fence.release.gpu;",
                            "fence.proxy.tensormap::generic.release.gpu;"})
    EXPECT_EQ(threads(32, std::string(fence) + " mov.u32 %d, 3;")[5], 3u);
}

TEST(Misc, NoEffect) {
  for (const char *code :
       {"nanosleep.u32 20;", "griddepcontrol.launch_dependents;",
        "griddepcontrol.wait;", "pmevent 1;"})
    EXPECT_EQ(threads(32, std::string(code) + " mov.u32 %d, 3;")[5], 3u);
}

// Between parameters and body, and a compiler's lines in the body.
TEST(Misc, DirectivesOfAFunction) {
  auto parse = [](const std::string &properties, const std::string &body) {
    llvm::Expected<Module> module = Module::parse(
        moduleText(".entry k() " + properties + " {\n" + body + "ret; }"));
    return module ? "" : llvm::toString(module.takeError());
  };
  for (const char *property :
       {".noreturn", ".blocksareclusters", ".maxnreg 32", ".minnctapersm 2",
        ".pragma \"nounroll\";", ".reqntid 32, 2"})
    EXPECT_EQ(parse(property, ""), "");
  for (const char *property : {".unique", ".pure"})
    EXPECT_NE(parse(property, "").find("unknown property"), std::string::npos);
  EXPECT_EQ(parse("", ".file 1 \"a.cu\"\n.loc 1 5 3\n"), "");
}

// A name may be used again in each scope, for another variable.
TEST(Misc, VariablesOfScopes) {
  std::string scope = "{ .shared .align 4 .b32 t; mov.u32 %r1, t;\n"
                      "st.shared.u32 [t], 5; add.u32 %d, %d, %r1; }\n";
  // The first of them lies behind the 1024 bytes of `s`.
  uint32_t first = threads(1, scope)[0];
  EXPECT_EQ(threads(1, scope + scope + scope)[0], 3 * first + 4 + 8);
}

// All bytes of an initial value count.
TEST(Misc, InitialValues) {
  for (auto [at, value] : {std::pair("0", 0x12345678u), {"4", 0xfedcba98u}})
    EXPECT_EQ(threads(1, ".global .align 4 .u32 v[2] = {0x12345678, "
                         "0xfedcba98};\nld.global.u32 %d, [v+" +
                             std::string(at) + "];")[0],
              value);
}

// A warpgroup gives registers back, another takes them; counts are checked.
TEST(Misc, SetMaxRegisters) {
  std::string found;
  auto run = [&](const std::string &code, uint32_t block = 128) {
    threads(block, code, &found);
    return found;
  };
  EXPECT_EQ(run("setmaxnreg.dec.sync.aligned.u32 40;"), "");
  EXPECT_NE(run("setmaxnreg.dec.sync.aligned.u32 41;"), "");
  EXPECT_NE(run("setmaxnreg.inc.sync.aligned.u32 264;"), "");
  EXPECT_NE(run("setmaxnreg.dec.sync.aligned.u32 16;"), "");
  // A warp knows what it has from its last setmaxnreg.
  EXPECT_EQ(run("setmaxnreg.dec.sync.aligned.u32 40;\n"
                "setmaxnreg.inc.sync.aligned.u32 80;"),
            "");
  EXPECT_NE(run("setmaxnreg.dec.sync.aligned.u32 40;\n"
                "setmaxnreg.inc.sync.aligned.u32 32;"),
            "");
}

// Warps take what others have given back, and wait for it.
TEST(Misc, RegistersOfTheBlock) {
  auto kind = [](const std::string &limits, const std::string &dec) {
    llvm::Expected<Module> module = Module::parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() " +
        limits +
        " {\n.reg .pred %p; .reg .b32 %t;\nmov.u32 %t, %tid.x;\n"
        "setp.lt.u32 %p, %t, 128;\n@%p bra TAKE;\n" +
        dec +
        "\nbra END;\nTAKE: setmaxnreg.inc.sync.aligned.u32 232;\nEND: "
        "bar.sync 0; ret; }");
    EXPECT_TRUE(bool(module));
    Launch launch;
    launch.block.x = 256;
    llvm::Expected<Report> report = run(*module, launch);
    EXPECT_TRUE(bool(report));
    return report->findings.empty() ? ""
                                    : toString(report->findings[0].kind).str();
  };
  const std::string dec = "setmaxnreg.dec.sync.aligned.u32 40;";
  EXPECT_EQ(kind(".maxntid 256 .maxnreg 168", dec), "");
  EXPECT_EQ(kind(".maxntid 256 .maxnreg 168", ""), "deadlock");
  EXPECT_EQ(kind(".maxntid 256 .maxnreg 128", dec), "deadlock");
  EXPECT_EQ(kind("", ""), "");
}

// Rank 1 writes into rank 0's shared memory through mapa.
TEST(Misc, DistributedSharedMemory) {
  std::vector<uint32_t> got =
      threads(32,
              "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1;\n"
              "mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1;\n"
              "mapa.shared::cluster.u32 %r4, %r1, %r3;\n"
              "getctarank.shared::cluster.u32 %r5, %r4;\n"
              "mad.lo.u32 %r6, %r2, 1000, %r0;\n"
              "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
              "st.shared::cluster.u32 [%r4], %r6;\n"
              "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
              "ld.shared.u32 %d, [%r1]; mad.lo.u32 %d, %r5, 100000, %d;",
              nullptr, 2);
  for (uint32_t t = 0; t != 32; ++t) {
    EXPECT_EQ(got[t], 100000u + 1000 + t);
    EXPECT_EQ(got[32 + t], t);
  }
}

TEST(Misc, TrapAndExit) {
  std::string found;
  threads(32, "setp.eq.u32 %p1, %r0, 5; @%p1 trap;", &found);
  EXPECT_EQ(found.substr(0, 4), "trap");
  std::vector<uint32_t> got =
      threads(64, "mov.u32 %d, 1; setp.gt.u32 %p1, %r0, 40; @%p1 exit;\n"
                  "bar.sync 0; mov.u32 %d, 2;");
  EXPECT_EQ(got[40], 2u);
  EXPECT_EQ(got[41], 0u);
}

} // namespace attn::ptx::test
