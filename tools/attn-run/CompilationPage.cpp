//===- CompilationPage.cpp - A compilation as a page ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilationPage.h"
#include "attn/Analysis/ReportPage.h"
#include "attn/Support/Stopwatch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace attn;
using namespace attn::run;

void PhaseTexts::add(llvm::StringRef phase, mlir::ModuleOp module) {
  if (!isOn)
    return;
  Stopwatch timer;
  std::string text;
  llvm::raw_string_ostream os(text);
  // Constants of a model would bury its ops.
  constexpr int64_t maxElements = 16;
  module.print(os,
               mlir::OpPrintingFlags().elideLargeElementsAttrs(maxElements));
  texts.emplace_back(phase.str(), std::move(text));
  seconds += timer.getSeconds();
}

static std::string formatMilliseconds(double seconds) {
  return llvm::formatv("{0:f4}", 1e3 * seconds).str();
}

static std::string formatDigits(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", value);
  return text;
}

static void addSchedules(const Report &report, ReportPage &page) {
  if (report.kernels.empty())
    return;
  page.addHeading("Schedules");
  std::vector<ReportRow> rows;
  for (const KernelInfo &kernel : report.kernels)
    rows.push_back({kernel.name, kernel.schedule});
  page.addTable({"attention", "schedule"}, rows);
}

static void addComparisons(const Report &report, ReportPage &page) {
  if (report.comparisons.empty())
    return;
  page.addHeading("Numbers");
  std::vector<ReportRow> rows;
  for (const Comparison &c : report.comparisons)
    rows.push_back({c.result, c.against, c.matches ? "match" : "MISMATCH",
                    formatDigits(c.maxError), formatDigits(c.margin)});
  page.addTable({"result", "against", "", "largest error", "error / tolerance"},
                rows);
}

static void addProfile(const StepProfile &profile, ReportPage &page) {
  page.addHeading("Time of each step");
  page.addParagraph(llvm::formatv("{0} ms a call, {1} calls",
                                  formatMilliseconds(profile.seconds),
                                  profile.calls)
                        .str());
  std::vector<ReportRow> rows;
  for (const StepTime &time : profile.steps)
    rows.push_back(
        {time.step.name,
         llvm::formatv("{0:f1} %", profile.getShare(time.seconds)).str(),
         formatMilliseconds(time.seconds),
         llvm::formatv("{0:f1}", time.runs).str(), time.step.location});
  page.addTable({"step", "share", "ms", "runs", "where"}, rows);
}

static void addPhaseTimes(const Report &report, ReportPage &page) {
  page.addHeading("Phases");
  std::vector<ReportRow> rows;
  for (const Phases::Time &phase : report.phases)
    rows.push_back({phase.name, formatMilliseconds(phase.seconds)});
  page.addTable({"phase", "ms"}, rows);
}

/// The source with the remarks of its lines; those that stand elsewhere, as in
/// the framework's files, in a list.
static void addRemarks(const Report &report, llvm::StringRef source,
                       const Options &options, ReportPage &page) {
  page.addHeading("Remarks");
  LineNotes notes;
  for (const CompilerMessage &remark : report.remarks) {
    if (remark.file == options.file && remark.line)
      notes[remark.line].push_back("[" + remark.id + "] " + remark.text);
    else
      page.addParagraph(remark.format());
  }
  page.addSource(source, notes);
}

llvm::Error attn::run::writePage(const Report &report, const PhaseTexts &phases,
                                 const Options &options) {
  // Standard input is not there any more.
  std::string source = phases.get().empty() ? "" : phases.get().front().second;
  if (auto text = llvm::MemoryBuffer::getFile(options.file))
    source = (*text)->getBuffer().str();
  return llvm::writeToOutput(options.report, [&](llvm::raw_ostream &os) {
    ReportPage page(os, (report.entry + " of " +
                         llvm::sys::path::filename(options.file) + " for " +
                         report.target)
                            .str());
    page.addParagraph(
        llvm::formatv("{0} thread{1}, compiled in {2:f3} s", report.threads,
                      report.threads == 1 ? "" : "s", report.compileSeconds)
            .str());
    addSchedules(report, page);
    addComparisons(report, page);
    if (report.profile)
      addProfile(*report.profile, page);
    addRemarks(report, source, options, page);
    addPhaseTimes(report, page);
    page.addVersions(phases.get());
    return llvm::Error::success();
  });
}
