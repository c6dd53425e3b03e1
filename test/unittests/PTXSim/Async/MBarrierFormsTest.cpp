//===- MBarrierFormsTest.cpp - Every form of mbarrier ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread 0 takes a barrier through its phases. After each step it asks whether
// the phase is over; the answers, a bit each, are compared with what the count
// of arrivals and transactions says.
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
/// A program of thread 0. `[BAR]` in an instruction is the barrier's address,
/// generic when the instruction names no space.
struct Script {
  std::string text = "@!%p0 bra END;\nmov.b32 %r1, 0;\n"
                     "cvt.u64.u32 %rd8, %bar; cvta.shared.u64 %rd8, %rd8;\n";
  uint32_t expected = 0;
  unsigned steps = 0;

  Script &run(std::string instruction) {
    bool shared = instruction.find("shared") != std::string::npos;
    size_t at = instruction.find("[BAR]");
    if (at != std::string::npos)
      instruction.replace(at, 5, shared ? "[%bar]" : "[%rd8]");
    text += instruction + ";\n";
    return *this;
  }
  /// An instruction that sets %p1.
  Script &ask(const std::string &instruction, bool want) {
    run(instruction);
    text += "selp.u32 %r2, " + std::to_string(1u << steps) +
            ", 0, %p1; or.b32 %r1, %r1, %r2;\n";
    expected |= uint32_t(want) << steps++;
    return *this;
  }
  Script &over(unsigned phase, bool want) {
    return ask("mbarrier.test_wait.parity.shared.b64 %p1, [BAR], " +
                   std::to_string(phase % 2),
               want);
  }
  void check() {
    Kernel kernel(text + "st.global.u32 [%out], %r1;\nEND:");
    kernel.expectClean(1);
    EXPECT_EQ(kernel.out[0], expected) << text;
  }
};

const char *const kOwnSpaces[] = {"", ".shared", ".shared::cta"};
const char *const kSpaces[] = {"", ".shared", ".shared::cta",
                               ".shared::cluster"};

/// ".release.cta" and the like: with the order goes the scope.
std::vector<std::string> orders(const std::vector<std::string> &names) {
  std::vector<std::string> all{""};
  for (const std::string &name : names)
    for (const char *scope : {".cta", ".cluster"})
      all.push_back("." + name + scope);
  return all;
}
} // namespace

// The phase ends with the second arrival, whichever form the first has.
TEST(MBarrierForms, Arrivals) {
  for (const char *space : kSpaces)
    for (const std::string &order : orders({"release", "relaxed"}))
      for (bool drop : {false, true})
        for (const char *state : {"_", "%state"})
          for (int count : {0, 1, 2}) {
            bool remote = std::string(space) == ".shared::cluster";
            if (remote && *state == '%')
              continue;
            std::string form = std::string("mbarrier.arrive") +
                               (drop ? "_drop" : "") + order + space + ".b64 " +
                               state + ", [BAR]" +
                               (count ? ", " + std::to_string(count) : "");
            unsigned taken = count ? unsigned(count) : 1;
            Script s;
            s.run("mbarrier.init.shared.b64 [BAR], 3").run(form);
            s.over(0, false);
            for (unsigned k = taken; k != 3; ++k)
              s.over(0, false).run("mbarrier.arrive.shared.b64 _, [BAR]");
            s.over(0, true).over(1, false);
            // Threads that dropped out do not count in the next phase.
            for (unsigned k = drop ? taken : 0; k != 3; ++k)
              s.over(1, false).run("mbarrier.arrive.shared.b64 _, [BAR]");
            s.over(1, true);
            s.check();
          }
}

// An expected transaction keeps the phase open.
TEST(MBarrierForms, ExpectedTransactions) {
  for (const char *space : kSpaces)
    for (const std::string &order : orders({"release", "relaxed"}))
      for (bool drop : {false, true})
        for (const char *state : {"_", "%state"}) {
          bool remote = std::string(space) == ".shared::cluster";
          if (remote && *state == '%')
            continue;
          Script s;
          s.run("mbarrier.init.shared.b64 [BAR], 1");
          s.run(std::string("mbarrier.arrive") + (drop ? "_drop" : "") +
                ".expect_tx" + order + space + ".b64 " + state + ", [BAR], 48");
          s.over(0, false);
          s.run("mbarrier.complete_tx.shared.b64 [BAR], 16").over(0, false);
          s.run("mbarrier.complete_tx.shared.b64 [BAR], 32").over(0, true);
          s.check();
        }
  for (const char *space : kSpaces)
    for (const std::string &order : orders({"relaxed"})) {
      Script s;
      s.run("mbarrier.init.shared.b64 [BAR], 1");
      s.run("mbarrier.expect_tx" + order + space + ".b64 [BAR], 64");
      s.run("mbarrier.arrive.shared.b64 _, [BAR]").over(0, false);
      s.run("mbarrier.complete_tx" + order + space + ".b64 [BAR], 64");
      s.over(0, true).check();
    }
}

// noComplete arrives without ending the phase, and gives the state before.
TEST(MBarrierForms, NoComplete) {
  for (const char *space : kOwnSpaces)
    for (const char *order : {"", ".release.cta"})
      for (bool drop : {false, true}) {
        Script s;
        s.run("mbarrier.init.shared.b64 [BAR], 4");
        s.run(std::string("mbarrier.arrive") + (drop ? "_drop" : "") +
              ".noComplete" + order + space + ".b64 %state, [BAR], 3");
        s.run("mbarrier.pending_count.b64 %r3, %state");
        s.ask("setp.eq.u32 %p1, %r3, 4", true).over(0, false);
        s.run("mbarrier.arrive.shared.b64 _, [BAR]").over(0, true);
        s.check();
      }
}

// Both kinds of wait, by parity and by state, in the current phase and behind
// it, with and without a time to sleep.
TEST(MBarrierForms, Waits) {
  for (const char *verb : {"test_wait", "try_wait"})
    for (const char *space : kOwnSpaces)
      for (const std::string &order : orders({"acquire", "relaxed"}))
        for (bool hint : {false, true}) {
          if (hint && verb[1] == 'e')
            continue;
          std::string tail = hint ? ", 100" : "";
          auto form = [&](const char *parity) {
            return std::string("mbarrier.") + verb + parity + order + space +
                   ".b64 %p1, [BAR], ";
          };
          std::string byState = form("") + "%state" + tail;
          std::string even = form(".parity") + "0" + tail;
          std::string odd = form(".parity") + "1" + tail;
          Script s;
          s.run("mov.b32 %r4, 20; mbarrier.init.shared.b64 [BAR], 2");
          s.run("mbarrier.arrive.shared.b64 %state, [BAR]");
          s.ask(byState, false).ask(even, false).ask(odd, true);
          s.run("mbarrier.arrive.shared.b64 _, [BAR]");
          s.ask(byState, true).ask(even, true).ask(odd, false);
          s.run("mbarrier.arrive.shared.b64 %state, [BAR]");
          s.ask(byState, false).ask(even, true).ask(odd, false);
          s.check();
        }
}

TEST(MBarrierForms, InitAndInval) {
  for (const char *space : kOwnSpaces)
    for (const char *count : {"2", "%r4"}) {
      Script s;
      s.run("mov.b32 %r4, 2");
      s.run(std::string("mbarrier.init") + space + ".b64 [BAR], " + count);
      s.run("mbarrier.arrive.shared.b64 _, [BAR], 2").over(0, true);
      s.run(std::string("mbarrier.inval") + space + ".b64 [BAR]");
      s.run("mbarrier.init.shared.b64 [BAR], 1").over(0, false);
      s.check();
    }
}
