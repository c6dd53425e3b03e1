//===- GridOrderTest.cpp - The order of CTAs in global memory -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTA 0 writes `data` and announces it in `flag`; CTA 1 waits and reads. What
// differs is how. Expected outcomes are those of the memory consistency model
// of the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "attn-ptxsim/PTXSim.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

namespace {

struct GridKernel {
  std::string body;
  uint32_t ctas = 2, threads = 32, cluster = 1, hostThreads = 1;
  bool races = true;

  /// %first: in CTA 0. %lead: the first thread of its CTA.
  std::string text() const {
    return R"(.version 8.4
.target sm_90a
.address_size 64
.global .align 4 .u32 flag;
.global .align 4 .u32 other;
.global .align 16 .b8 data[8192];
.visible .entry kernel() {
  .reg .pred %p<4>, %first, %lead, %done;
  .reg .b32 %r<20>, %cta, %tid, %smem;
  .reg .b64 %flag, %other, %data, %mine, %rd<4>;
  .shared .align 16 .b8 buffer[256];
  mov.u32 %cta, %ctaid.x; mov.u32 %tid, %tid.x;
  mov.u64 %flag, flag; mov.u64 %other, other; mov.u64 %data, data;
  mov.u32 %smem, buffer;
  mul.wide.u32 %mine, %tid, 4; add.u64 %mine, %mine, %data;
  setp.eq.u32 %first, %cta, 0; setp.eq.u32 %lead, %tid, 0;
)" + body + "\n  ret;\n}\n";
  }

  Report run(Schedule schedule) const {
    llvm::Expected<Module> module = Module::parse(text());
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    Launch launch;
    launch.grid.x = ctas;
    launch.block.x = threads;
    launch.cluster.x = cluster;
    Options options;
    options.schedule = schedule;
    options.threads = hostThreads;
    options.checkRaces = races;
    llvm::Expected<Report> report = attn::ptx::run(*module, launch, options);
    if (!report) {
      ADD_FAILURE() << llvm::toString(report.takeError());
      return {};
    }
    return std::move(*report);
  }

  static std::string print(const Report &report) {
    std::string text;
    llvm::raw_string_ostream os(text);
    report.print(os);
    return text;
  }

  void expectClean() const {
    for (Schedule s : {Schedule::earliest(), Schedule::latest(),
                       Schedule::seeded(1), Schedule::seeded(2)}) {
      Report report = run(s);
      EXPECT_TRUE(report.clean()) << print(report) << body;
    }
  }
  /// Under every schedule a race between a line that has `one` and another
  /// that has `two`.
  void expectRace(const std::string &one, const std::string &two) const {
    llvm::SmallVector<llvm::StringRef> lines;
    std::string source = text();
    llvm::StringRef(source).split(lines, '\n');
    auto has = [&](uint32_t line, const std::string &what) {
      return line && lines[line - 1].contains(what);
    };
    for (Schedule s : {Schedule::earliest(), Schedule::latest(),
                       Schedule::seeded(1), Schedule::seeded(2)}) {
      Report report = run(s);
      bool found = false;
      for (const Finding &f : report.findings)
        found |= f.kind == FindingKind::Race &&
                 ((has(f.line, one) && has(f.otherLine, two)) ||
                  (has(f.line, two) && has(f.otherLine, one)));
      EXPECT_TRUE(found) << print(report) << body;
    }
  }
};

/// The lead of CTA 0 does `announce` after its store, that of CTA 1 polls with
/// `poll` and then reads.
GridKernel message(const std::string &announce, const std::string &poll) {
  GridKernel k;
  k.body = "@!%first bra READER;\n"
           "@%lead st.global.u32 [%data], 7;\n" +
           announce +
           "\nbra END;\n"
           "READER:\n@!%lead bra END;\n"
           "POLL:\n" +
           poll +
           "\n@!%done bra POLL;\n"
           "AFTER:\nld.global.u32 %r2, [%data];\n"
           "END:";
  return k;
}

