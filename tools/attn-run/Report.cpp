//===- Report.cpp - What attn-run found, as text and as JSON --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "attn/Support/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <cmath>

using namespace attn;
using namespace attn::run;
using llvm::format;

bool Report::isGood() const {
  if (simulation && !simulation->isClean())
    return false;
  if (tiles && tiles->counts.faults)
    return false;
  return llvm::all_of(comparisons,
                      [](const Comparison &c) { return c.matches; });
}

static void printComparison(const Comparison &comparison,
                            llvm::raw_ostream &os) {
  os << "  " << comparison.result << " against " << comparison.against << ": ";
  // Only terminals are coloured.
  llvm::WithColor(os, comparison.matches ? llvm::raw_ostream::GREEN
                                         : llvm::raw_ostream::RED)
      << (comparison.matches ? "match" : "MISMATCH");
  os << format(", max error %.3g, mean error %.3g, margin %.3g",
               comparison.maxError, comparison.meanError, comparison.margin);
  if (!comparison.worst.empty())
    os << ", worst at " << comparison.worst;
  os << "\n";
  if (!comparison.note.empty())
    os << "    " << comparison.note << "\n";
}

static void printPeaks(const Measurement &m, llvm::raw_ostream &os) {
  os << "  peaks beside it:";
  if (m.registerPeak)
    os << format(" registers %.1f GFLOP/s,", *m.registerPeak);
  if (m.tilePeak)
    os << format(" tile %.1f GFLOP/s,", *m.tilePeak);
  if (m.pairsPeak)
    os << format(" pairs of bf16 %.1f GFLOP/s,", *m.pairsPeak);
  if (m.amxPeak)
    os << format(" AMX bf16 %.0f GFLOP/s,", *m.amxPeak);
  if (m.streamPeak)
    os << format(" two arrays to two %.2f GB/s,", *m.streamPeak);
  os << format(" copy %.2f GB/s, reading the arguments %.2f GB/s\n",
               *m.copyPeak, *m.readPeak);
}

static void printMeasurement(const Report &report, llvm::raw_ostream &os) {
  const Measurement &m = *report.measurement;
  os << format("  best %.4g ms, median %.4g ms of %u samples\n",
               m.bestSeconds * 1e3, m.medianSeconds * 1e3, m.samples);
  double bandwidth = report.bytes / m.medianSeconds * 1e-9;
  if (report.flops) {
    double rate = *report.flops / m.medianSeconds * 1e-9;
    os << format("  %.1f GFLOP/s", rate);
    if (m.tileWork)
      os << format(", %.1f %% of the tile peak",
                   100e-9 * *report.flops / *m.tileWork);
    os << format("; %.2f GB/s", bandwidth);
    if (m.readPeak)
      os << format(", %.1f %% of the read peak", 100 * bandwidth / *m.readPeak);
  } else {
    os << format("  %.2f GB/s", bandwidth);
    if (m.copyPeak)
      os << format(", %.1f %% of the copy peak", 100 * bandwidth / *m.copyPeak);
  }
  os << "\n";
  if (m.copyPeak && m.readPeak)
    printPeaks(m, os);
}

static void printTiles(const EmulatedTiles &tiles, bool withCounts,
                       llvm::raw_ostream &os) {
  const TileCounts &c = tiles.counts;
  if (!tiles.areEmulated)
    os << "  tiles of this machine, not emulated: nothing is counted\n";
  else if (withCounts)
    os << "  emulated tiles: " << c.configurations << " configurations, "
       << c.releases << " releases, " << c.zeros << " zeros, " << c.loads
       << " loads, " << c.products << " products, " << c.stores << " stores\n";
  if (!c.faults)
    return;
  os << "  ";
  llvm::WithColor(os, llvm::raw_ostream::RED) << "FAULTS";
  os << " of tiles: " << c.faults << ", the first one: " << tiles.fault << "\n";
}

static void writeTiles(const EmulatedTiles &tiles, llvm::json::OStream &json) {
  const TileCounts &c = tiles.counts;
  json.attribute("configurations", c.configurations);
  json.attribute("releases", c.releases);
  json.attribute("zeros", c.zeros);
  json.attribute("loads", c.loads);
  json.attribute("products", c.products);
  json.attribute("stores", c.stores);
  json.attribute("faults", c.faults);
  if (c.faults)
    json.attribute("first_fault", tiles.fault);
}

void attn::run::printReport(const Report &report, const Options &options,
                            llvm::raw_ostream &os) {
  os << report.entry << ": " << report.target << ", " << report.threads
     << (report.threads == 1 ? " thread" : " threads")
     << format(", compiled in %.3f s\n", report.compileSeconds);
  for (const KernelInfo &kernel : report.kernels)
    os << "  kernel " << kernel.name << ": " << kernel.schedule << "\n";
  if (report.simulation)
    printSimulation(*report.simulation, options.profile, os);
  if (report.tiles)
    printTiles(*report.tiles, options.remarks, os);
  for (const Comparison &comparison : report.comparisons)
    printComparison(comparison, os);
  if (report.measurement)
    printMeasurement(report, os);
  if (report.profile)
    printProfile(*report.profile, os);
  if (options.remarks)
    for (const CompilerMessage &remark : report.remarks)
      os << "  remark: " << remark.format() << "\n";
}

