//===- OneInstruction.cpp - Kernels of one instruction --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace attn::ptx::test {

std::string moduleText(const std::string &body) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n" + body;
}

std::string problem(Expected<Report> result) {
  if (!result)
    return "error: " + toString(result.takeError());
  if (result->findings.empty())
    return "";
  const Finding &finding = result->findings.front();
  return (ptx::toString(finding.kind) + ": line " + Twine(finding.line) + ": " +
          finding.message)
      .str();
}

static json::Array toJSON(Dim3 dim) { return json::Array{dim.x, dim.y, dim.z}; }

static std::string encode(const Buffer &buffer) {
  return encodeBase64(
      StringRef(static_cast<const char *>(buffer.data), buffer.bytes));
}

namespace {

/// With ATTN_PTX_GOLDEN=FILE in the environment each launch without findings is
/// a line of that file, so that a GPU can be asked for the same bits
/// (benchmarks/gpu_suite).
class GoldenNote {
public:
  GoldenNote(StringRef text, StringRef kernel, const Launch &launch)
      : path(std::getenv("ATTN_PTX_GOLDEN")), launch(launch) {
    if (!path)
      return;
    note = json::Object{{"ptx", text},
                        {"kernel", kernel.str()},
                        {"grid", toJSON(launch.grid)},
                        {"block", toJSON(launch.block)},
                        {"cluster", toJSON(launch.cluster)},
                        {"shared", launch.dynamicShared}};
    for (const Buffer &buffer : launch.buffers)
      before.push_back(encode(buffer));
  }

  void write(Expected<Report> &report) {
    if (!path || !report || !report->findings.empty())
      return;
    json::Array buffers;
    for (auto [buffer, bytes] : zip_equal(launch.buffers, before))
      buffers.push_back(
          json::Object{{"before", bytes}, {"after", encode(buffer)}});
    note["buffers"] = std::move(buffers);
    std::error_code error;
    raw_fd_ostream file(path, error, sys::fs::OF_Append);
    file << json::Value(std::move(note)) << "\n";
  }

private:
  const char *path;
  const Launch &launch;
  json::Object note;
  std::vector<std::string> before;
};

} // namespace

/// Loads an input register of any size from an array of 64-bit words.
static std::string loadInput(const std::string &name, const std::string &type,
                             size_t offset) {
  std::string address = "[%in+" + std::to_string(offset) + "];\n";
  if (type == "b64")
    return "ld.global.b64 " + name + ", " + address;
  std::string text = "ld.global.b64 %wide, " + address;
  if (type == "pred")
    return text + "setp.ne.u64 " + name + ", %wide, 0;\n";
  return text + "cvt.u" + type.substr(1) + ".u64 " + name + ", %wide;\n";
}

static std::string storeResult(const std::string &type) {
  if (type == "b64")
    return "st.global.b64 [%out], %d;\n";
  if (type == "pred")
    return "selp.u64 %wide, 1, 0, %d;\nst.global.b64 [%out], %wide;\n";
  return "cvt.u64.u" + type.substr(1) +
         " %wide, %d;\nst.global.b64 [%out], %wide;\n";
}

Values evaluate(const std::string &code, const std::vector<std::string> &types,
                const std::vector<Values> &inputs, Report *report) {
  static const char *names[] = {"%d", "%a", "%b", "%c", "%e", "%f"};
  noteForms(code);
  size_t count = 1;
  for (const Values &values : inputs)
    count = std::max(count, values.size());
  size_t lanes = std::max<size_t>(32, (count + 31) / 32 * 32);
  std::string text = ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                     ".reg .b64 %out, %in, %wide, %off;\n.reg .b32 %t;\n"
                     ".reg .b32 %t<8>;\n.reg .pred %p<8>;\n.reg .b64 %w<8>;\n"
                     ".reg .b16 %h<8>;\n";
  for (size_t k = 0; k != types.size(); ++k)
    text += ".reg ." + types[k] + " " + names[k] + ";\n";
  text += "ld.param.u64 %out, [out];\nld.param.u64 %in, [in];\n"
          "mov.u32 %t, %tid.x;\nmul.wide.u32 %off, %t, 8;\n"
          "add.u64 %out, %out, %off;\nadd.u64 %in, %in, %off;\n";
  for (size_t k = 0; k != inputs.size(); ++k)
    text += loadInput(names[k + 1], types[k + 1], k * lanes * 8);
  text += code + "\n" + storeResult(types[0]) + "ret;\n}\n";

  // Every lane gets a value: short lists are repeated.
  std::vector<uint64_t> in(lanes * std::max<size_t>(inputs.size(), 1));
  std::vector<uint64_t> out(lanes);
  for (size_t k = 0; k != inputs.size(); ++k)
    for (size_t l = 0; l != lanes; ++l)
      in[k * lanes + l] = inputs[k][l % inputs[k].size()];
  text = moduleText(text);
  Expected<Module> module = Module::parse(text);
  if (!module) {
    ADD_FAILURE() << toString(module.takeError()) << "\n" << code;
    return Values(count);
  }
  Launch launch;
  launch.block = {uint32_t(lanes), 1, 1};
  launch.buffers = {{"out", out.data(), out.size() * 8, false, false},
                    {"in", in.data(), in.size() * 8, true, false}};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  GoldenNote golden(text, "k", launch);
  Expected<Report> result = run(*module, launch);
  golden.write(result);
  if (!result) {
    ADD_FAILURE() << toString(result.takeError()) << "\n" << code;
    return Values(count);
  }
  if (report)
    *report = *result;
  else
    EXPECT_EQ(problem(std::move(result)), "") << code;
  out.resize(inputs.empty() ? lanes : count);
  return out;
}

Expected<Report> runKernel(const std::string &body, Launch launch,
                           std::vector<std::vector<uint32_t>> &buffers,
                           const Options &options) {
  std::string text = moduleText(body);
  Expected<Module> module = Module::parse(text);
  if (!module)
    return module.takeError();
  for (size_t k = 0; k != buffers.size(); ++k) {
    launch.buffers.push_back({"buffer" + std::to_string(k), buffers[k].data(),
                              buffers[k].size() * 4, true, false});
    launch.arguments.push_back(Argument::pointer(k));
  }
  GoldenNote golden(text, module->kernels().front(), launch);
  Expected<Report> result = run(*module, launch, options);
  golden.write(result);
  return result;
}

std::vector<uint32_t> runThreads(const std::string &text, uint32_t block,
                                 uint32_t cluster, std::string *found) {
  std::vector<std::vector<uint32_t>> buffers{
      std::vector<uint32_t>(block * cluster)};
  Launch launch;
  launch.block.x = block;
  launch.grid.x = launch.cluster.x = cluster;
  std::string result = problem(runKernel(text, launch, buffers));
  if (found)
    *found = result;
  else
    EXPECT_EQ(result, "") << text;
  return buffers[0];
}

} // namespace attn::ptx::test