const std::string kSeen = "setp.eq.u32 %done, %r1, 1;";

TEST(GridOrder, NothingInBetween) {
  GridKernel k;
  k.body = "@%first st.global.u32 [%data], 7;\n"
           "@!%first ld.global.u32 %r1, [%data];";
  k.expectRace("st.global", "ld.global");
  k.races = false;
  k.expectClean();
}

TEST(GridOrder, ReleaseAndAcquire) {
  message("@%lead st.release.gpu.global.u32 [%flag], 1;",
          "ld.acquire.gpu.global.u32 %r1, [%flag];" + kSeen)
      .expectClean();
  message("@%lead red.release.gpu.global.add.u32 [%flag], 1;",
          "atom.acquire.gpu.global.add.u32 %r1, [%flag], 0;" + kSeen)
      .expectClean();
}

TEST(GridOrder, OneSideOnly) {
  message("@%lead st.relaxed.gpu.global.u32 [%flag], 1;",
          "ld.acquire.gpu.global.u32 %r1, [%flag];" + kSeen)
      .expectRace("[%data], 7", "%r2, [%data]");
  message("@%lead st.release.gpu.global.u32 [%flag], 1;",
          "ld.relaxed.gpu.global.u32 %r1, [%flag];" + kSeen)
      .expectRace("[%data], 7", "%r2, [%data]");
}

TEST(GridOrder, FencesAroundRelaxedAccesses) {
  std::string announce = "fence.acq_rel.gpu;\n"
                         "@%lead st.relaxed.gpu.global.u32 [%flag], 1;";
  std::string poll = "ld.volatile.global.u32 %r1, [%flag];" + kSeen;
  message(announce, poll + "\nmembar.gl;").expectClean();
  message(announce, poll).expectRace("[%data], 7", "%r2, [%data]");
  message("@%lead red.global.add.u32 [%flag], 1;\nmembar.gl;",
          poll + "\nmembar.gl;")
      .expectRace("[%data], 7", "%r2, [%data]");
}

// Within a block .cta is enough, between blocks it orders nothing.
TEST(GridOrder, ScopesThatDoNotReach) {
  std::string poll = "ld.acquire.gpu.global.u32 %r1, [%flag];" + kSeen;
  message("membar.cta;\n@%lead st.relaxed.gpu.global.u32 [%flag], 1;", poll)
      .expectRace("[%data], 7", "%r2, [%data]");
  message("@%lead st.release.cta.global.u32 [%flag], 1;", poll)
      .expectRace("[%data], 7", "%r2, [%data]");
}

// Nor is a plain store of the flag one that may be polled.
TEST(GridOrder, PlainFlag) {
  message("membar.gl;\n@%lead st.global.u32 [%flag], 1;",
          "ld.acquire.gpu.global.u32 %r1, [%flag];" + kSeen)
      .expectRace("[%flag], 1", "ld.acquire");
}

/// All threads write, a barrier, one announces; and the other way round.
GridKernel wholeBlock(const std::string &before, const std::string &after) {
  GridKernel k;
  k.threads = 64;
  k.body = "@!%first bra READER;\n"
           "st.global.u32 [%mine], %tid;\n" +
           before +
           "\n@%lead red.release.gpu.global.add.u32 [%flag], 1;\n"
           "bra END;\n"
           "READER:\n@!%lead bra JOIN;\n"
           "POLL: ld.acquire.gpu.global.u32 %r1, [%flag];\n" +
           kSeen + "\n@!%done bra POLL;\nJOIN:\n" + after +
           "\nld.global.u32 %r2, [%mine];\nEND:";
  return k;
}

TEST(GridOrder, BarriersCarryIt) {
  wholeBlock("bar.sync 0;", "bar.sync 0;").expectClean();
  wholeBlock("", "bar.sync 0;").expectRace("[%mine], %tid", "%r2, [%mine]");
  wholeBlock("bar.sync 0;", "").expectRace("[%mine], %tid", "%r2, [%mine]");
}

