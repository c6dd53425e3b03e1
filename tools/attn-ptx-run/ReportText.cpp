//===- ReportText.cpp - The report as a person reads it -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using namespace attn::ptxrun;
using llvm::format;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {
/// The same finding under several schedules.
struct MergedFinding {
  const ptx::Finding *first;
  std::vector<std::string> schedules;
};
} // namespace

static std::vector<MergedFinding>
mergeFindings(const SessionResult &result,
              std::vector<ptx::Finding> ptx::Report::*list) {
  std::vector<MergedFinding> merged;
  for (const ScheduleRun &run : result.runs)
    for (const ptx::Finding &finding : run.report.*list) {
      std::vector<MergedFinding>::iterator known =
          llvm::find_if(merged, [&](const MergedFinding &other) {
            return other.first->kind == finding.kind &&
                   other.first->line == finding.line &&
                   other.first->otherLine == finding.otherLine;
          });
      if (known == merged.end()) {
        merged.push_back({&finding, {}});
        known = std::prev(merged.end());
      }
      known->schedules.push_back(formatSchedule(run.schedule));
    }
  return merged;
}

static void printLine(raw_ostream &os, const SessionResult &result,
                      StringRef label, uint32_t line) {
  if (line && line <= result.source.size())
    os << "  " << label << line << ": " << result.source[line - 1] << "\n";
}

static void printFinding(raw_ostream &os, const Flags &flags,
                         const SessionResult &result,
                         const MergedFinding &merged, StringRef label) {
  const ptx::Finding &finding = *merged.first;
  os << flags.file << ":" << finding.line << ": " << label
     << toString(finding.kind) << ": " << finding.message << "\n";
  printLine(os, result, "line ", finding.line);
  printLine(os, result, "other line ", finding.otherLine);
  os << format("  block (%u,%u,%u) warp %u lane %u", finding.cta.x,
               finding.cta.y, finding.cta.z, finding.warp, finding.lane);
  if (finding.count > 1)
    os << ", " << finding.count << " times";
  os << "; schedules: " << llvm::join(merged.schedules, " ") << "\n";
  for (const ptx::BarrierState &barrier : finding.barriers)
    os << "  " << barrier.name << ": " << barrier.state << "\n";
}

static void printOpcodes(raw_ostream &os, const ptx::Report &report) {
  std::vector<std::pair<std::string, uint64_t>> counts(report.opcodes.begin(),
                                                       report.opcodes.end());
  llvm::sort(counts, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  os << "warp instructions by opcode:\n";
  for (const auto &[opcode, count] : counts)
    os << format("%12llu  ", (unsigned long long)count) << opcode << "\n";
}

/// Lines whose accesses take more passes or sectors than they would have to.
static void printAccesses(raw_ostream &os, const SessionResult &result) {
  const ptx::Report &report = result.runs.front().report;
  ptx::LineProfile total;
  auto row = [&](uint64_t requests, uint64_t got, uint64_t ideal,
                 StringRef what, uint32_t line) {
    if (got > ideal && line <= result.source.size())
      os << format("%6u  %llu requests, %llu ", line,
                   (unsigned long long)requests, (unsigned long long)got)
         << what << " (ideal " << ideal << "): " << result.source[line - 1]
         << "\n";
  };
  os << "bank conflicts and uncoalesced accesses by line:\n";
  for (const auto &[line, profile] : report.lines) {
    total.sharedWavefronts += profile.sharedWavefronts;
    total.sharedIdealWavefronts += profile.sharedIdealWavefronts;
    total.globalSectors += profile.globalSectors;
    total.globalIdealSectors += profile.globalIdealSectors;
    row(profile.sharedAccesses, profile.sharedWavefronts,
        profile.sharedIdealWavefronts, "wavefronts", line);
    row(profile.globalAccesses, profile.globalSectors,
        profile.globalIdealSectors, "sectors", line);
  }
  os << "shared memory: " << total.sharedWavefronts << " wavefronts, ideal "
     << total.sharedIdealWavefronts
     << "; global memory: " << total.globalSectors << " sectors, ideal "
     << total.globalIdealSectors << "\n";
}

void attn::ptxrun::printReport(raw_ostream &os, const Flags &flags,
                               const SessionResult &result) {
  std::vector<MergedFinding> merged =
      mergeFindings(result, &ptx::Report::findings);
  for (const MergedFinding &finding : merged)
    printFinding(os, flags, result, finding, "");
  for (const MergedFinding &note : mergeFindings(result, &ptx::Report::notes))
    printFinding(os, flags, result, note, "note: ");
  for (const ScheduleRun &run : result.runs)
    if (run.differs)
      os << flags.file << ": schedule " << formatSchedule(run.schedule)
         << " leaves other bytes in "
         << result.launch.buffers[*run.differs].name << " than schedule "
         << formatSchedule(result.runs.front().schedule) << "\n";
  if (flags.profile) {
    printOpcodes(os, result.runs.front().report);
    printAccesses(os, result);
  }
  uint64_t lanes = 0;
  double seconds = 0;
  for (const ScheduleRun &run : result.runs) {
    lanes += run.report.laneInstructions;
    seconds += run.report.seconds;
  }
  if (result.skipped)
    os << "no time left for " << result.skipped << " schedules\n";
  os << result.kernel << ": ";
  if (result.clean())
    os << "clean";
  else
    os << merged.size() << " finding" << (merged.size() == 1 ? "" : "s");
  os << " under " << result.runs.size() << " schedule"
     << (result.runs.size() == 1 ? "" : "s") << ", " << lanes
     << " lane instructions"
     << format(" in %.3f s (%.1f million a second)\n", seconds,
               seconds > 0 ? lanes / seconds / 1e6 : 0.0);
}
