//===- Scale.cpp - The example of docs/PTXSim.md --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From here to the end this file stands in the manual as well.
//
//===----------------------------------------------------------------------===//

#include "attn-ptxsim/PTXSim.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace attn::ptx;

/// Runs `scale(float *data, float factor, u32 n)`: true if nothing is wrong.
llvm::Expected<bool> scale(llvm::StringRef ptx, std::vector<float> &data,
                           float factor) {
  llvm::Expected<Module> module = Module::parse(ptx);
  if (!module)
    return module.takeError(); // "line 12: ..."

  Launch launch;
  launch.kernel = "scale";
  launch.block.x = 128;
  launch.grid.x = uint32_t((data.size() + 127) / 128);
  launch.buffers.push_back({"data", data.data(), data.size() * sizeof(float)});
  launch.arguments = {Argument::pointer(0), Argument::scalar(factor),
                      Argument::scalar(uint32_t(data.size()))};

  Options options;
  options.schedule = Schedule::seeded(1);
  llvm::Expected<Report> report = run(*module, launch, options);
  if (!report)
    return report.takeError(); // Bad input: "kernel 'scale' has 3 parameters"
  report->print(llvm::errs());
  return report->clean(); // What the kernel did is in `data` either way.
}
