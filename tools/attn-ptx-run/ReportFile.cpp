//===- ReportFile.cpp - The report as JSON --------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "attn/Support/OutputFiles.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using namespace attn::ptxrun;
using llvm::json::OStream;

static void writeDim3(OStream &json, llvm::StringRef key,
                      const ptx::Dim3 &value) {
  json.attributeArray(key, [&] {
    json.value(value.x);
    json.value(value.y);
    json.value(value.z);
  });
}

static void writeFinding(OStream &json, const ptx::Finding &finding) {
  json.object([&] {
    json.attribute("kind", toString(finding.kind));
    json.attribute("line", finding.line);
    json.attribute("other_line", finding.otherLine);
    json.attribute("message", finding.message);
    writeDim3(json, "block", finding.cta);
    json.attribute("warp", finding.warp);
    json.attribute("lane", finding.lane);
    json.attribute("count", static_cast<int64_t>(finding.count));
    json.attributeArray("barriers", [&] {
      for (const ptx::BarrierState &barrier : finding.barriers)
        json.object([&] {
          json.attribute("name", barrier.name);
          json.attribute("state", barrier.state);
        });
    });
  });
}

static void writeRun(OStream &json, const ScheduleRun &run,
                     const SessionResult &result) {
  json.object([&] {
    json.attribute("schedule", formatSchedule(run.schedule));
    json.attribute("clean", run.report.clean());
    if (run.differs)
      json.attribute("differs_in", result.launch.buffers[*run.differs].name);
    json.attribute("warp_instructions",
                   static_cast<int64_t>(run.report.warpInstructions));
    json.attribute("lane_instructions",
                   static_cast<int64_t>(run.report.laneInstructions));
    json.attribute("seconds", run.report.seconds);
    json.attributeArray("findings", [&] {
      for (const ptx::Finding &finding : run.report.findings)
        writeFinding(json, finding);
    });
    json.attributeArray("notes", [&] {
      for (const ptx::Finding &note : run.report.notes)
        writeFinding(json, note);
    });
  });
}

static void writeLines(OStream &json, const SessionResult &result) {
  json.attributeArray("lines", [&] {
    for (const auto &entry : result.runs.front().report.lines) {
      const ptx::LineProfile &profile = entry.second;
      auto number = [&](llvm::StringRef key, uint64_t value) {
        json.attribute(key, static_cast<int64_t>(value));
      };
      json.object([&] {
        number("line", entry.first);
        number("warp_instructions", profile.warpInstructions);
        number("lane_instructions", profile.laneInstructions);
        if (profile.sharedAccesses) {
          number("shared_accesses", profile.sharedAccesses);
          number("shared_wavefronts", profile.sharedWavefronts);
          number("shared_ideal_wavefronts", profile.sharedIdealWavefronts);
        }
        if (profile.globalAccesses) {
          number("global_accesses", profile.globalAccesses);
          number("global_sectors", profile.globalSectors);
          number("global_ideal_sectors", profile.globalIdealSectors);
        }
      });
    }
  });
}

llvm::Error attn::ptxrun::writeReport(llvm::StringRef path, const Flags &flags,
                                      const SessionResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, 1);
  json.object([&] {
    json.attribute("file", flags.file);
    json.attribute("kernel", result.kernel);
    json.attribute("clean", result.clean());
    json.attribute("skipped_schedules", result.skipped);
    writeDim3(json, "grid", flags.grid);
    writeDim3(json, "block", flags.block);
    writeDim3(json, "cluster", flags.cluster);
    json.attribute("dynamic_shared", static_cast<int64_t>(flags.shared));
    json.attributeArray("schedules", [&] {
      for (const ScheduleRun &run : result.runs)
        writeRun(json, run, result);
    });
    json.attributeObject("opcodes", [&] {
      for (const auto &entry : result.runs.front().report.opcodes)
        json.attribute(entry.first, static_cast<int64_t>(entry.second));
    });
    writeLines(json, result);
  });
  stream << "\n";
  return writeOutput(path, std::move(text));
}