// CTA 1 passes on what it learnt from CTA 0.
TEST(GridOrder, ThroughAThirdBlock) {
  auto chain = [](const char *passOn) {
    GridKernel k;
    k.ctas = 3;
    k.body = "@!%lead bra END;\n"
             "setp.eq.u32 %p1, %cta, 1;\n@%p1 bra MIDDLE;\n"
             "@!%first bra LAST;\n"
             "st.global.u32 [%data], 7;\n"
             "st.release.gpu.global.u32 [%flag], 1;\nbra END;\n"
             "MIDDLE: ld.acquire.gpu.global.u32 %r1, [%flag];\n"
             "setp.eq.u32 %done, %r1, 1;\n@!%done bra MIDDLE;\n" +
             std::string(passOn) +
             "\nbra END;\n"
             "LAST: ld.acquire.gpu.global.u32 %r1, [%other];\n"
             "setp.eq.u32 %done, %r1, 1;\n@!%done bra LAST;\n"
             "ld.global.u32 %r2, [%data];\nEND:";
    return k;
  };
  chain("st.release.gpu.global.u32 [%other], 1;").expectClean();
  chain("st.relaxed.gpu.global.u32 [%other], 1;")
      .expectRace("[%data], 7", "%r2, [%data]");
}

// A barrier of the whole grid, several times; each time another block writes
// what all read.
TEST(GridOrder, GridBarrier) {
  auto phases = [](const char *arrive) {
    GridKernel k;
    k.ctas = 4;
    k.threads = 64;
    k.body = "mov.u32 %r3, 0;\nLOOP:\n"
             "setp.eq.u32 %p1, %cta, %r3;\n"
             "@%p1 st.global.u32 [%mine], %r3;\n"
             "bar.sync 0;\n@!%lead bra JOIN;\n" +
             std::string(arrive) +
             "\nmad.lo.u32 %r4, %r3, 8, 4;\n"
             "POLL: ld.acquire.gpu.global.u32 %r1, [%flag];\n"
             "setp.ge.u32 %done, %r1, %r4;\n@!%done bra POLL;\n"
             "JOIN: bar.sync 0;\n"
             "ld.global.u32 %r2, [%mine];\n"
             "bar.sync 0;\n@!%lead bra AGAIN;\n"
             "red.release.gpu.global.add.u32 [%flag], 1;\n"
             "mad.lo.u32 %r4, %r3, 8, 8;\n"
             "SECOND: ld.acquire.gpu.global.u32 %r1, [%flag];\n"
             "setp.ge.u32 %done, %r1, %r4;\n@!%done bra SECOND;\n"
             "AGAIN: bar.sync 0;\n"
             "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 4;\n"
             "@%p1 bra LOOP;";
    return k;
  };
  phases("red.release.gpu.global.add.u32 [%flag], 1;").expectClean();
  phases("red.relaxed.gpu.global.add.u32 [%flag], 1;")
      .expectRace("[%mine], %r3", "%r2, [%mine]");
}

TEST(GridOrder, BytesOfOneWord) {
  GridKernel k;
  k.ctas = 4;
  k.body = "cvt.u64.u32 %rd1, %cta; add.u64 %rd1, %rd1, %data;\n"
           "@%lead st.global.u8 [%rd1], %cta;";
  k.expectClean();
  k.body += "\n@%lead st.global.u16 [%data+2], %cta;";
  k.expectRace("st.global.u16", "st.global.u8");
}

TEST(GridOrder, EqualStores) {
  GridKernel k;
  k.body = "st.global.u32 [%mine], 5;";
  k.expectClean();
  k.body = "add.u32 %r1, %cta, 1;\nst.global.u32 [%mine], %r1;";
  k.expectRace("st.global", "st.global");
}