/// JSON has no infinities; what is not a number is left out.
static void writeNumber(llvm::json::OStream &json, llvm::StringRef key,
                        double value) {
  if (std::isfinite(value))
    json.attribute(key, value);
}

static void writeMeasurement(const Report &report, llvm::json::OStream &json) {
  const Measurement &m = *report.measurement;
  writeNumber(json, "best_seconds", m.bestSeconds);
  writeNumber(json, "median_seconds", m.medianSeconds);
  if (report.flops)
    writeNumber(json, "gflops", *report.flops / m.medianSeconds * 1e-9);
  double bandwidth = report.bytes / m.medianSeconds * 1e-9;
  writeNumber(json, "gbytes_per_second", bandwidth);
  if (m.readPeak) {
    writeNumber(json, "read_gbytes_per_second", *m.readPeak);
    writeNumber(json, "read_share", bandwidth / *m.readPeak);
  }
  if (m.copyPeak)
    writeNumber(json, "copy_gbytes_per_second", *m.copyPeak);
  if (m.streamPeak)
    writeNumber(json, "stream_gbytes_per_second", *m.streamPeak);
  if (m.registerPeak)
    writeNumber(json, "register_peak_gflops", *m.registerPeak);
  if (m.pairsPeak)
    writeNumber(json, "pairs_bf16_peak_gflops", *m.pairsPeak);
  if (m.amxPeak)
    writeNumber(json, "amx_bf16_peak_gflops", *m.amxPeak);
  if (!m.tilePeak)
    return;
  writeNumber(json, "peak_gflops", *m.tilePeak);
  if (report.flops)
    writeNumber(json, "peak_share", *report.flops * 1e-9 / *m.tileWork);
}

static void writeComparisons(const Report &report, llvm::json::OStream &json) {
  double maxError = 0, meanError = 0, margin = 0;
  for (const Comparison &comparison : report.comparisons) {
    maxError = std::fmax(maxError, comparison.maxError);
    meanError = std::fmax(meanError, comparison.meanError);
    margin = std::fmax(margin, comparison.margin);
  }
  writeNumber(json, "max_error", maxError);
  writeNumber(json, "mean_error", meanError);
  writeNumber(json, "margin", margin);
}

static void writeObject(const Report &report, const Options &options,
                        llvm::json::OStream &json) {
  json.attribute("file", options.file);
  json.attribute("entry", report.entry);
  json.attribute("target", report.target);
  json.attributeArray("cpu_features", [&] {
    for (const std::string &feature : report.cpuFeatures)
      json.value(feature);
  });
  json.attribute("threads", report.threads);
  json.attribute("checks", options.innerChecks ? "all" : "entry");
  json.attribute("compile_seconds", report.compileSeconds);
  json.attributeObject("phase_seconds", [&] {
    for (Phases::Time phase : report.phases)
      writeNumber(json, phase.name, phase.seconds);
  });
  if (report.flops)
    json.attribute("flops", *report.flops);
  json.attribute("bytes", report.bytes);
  if (report.measurement)
    writeMeasurement(report, json);
  if (!report.comparisons.empty())
    writeComparisons(report, json);
  if (report.simulation)
    writeSimulation(*report.simulation, json);
  if (report.tiles && report.tiles->areEmulated)
    json.attributeObject("emulated_tiles",
                         [&] { writeTiles(*report.tiles, json); });
  if (report.profile)
    json.attributeObject("profile",
                         [&] { writeProfile(*report.profile, json); });
  json.attributeArray("kernels", [&] {
    for (const KernelInfo &kernel : report.kernels)
      json.object([&] {
        json.attribute("name", kernel.name);
        json.attribute("schedule", kernel.schedule);
      });
  });
  json.attributeArray("remarks", [&] {
    for (const CompilerMessage &remark : report.remarks)
      json.value(llvm::json::fixUTF8(remark.format()));
  });
}

llvm::Error attn::run::writeJSON(const Report &report, const Options &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] { writeObject(report, options, json); });
  json.flush();
  os << "\n";
  return writeOutput(options.json, std::move(text));
}

llvm::Error attn::run::writePage(const Report &report, const PhaseTexts &phases,
                                 const Options &options) {
  CompilationPage page;
  page.title =
      (report.entry + " of " + llvm::sys::path::filename(options.file) +
       " for " + report.target)
          .str();
  page.summary = {llvm::formatv("{0} thread{1}, compiled in {2:f3} s",
                                report.threads, report.threads == 1 ? "" : "s",
                                report.compileSeconds)
                      .str()};
  page.kernels = report.kernels;
  page.comparisons = report.comparisons;
  page.profile = report.profile;
  page.remarks = report.remarks;
  page.times = report.phases;
  page.phases = phases;
  page.file = options.file;
  // Standard input is not there any more.
  if (!phases.get().empty())
    page.source = phases.get().front().second;
  if (auto text = llvm::MemoryBuffer::getFile(options.file))
    page.source = (*text)->getBuffer().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  writeCompilationPage(page, os);
  return writeOutput(options.report, std::move(text));
}
