//===- WarpKernel.cpp - A few instructions between two sets of registers --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpKernel.h"

#include "../InstructionForms.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace attn::ptx::test {

std::string names(const std::string &prefix, unsigned first, unsigned count) {
  std::string result;
  for (unsigned k = 0; k != count; ++k)
    result += (k ? ", " : "") + prefix + std::to_string(first + k);
  return result;
}

std::string WarpKernel::text() const {
  std::string loads, stores;
  for (size_t k = 0; k != in.size(); ++k)
    loads += "  ld.global.b32 %i" + std::to_string(k) + ", [%in+" +
             std::to_string(128 * k) + "];\n";
  for (unsigned k = 0; k != results; ++k)
    stores += "  st.global.b32 [%out+" + std::to_string(128 * k) + "], %o" +
              std::to_string(k) + ";\n";
  return ".version 8.6\n.target " + target +
         "\n.address_size 64\n"
         ".visible .entry kernel(.param .u64 in, .param .u64 out) {\n"
         "  .reg .b32 %i<32>, %o<32>, %t<16>, %lane, %tile, %a;\n"
         "  .reg .b64 %in, %out, %g, %w<16>;\n"
         "  .reg .pred %p<4>; .reg .f32 %f<16>; .reg .f64 %x<32>;\n"
         "  .shared .align 1024 .b8 tile[8192];\n"
         "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "  mov.u32 %lane, %tid.x; mov.u32 %tile, tile;\n"
         "  mul.wide.u32 %g, %lane, 4;\n"
         "  add.u64 %in, %in, %g; add.u64 %out, %out, %g;\n" +
         loads + body + "\n" + stores + "  ret;\n}\n";
}

Expected<Report> WarpKernel::start() {
  Expected<Module> module = Module::parse(text());
  if (!module)
    return module.takeError();
  noteForms(body);
  // One row of words for each 32 threads.
  size_t rows = std::max<size_t>(in.size(), 1) + threads / 32;
  std::vector<Words> source(rows, Words{});
  std::copy(in.begin(), in.end(), source.begin());
  out.assign(results + threads / 32, everywhere(0xdeadbeef));
  Launch launch;
  launch.block.x = threads;
  launch.buffers.resize(2);
  launch.buffers[0] = {"in", source.data(), rows * sizeof(Words), true, false};
  launch.buffers[1] = {"out", out.data(), out.size() * sizeof(Words), false,
                       false};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  return attn::ptx::run(*module, launch, options);
}

Report WarpKernel::run() {
  Expected<Report> report = start();
  if (report)
    return std::move(*report);
  ADD_FAILURE() << toString(report.takeError());
  return {};
}

std::string WarpKernel::refusal() {
  Expected<Report> report = start();
  if (!report)
    return toString(report.takeError());
  ADD_FAILURE() << "accepted: " << body;
  return "";
}

static std::string print(const Report &report) {
  std::string result;
  raw_string_ostream os(result);
  report.print(os);
  return result;
}

const std::vector<Words> &WarpKernel::clean() {
  Report report = run();
  EXPECT_TRUE(report.clean()) << print(report) << body;
  return out;
}

std::string WarpKernel::expectFinding(FindingKind kind,
                                      const std::string &needle,
                                      uint32_t lane) {
  std::string all = text();
  size_t at = all.find(needle);
  EXPECT_NE(at, std::string::npos) << needle;
  uint32_t line =
      1 + uint32_t(std::count(all.begin(), all.begin() + long(at), '\n'));
  std::string message;
  for (Schedule schedule : schedules) {
    options.schedule = schedule;
    Report report = run();
    const Finding *found = nullptr;
    for (const Finding &f : report.findings)
      if (f.kind == kind && (f.line == line || f.otherLine == line))
        found = &f;
    EXPECT_TRUE(found) << "at line " << line << ": " << needle << "\n"
                       << print(report);
    if (!found)
      continue;
    message = found->message;
    if (lane != ~0u)
      EXPECT_EQ(found->lane, lane);
  }
  return message;
}

std::vector<RowsForm> rowsForms() {
  std::vector<RowsForm> all;
  for (unsigned count : {1u, 2u, 4u})
    for (bool transposed : {false, true})
      for (const char *space : {"", ".shared", ".shared::cta"})
        all.push_back({count, transposed, space});
  return all;
}

} // namespace attn::ptx::test
