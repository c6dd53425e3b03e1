//===- CompilationPage.cpp - A compilation as a page ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/CompilationPage.h"
#include "attn/Support/ReportPage.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attn;

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

static void addSchedules(const CompilationPage &about, ReportPage &page) {
  if (about.kernels.empty())
    return;
  page.addHeading("Schedules");
  std::vector<ReportRow> rows;
  for (const KernelInfo &kernel : about.kernels)
    rows.push_back({kernel.name, kernel.schedule});
  page.addTable({"attention", "schedule"}, rows);
}

static void addComparisons(const CompilationPage &about, ReportPage &page) {
  if (about.comparisons.empty())
    return;
  page.addHeading("Numbers");
  std::vector<ReportRow> rows;
  for (const Comparison &c : about.comparisons)
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

static void addPhaseTimes(const CompilationPage &about, ReportPage &page) {
  if (about.times.empty())
    return;
  page.addHeading("Phases");
  std::vector<ReportRow> rows;
  for (const Phases::Time &phase : about.times)
    rows.push_back({phase.name, formatMilliseconds(phase.seconds)});
  page.addTable({"phase", "ms"}, rows);
}

/// The source with the remarks of its lines; those that stand elsewhere, as in
/// the framework's files, in a list.
static void addRemarks(const CompilationPage &about, ReportPage &page) {
  page.addHeading("Remarks");
  LineNotes notes;
  for (const CompilerMessage &remark : about.remarks) {
    if (!about.source.empty() && remark.file == about.file && remark.line)
      notes[remark.line].push_back("[" + remark.id + "] " + remark.text);
    else
      page.addParagraph(remark.format());
  }
  if (!about.source.empty())
    page.addSource(about.source, notes);
}

void attn::writeCompilationPage(const CompilationPage &about,
                                llvm::raw_ostream &os) {
  ReportPage page(os, about.title);
  for (const std::string &paragraph : about.summary)
    page.addParagraph(paragraph);
  addSchedules(about, page);
  addComparisons(about, page);
  if (about.profile)
    addProfile(*about.profile, page);
  addRemarks(about, page);
  addPhaseTimes(about, page);
  page.addVersions(about.phases.get());
}
