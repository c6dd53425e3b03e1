//===- Simulation.cpp - Runs a GPU program under several schedules --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"
#include "attn/Runtime/SimulatedDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"
#include <cstring>

using namespace attn;
using namespace attn::run;
using llvm::Expected;
using llvm::format;

/// One entry for each kernel, in the order of their first launches.
static std::vector<KernelProfile>
collectKernels(llvm::ArrayRef<SimulatedLaunch> launches) {
  std::vector<KernelProfile> kernels;
  for (const SimulatedLaunch &launch : launches) {
    auto kernel = llvm::find_if(kernels, [&](const KernelProfile &known) {
      return known.name == launch.kernel;
    });
    if (kernel == kernels.end())
      kernel = kernels.insert(kernel, KernelProfile(launch.kernel));
    ++kernel->launches;
    ptx::LineProfile counts;
    for (auto &[number, line] : launch.report.lines) {
      counts += line;
      kernel->lines[number] += line;
    }
    counts.warpInstructions = launch.report.warpInstructions;
    counts.laneInstructions = launch.report.laneInstructions;
    kernel->sum += counts;
  }
  return kernels;
}

/// Results of two schedules, bit by bit.
static void compareBits(llvm::ArrayRef<HostArray> first,
                        llvm::ArrayRef<HostArray> second,
                        std::vector<std::string> &findings) {
  for (auto [index, a, b] : llvm::enumerate(first, second)) {
    auto *x = static_cast<const uint8_t *>(a.getData());
    auto *y = static_cast<const uint8_t *>(b.getData());
    size_t bytes = a.getNumBytes();
    size_t at = std::mismatch(x, x + bytes, y).first - x;
    if (at != bytes)
      findings.push_back(
          "out" + std::to_string(index) + " has other bits than under the " +
          "first schedule, from element " +
          std::to_string(at / getElementSize(a.getKind())) + " on");
  }
}

Expected<std::unique_ptr<Execution>>
attn::run::simulate(const CompiledProgram &compiled, const Program &program,
                    std::vector<HostArray> &arguments, ExecutionDevice &device,
                    unsigned seeds, Simulation &simulation) {
  std::vector<std::pair<std::string, ptx::Schedule>> schedules = {
      {"earliest", ptx::Schedule::earliest()},
      {"latest", ptx::Schedule::latest()}};
  for (unsigned seed = 1; seed <= seeds; ++seed)
    schedules.push_back(
        {"seed " + std::to_string(seed), ptx::Schedule::seeded(seed)});

  SimulatedDevice &simulator = *device.getSimulator();
  std::unique_ptr<Execution> first;
  llvm::StringSet<> seen;
  for (auto &[name, schedule] : schedules) {
    simulator.restart(schedule);
    auto execution = Execution::runOnce(compiled, program, arguments, device);
    if (!execution)
      return execution.takeError();
    simulation.schedules.push_back(name);
    std::vector<std::string> findings = simulator.describeFindings();
    for (const SimulatedLaunch &launch : simulator.getLaunches())
      simulation.seconds += launch.report.seconds;
    if (first) {
      compareBits(first->getResults(), (*execution)->getResults(), findings);
    } else {
      first = std::move(*execution);
      simulation.kernels = collectKernels(simulator.getLaunches());
    }
    for (const std::string &finding : findings)
      if (seen.insert(finding).second)
        simulation.findings.push_back(name + ": " + finding);
  }
  return first;
}

/// How many times the least it is.
static void printShare(uint64_t count, uint64_t least, const char *what,
                       llvm::raw_ostream &os) {
  if (least)
    os << format(", %s %.2f of the least", what, double(count) / least);
}

static void printProfile(const KernelProfile &kernel, llvm::raw_ostream &os) {
  os << "  kernel '" << kernel.name << "': " << kernel.launches
     << (kernel.launches == 1 ? " launch, " : " launches, ")
     << kernel.sum.warpInstructions << " warp instructions, "
     << kernel.sum.laneInstructions << " lane instructions";
  printShare(kernel.sum.globalSectors, kernel.sum.globalIdealSectors,
             "global sectors", os);
  printShare(kernel.sum.sharedWavefronts, kernel.sum.sharedIdealWavefronts,
             "shared wavefronts", os);
  os << "\n";
  for (auto &[number, line] : kernel.lines) {
    if (line.globalSectors > line.globalIdealSectors)
      os << "    PTX line " << number << ": " << line.globalSectors
         << " global sectors, " << line.globalIdealSectors << " at least\n";
    if (line.sharedWavefronts > line.sharedIdealWavefronts)
      os << "    PTX line " << number << ": " << line.sharedWavefronts
         << " shared wavefronts, " << line.sharedIdealWavefronts
         << " at least\n";
  }
}

void attn::run::printSimulation(const Simulation &simulation, bool withProfile,
                                llvm::raw_ostream &os) {
  uint64_t launches = 0, instructions = 0;
  for (const KernelProfile &kernel : simulation.kernels) {
    launches += kernel.launches;
    instructions += kernel.sum.laneInstructions;
  }
  os << "  simulated under " << llvm::join(simulation.schedules, ", ") << ": "
     << launches << (launches == 1 ? " launch, " : " launches, ")
     << instructions << " lane instructions each, "
     << format("%.3f s, ", simulation.seconds);
  llvm::WithColor(os, simulation.isClean() ? llvm::raw_ostream::GREEN
                                           : llvm::raw_ostream::RED)
      << (simulation.isClean() ? "no findings" : "FINDINGS");
  os << "\n";
  for (const std::string &finding : simulation.findings)
    os << "    " << finding << "\n";
  if (withProfile)
    for (const KernelProfile &kernel : simulation.kernels)
      printProfile(kernel, os);
}

static void writeCounts(const ptx::LineProfile &counts,
                        llvm::json::OStream &json) {
  json.attribute("warp_instructions", counts.warpInstructions);
  json.attribute("lane_instructions", counts.laneInstructions);
  json.attribute("shared_wavefronts", counts.sharedWavefronts);
  json.attribute("shared_wavefronts_least", counts.sharedIdealWavefronts);
  json.attribute("global_sectors", counts.globalSectors);
  json.attribute("global_sectors_least", counts.globalIdealSectors);
}

static void writeKernel(const KernelProfile &kernel,
                        llvm::json::OStream &json) {
  json.attribute("name", kernel.name);
  json.attribute("launches", kernel.launches);
  writeCounts(kernel.sum, json);
  json.attributeArray("lines", [&] {
    for (auto &[number, line] : kernel.lines)
      json.object([&, number = number, &line = line] {
        json.attribute("line", number);
        writeCounts(line, json);
      });
  });
}

void attn::run::writeSimulation(const Simulation &simulation,
                                llvm::json::OStream &json) {
  json.attributeObject("simulation", [&] {
    json.attributeArray("schedules", [&] {
      for (const std::string &schedule : simulation.schedules)
        json.value(schedule);
    });
    json.attribute("seconds", simulation.seconds);
    json.attributeArray("findings", [&] {
      for (const std::string &finding : simulation.findings)
        json.value(llvm::json::fixUTF8(finding));
    });
    json.attributeArray("kernels", [&] {
      for (const KernelProfile &kernel : simulation.kernels)
        json.object([&] { writeKernel(kernel, json); });
    });
  });
}
