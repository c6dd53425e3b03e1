//===- Simulation.h - Runs a GPU program under several schedules -*- C++ -*===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_SIMULATION_H
#define ATTN_RUN_SIMULATION_H

#include "attn-ptxsim/PTXSim.h"
#include "attn/Compiler/Execution.h"

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace attn::run {

/// All launches of one kernel.
struct KernelProfile {
  explicit KernelProfile(std::string name) : name(std::move(name)) {}

  std::string name;
  uint64_t launches = 0;
  ptx::LineProfile sum;
  /// By PTX line; only with --profile.
  std::map<uint32_t, ptx::LineProfile> lines;
};

struct Simulation {
  std::vector<std::string> schedules;
  /// With the schedule that first showed it; each once.
  std::vector<std::string> findings;
  /// Of the first schedule.
  std::vector<KernelProfile> kernels;
  /// Of all schedules.
  double seconds = 0;

  bool isClean() const { return findings.empty(); }
};

/// Runs the program on a device that is a simulator: all asynchronous
/// operations as early as possible, as late as possible, and at random for each
/// of `seeds` seeds. The execution that comes back is the first one; results
/// with other bits under another schedule are a finding.
llvm::Expected<std::unique_ptr<Execution>>
simulate(const CompiledProgram &compiled, const Program &program,
         std::vector<HostArray> &arguments, ExecutionDevice &device,
         unsigned seeds, Simulation &simulation);

void printSimulation(const Simulation &simulation, bool withProfile,
                     llvm::raw_ostream &os);

void writeSimulation(const Simulation &simulation, llvm::json::OStream &json);

} // namespace attn::run

#endif // ATTN_RUN_SIMULATION_H
