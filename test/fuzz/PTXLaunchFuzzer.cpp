//===- PTXLaunchFuzzer.cpp - Any bytes as a kernel that is run ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What parses is decoded and run for a few instructions; its arguments are
// pointers where they have 64 bits and zeros elsewhere.
//
//===----------------------------------------------------------------------===//

#include "attn-ptxsim/PTXSim.h"

#include <array>

using namespace attn::ptx;

static void launch(const Module &module, const std::string &kernel) {
  std::array<uint8_t, 4096> memory{};
  Launch launch;
  launch.kernel = kernel;
  launch.grid.x = 2;
  launch.block.x = 64;
  launch.dynamicShared = 1024;
  launch.buffers = {{"memory", memory.data(), memory.size(), true, false}};
  for (const KernelParameter &param : module.parameters(kernel)) {
    if (param.bytes == 8) {
      launch.arguments.push_back(Argument::pointer(0));
      continue;
    }
    if (param.bytes > 32764)
      return;
    launch.arguments.emplace_back();
    launch.arguments.back().bytes.resize(param.bytes);
  }
  Options options;
  options.maxInstructions = 300;
  options.maxSeconds = 2;
  options.profile = true;
  for (Schedule schedule : {Schedule::latest(), Schedule::seeded(1)}) {
    options.schedule = schedule;
    llvm::consumeError(run(module, launch, options).takeError());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<Module> module = Module::parse(text);
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  for (const std::string &kernel : module->kernels())
    launch(*module, kernel);
  return 0;
}