TEST(GridOrder, Atomics) {
  GridKernel k;
  k.body = "red.global.add.u32 [%flag], 1;\n"
           "atom.global.max.u32 %r1, [%flag], 3;\n"
           "ld.relaxed.gpu.global.u32 %r1, [%flag];";
  k.expectClean();
  k.body = "@%first red.global.add.u32 [%flag], 1;\n"
           "@!%first ld.global.u32 %r2, [%flag];";
  k.expectRace("%r2, [%flag]", "red.global");
  k.body = "red.relaxed.cta.global.add.u32 [%flag], 1;";
  k.expectRace("red.relaxed.cta", "red.relaxed.cta");
}

// Blocks of a cluster have their own barrier.
TEST(GridOrder, ClusterBarrier) {
  GridKernel k;
  k.cluster = 2;
  k.body = "@%first st.global.u32 [%mine], 7;\n"
           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
           "ld.global.u32 %r1, [%mine];";
  k.expectClean();
  k.ctas = 4;
  k.expectRace("[%mine], 7", "%r1, [%mine]");
  k.ctas = 2;
  k.body = "@%first st.global.u32 [%mine], 7;\nld.global.u32 %r1, [%mine];";
  k.expectRace("[%mine], 7", "%r1, [%mine]");
}

/// CTA 0 reads the shared memory of CTA 1, which then ends after `last`.
GridKernel visit(const std::string &last) {
  GridKernel k;
  k.cluster = 2;
  k.body = "st.shared.u32 [%smem], 5;\n"
           "barrier.cluster.arrive; barrier.cluster.wait;\n"
           "mapa.shared::cluster.u32 %r1, %smem, 1;\n"
           "@%first ld.shared::cluster.u32 %r2, [%r1];\n" +
           last;
  return k;
}

// Whoever comes too late finds no memory; who came in time by luck is told.
TEST(GridOrder, SharedMemoryOfABlockThatEnds) {
  const std::string wait = " barrier.cluster.wait;";
  visit("barrier.cluster.arrive;" + wait).expectClean();
  visit("barrier.cluster.arrive.relaxed;" + wait).expectClean();
  for (uint64_t seed = 0; seed != 20; ++seed) {
    Report report = visit("").run(Schedule::seeded(seed));
    ASSERT_EQ(report.findings.size(), 1u) << GridKernel::print(report);
    EXPECT_TRUE(report.findings[0].kind == FindingKind::Race ||
                report.findings[0].kind == FindingKind::OutOfBounds);
  }
}

/// A bulk store, announced after `wait`.
GridKernel bulkStore(const std::string &wait) {
  return message("@%lead st.shared.v4.u32 [%smem], {9, 8, 7, 6};\n"
                 "fence.proxy.async.shared::cta;\n@!%lead bra END;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%data], "
                 "[%smem], 16;\n"
                 "cp.async.bulk.commit_group;\n" +
                     wait + "\nst.release.gpu.global.u32 [%flag], 1;",
                 "ld.acquire.gpu.global.u32 %r1, [%flag];" + kSeen);
}

TEST(GridOrder, BulkStores) {
  GridKernel k = bulkStore("cp.async.bulk.wait_group 0;");
  k.body.erase(k.body.find("@%lead st.global.u32"),
               std::string("@%lead st.global.u32 [%data], 7;").size());
  k.expectClean();
  k = bulkStore("cp.async.bulk.wait_group.read 0;");
  k.expectRace("cp.async.bulk.global", "%r2, [%data]");
}

// The report is the same for any number of host threads.
TEST(GridOrder, HostThreads) {
  GridKernel k;
  k.ctas = 64;
  k.body = "add.u32 %r1, %cta, %tid;\nst.global.u32 [%mine], %r1;\n"
           "ld.global.u32 %r2, [%mine+64];";
  std::string one = GridKernel::print(k.run(Schedule::seeded(3)));
  for (uint32_t threads : {2, 4, 7}) {
    k.hostThreads = threads;
    EXPECT_EQ(one, GridKernel::print(k.run(Schedule::seeded(3))));
  }
}

} // namespace
