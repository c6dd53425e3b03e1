//===- Paths.cpp - The places where the lanes of a warp are
//-----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Paths.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace attn::ptx {

/// Registers that were never written hold this, not zero, so that a kernel that
/// counts on zeros does not pass.
constexpr uint8_t garbage = 0xa5;

void WarpPaths::ensureRegisters(uint32_t bytes) {
  if (registers.size() < bytes)
    registers.resize(bytes, garbage);
}

void WarpPaths::enter(const Frame &frame) {
  ensureRegisters(frame.registerTop);
  ensureStack(frame.stackTop);
  for (uint32_t state : frame.function->watched)
    std::memset(registers.data() + frame.registerBase + state, 0,
                sizeof(RegisterCheck::State));
}

void WarpPaths::ensureStack(uint32_t bytes) {
  if (bytes <= stackBytes)
    return;
  uint32_t grown = std::max(bytes, stackBytes * 2);
  std::vector<uint8_t> larger(size_t(grown) * kLanes, garbage);
  for (unsigned l = 0; l != kLanes && stackBytes; ++l)
    std::memcpy(larger.data() + size_t(l) * grown, stackOf(l), stackBytes);
  stack = std::move(larger);
  stackBytes = grown;
}

void WarpPaths::start(const DecodedFunction &kernel, uint32_t lanes) {
  Path path;
  path.mask = lanes;
  Frame frame;
  frame.function = &kernel;
  frame.registerTop = kernel.registerBytes;
  frame.stackTop = kernel.stackBytes;
  path.frames.push_back(frame);
  enter(frame);
  paths.push_back(std::move(path));
}

void WarpPaths::setStop(Path &path) {
  path.stop = kNoIndex;
  if (path.meeting >= 0 && meetings[path.meeting].depth == path.frames.size())
    path.stop = meetings[path.meeting].pc;
}

int WarpPaths::makeMeeting(uint32_t pc, uint32_t mask, const Path &path) {
  // A loop whose lanes leave one by one needs one meeting, not one a turn.
  if (path.meeting >= 0 && path.stop == pc)
    return path.meeting;
  int index = -1;
  for (size_t i = 0; i != meetings.size() && index < 0; ++i)
    if (!meetings[i].used)
      index = int(i);
  if (index < 0) {
    index = int(meetings.size());
    meetings.emplace_back();
  }
  Meeting &meeting = meetings[index];
  meeting.pc = pc;
  meeting.depth = path.frames.size();
  meeting.expected = mask;
  meeting.arrived = 0;
  meeting.outer = path.meeting;
  meeting.used = true;
  meeting.frames = path.frames;
  return index;
}

void WarpPaths::part(uint32_t taken, uint32_t target, uint32_t otherwise,
                     uint32_t meet) {
  uint32_t rest = path().mask & ~taken;
  if (!rest || !taken) {
    path().pc = rest ? otherwise : target;
    return;
  }
  if (meet != kNoIndex) {
    path().meeting = makeMeeting(meet, path().mask, path());
    setStop(path());
  }
  Path other = path();
  other.mask = rest;
  other.pc = otherwise;
  path().mask = taken;
  path().pc = target;
  paths.push_back(std::move(other));
}

void WarpPaths::call(const DecodedFunction &callee, const CallInfo &info) {
  Frame frame;
  frame.function = &callee;
  frame.returnTo = path().pc + 1;
  frame.call = &info;
  // Paths keep their frames apart: registers of different sizes would overlap
  // lane by lane.
  for (const Path &other : paths) {
    frame.registerBase =
        std::max(frame.registerBase, other.frame().registerTop);
    frame.stackBase = std::max(frame.stackBase, other.frame().stackTop);
  }
  for (const Meeting &meeting : meetings)
    if (meeting.used) {
      frame.registerBase =
          std::max(frame.registerBase, meeting.frames.back().registerTop);
      frame.stackBase =
          std::max(frame.stackBase, meeting.frames.back().stackTop);
    }
  frame.registerTop = frame.registerBase + callee.registerBytes;
  frame.stackTop = frame.stackBase + callee.stackBytes;
  enter(frame);
  path().frames.push_back(frame);
  path().pc = 0;
  setStop(path());
}

void WarpPaths::leave() {
  path().pc = path().frame().returnTo;
  path().frames.pop_back();
  setStop(path());
}

void WarpPaths::exit(uint32_t lanes) {
  for (Meeting &meeting : meetings) {
    meeting.expected &= ~lanes;
    meeting.arrived &= ~lanes;
  }
  for (size_t i = 0; i < paths.size();) {
    paths[i].mask &= ~lanes;
    if (paths[i].mask) {
      ++i;
      continue;
    }
    paths.erase(paths.begin() + i);
    if (current > i)
      --current;
  }
  completeMeetings();
  if (current >= paths.size())
    current = 0;
}

void WarpPaths::arrive() {
  Meeting &meeting = meetings[path().meeting];
  meeting.arrived |= path().mask;
  paths.erase(paths.begin() + current);
  completeMeetings();
  if (current >= paths.size())
    current = 0;
}

/// Where the lanes go on that have arrived.
static Path pathAfter(const Meeting &meeting) {
  Path path;
  path.pc = meeting.pc;
  path.mask = meeting.arrived;
  path.meeting = meeting.outer;
  path.frames = meeting.frames;
  return path;
}

void WarpPaths::completeMeetings() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i != meetings.size(); ++i) {
      Meeting &meeting = meetings[i];
      if (!meeting.used || meeting.arrived != meeting.expected)
        continue;
      meeting.used = false;
      changed = true;
      if (!meeting.arrived)
        continue;
      Path path = pathAfter(meeting);
      setStop(path);
      if (path.stop == path.pc) {
        meetings[path.meeting].arrived |= path.mask;
        continue;
      }
      paths.push_back(std::move(path));
      current = paths.size() - 1;
    }
  }
}

bool WarpPaths::breakMeeting() {
  // The one made last is the innermost.
  for (size_t i = meetings.size(); i-- > 0;) {
    Meeting &meeting = meetings[i];
    if (!meeting.used || !meeting.arrived)
      continue;
    Path path = pathAfter(meeting);
    setStop(path);
    path.gaveUp = true;
    meeting.expected &= ~meeting.arrived;
    meeting.arrived = 0;
    if (path.stop == path.pc) {
      meetings[path.meeting].arrived |= path.mask;
      completeMeetings();
      continue;
    }
    paths.push_back(std::move(path));
    return true;
  }
  return false;
}

} // namespace attn::ptx
