//===- Report.h - What attn-run found, as text and as JSON ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_REPORT_H
#define ATTN_RUN_REPORT_H

#include "Benchmark.h"
#include "Options.h"
#include "Simulation.h"
#include "attn/Compiler/CompilationPage.h"
#include "attn/Runtime/TileEmulator.h"

namespace attn::run {

/// What the tile unit in software has seen.
struct EmulatedTiles {
  /// False where the machine has one and ran the code by itself.
  bool areEmulated;
  TileCounts counts;
  /// The first one, empty if there was none.
  std::string fault;
};

struct Report {
  std::string entry;
  std::string target;
  std::vector<std::string> cpuFeatures;
  int threads = 1;
  double compileSeconds = 0;
  std::vector<Phases::Time> phases;
  std::vector<KernelInfo> kernels;
  std::vector<CompilerMessage> remarks;
  /// Of the contractions; nothing when there are none.
  std::optional<double> flops;
  /// Arguments read once and results written once.
  double bytes = 0;
  std::vector<Comparison> comparisons;
  std::optional<Measurement> measurement;
  std::optional<Simulation> simulation;
  std::optional<StepProfile> profile;
  std::optional<EmulatedTiles> tiles;

  /// Nothing is wrong with the results, nor with how they were computed.
  bool isGood() const;
};

/// Prints for people.
void printReport(const Report &report, const Options &options,
                 llvm::raw_ostream &os);

/// Writes the JSON file, complete or not at all.
llvm::Error writeJSON(const Report &report, const Options &options);

/// Writes the page of --report, complete or not at all.
llvm::Error writePage(const Report &report, const PhaseTexts &phases,
                      const Options &options);

} // namespace attn::run

#endif // ATTN_RUN_REPORT_H
