//===- RunKernel.h - Small PTX kernels under every schedule -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel body is put into a frame with two pointers (%in, %out), the thread
// index (%tid, byte offset %o4 = 4 * tid, %o16 = 16 * tid), 16 KiB of shared
// memory at %smem and mbarriers at %bar; %p0 is "thread 0".
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_PTXSIM_ASYNC_RUNKERNEL_H
#define ATTN_UNITTESTS_PTXSIM_ASYNC_RUNKERNEL_H

#include "../InstructionForms.h"
#include "attn-ptxsim/PTXSim.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <optional>
#include <set>

namespace attn::ptx::test {

inline std::string frame(const std::string &body, bool withMap = false) {
  std::string map = withMap ? ",\n  .param .align 64 .b8 map[128]" : "";
  return ".version 8.3\n.target sm_90a\n.address_size 64\n"
         ".visible .entry kernel(.param .u64 in, .param .u64 out" +
         map +
         ") {\n"
         "  .reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"
         "  .reg .b32 %tid, %o4, %o16, %smem, %bar; .reg .b64 %in, %out, "
         "%map, %state;\n  .reg .f32 %f<8>; .reg .b16 %h<4>;\n"
         "  .shared .align 1024 .b8 buffer[16384];\n"
         "  .shared .align 8 .b64 bars[4];\n"
         "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "  cvta.to.global.u64 %in, %in; cvta.to.global.u64 %out, %out;\n"
         "  mov.u32 %tid, %tid.x; shl.b32 %o4, %tid, 2; shl.b32 %o16, %tid, "
         "4;\n  mov.u32 %smem, buffer; mov.u32 %bar, bars;\n"
         "  setp.eq.u32 %p0, %tid, 0;\n" +
         std::string(withMap
                         ? "  mov.b64 %map, map; cvta.param.u64 %map, %map;\n"
                         : "") +
         body + "\n  ret;\n}\n";
}

struct Kernel {
  std::string body;
  std::vector<uint32_t> in = std::vector<uint32_t>(1024);
  size_t outWords = 1024;
  uint32_t threads = 32, ctas = 1, cluster = 1;
  std::optional<TensorMap> map;
  bool strict = false;

  std::vector<uint32_t> out; ///< Of the last run.

  Kernel(std::string text) : body(std::move(text)) {
    for (size_t i = 0; i != in.size(); ++i)
      in[i] = uint32_t(0x1000 + i);
  }

  Report run(Schedule schedule) {
    out.assign(outWords, 0xdeadbeef);
    noteForms(body);
    llvm::Expected<Module> module = Module::parse(frame(body, bool(map)));
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    Launch launch;
    launch.grid.x = ctas;
    launch.block.x = threads;
    launch.cluster.x = cluster;
    launch.buffers.resize(2);
    launch.buffers[0] = {"in", in.data(), in.size() * 4, true, false};
    launch.buffers[1] = {"out", out.data(), out.size() * 4, false, false};
    launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
    if (map)
      launch.arguments.push_back(Argument::tensorMap(*map));
    Options options;
    options.schedule = schedule;
    options.maxSeconds = 10;
    options.strict = strict;
    llvm::Expected<Report> report = attn::ptx::run(*module, launch, options);
    if (!report) {
      ADD_FAILURE() << llvm::toString(report.takeError());
      return {};
    }
    return std::move(*report);
  }

  static std::vector<Schedule> schedules(unsigned seeds) {
    std::vector<Schedule> all{Schedule::earliest(), Schedule::latest()};
    for (unsigned s = 1; s <= seeds; ++s)
      all.push_back(Schedule::seeded(s));
    return all;
  }

  static std::string text(const Report &report) {
    std::string result;
    llvm::raw_string_ostream os(result);
    report.print(os);
    return result;
  }

  /// Clean under every schedule, with one result.
  void expectClean(unsigned seeds = 20) {
    std::vector<uint32_t> first;
    for (Schedule s : schedules(seeds)) {
      std::vector<uint32_t> input = in;
      Report report = run(s);
      EXPECT_TRUE(report.clean()) << text(report);
      if (first.empty())
        first = out;
      EXPECT_EQ(out, first) << "seed " << s.seed;
      if (::testing::Test::HasFailure())
        return;
    }
  }

  /// Line of the frame's text that holds `needle`.
  uint32_t lineOf(const std::string &needle) {
    std::string all = frame(body, bool(map));
    size_t at = all.find(needle);
    EXPECT_NE(at, std::string::npos) << needle;
    return 1 + uint32_t(std::count(all.begin(), all.begin() + at, '\n'));
  }

  /// Every one of earliest and latest finds this kind, and at least one of
  /// them at the line that holds `needle` (or one that points to it).
  void expectFinding(FindingKind kind, const std::string &needle,
                     bool everySchedule = false) {
    uint32_t line = lineOf(needle);
    unsigned hits = 0, runs = 0;
    std::string all;
    for (Schedule s : schedules(everySchedule ? 5 : 0)) {
      Report report = run(s);
      all += text(report);
      ++runs;
      for (const Finding &f : report.findings)
        if (f.kind == kind && (f.line == line || f.otherLine == line)) {
          ++hits;
          break;
        }
    }
    EXPECT_GE(hits, everySchedule ? runs : 1u)
        << "expected line " << line << "\n"
        << all;
  }
};

/// `text` with the first `from` replaced.
inline std::string without(std::string text, const std::string &from,
                           const std::string &to = "") {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

} // namespace attn::ptx::test

#endif // ATTN_UNITTESTS_PTXSIM_ASYNC_RUNKERNEL_H
