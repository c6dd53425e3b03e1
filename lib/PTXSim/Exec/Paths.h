//===- Paths.h - The places where the lanes of a warp are
//-------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A path is a set of lanes with one program counter and one call stack. Lanes
// that part make two paths and a meeting: the place where they wait for each
// other. Paths take turns, so a lane that spins does not starve the others; if
// every path of a warp is stuck, lanes that wait at a meeting go on without it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_PATHS_H
#define ATTN_LIB_PTXSIM_EXEC_PATHS_H

#include "PTXSim/Exec/Program.h"

namespace attn::ptx {

struct Frame {
  const DecodedFunction *function = nullptr;
  uint32_t returnTo = 0; ///< Index in the caller.
  const CallInfo *call = nullptr;
  uint32_t registerBase = 0, registerTop = 0; ///< Bytes in Warp storage.
  uint32_t stackBase = 0, stackTop = 0;       ///< Bytes of each lane's stack.
};

struct Path {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t stop = kNoIndex; ///< Meeting's pc when in the meeting's frame.
  int meeting = -1;         ///< Innermost, index in WarpPaths::meetings.
  std::vector<Frame> frames;
  uint64_t wait = 0;      ///< Exec::waitSlot.
  bool blocked = false;   ///< The last step was Retry, ...
  uint64_t blockedAt = 0; ///< ... when Cluster::progress was this.
  uint64_t polls = 0;     ///< Failed polls since Cluster::progress was ...
  uint64_t pollsAt = 0;   ///< ... this.
  uint32_t pollLine = 0;  ///< Of the last one.
  bool gaveUp = false;    ///< Went on without the lanes it should have met.
  bool inSync = false;    ///< Waits in converge() ...
  uint32_t syncLanes = 0; ///< ... with these lanes.
  uint32_t syncMembers = 0;

  const Frame &frame() const { return frames.back(); }
};

struct Meeting {
  uint32_t pc = 0;
  size_t depth = 0;      ///< Number of frames.
  uint32_t expected = 0; ///< Lanes that have not left it.
  uint32_t arrived = 0;
  int outer = -1;
  bool used = false;
  std::vector<Frame> frames;
};

struct WarpPaths {
  std::vector<Path> paths;
  size_t current = 0;
  std::vector<Meeting> meetings;
  std::vector<uint8_t> registers;
  std::vector<uint8_t> stack; ///< stackBytes of each lane, lane after lane.
  uint32_t stackBytes = 0;

  Path &path() { return paths[current]; }
  void start(const DecodedFunction &kernel, uint32_t lanes);
  uint8_t *stackOf(unsigned lane) { return stack.data() + lane * stackBytes; }

  /// The lanes of `taken` go on at `target`, the others of the current path at
  /// `otherwise`; all meet again at `meet`.
  void part(uint32_t taken, uint32_t target, uint32_t otherwise, uint32_t meet);
  /// The current path enters a function; lanes are all of the path's.
  void call(const DecodedFunction &callee, const CallInfo &info);
  void leave(); ///< Returns from the current path's function.
  /// The lanes end. Removes paths and completes meetings.
  void exit(uint32_t lanes);
  /// The current path's pc may be that of its meeting.
  void arrive();
  /// Gives up one meeting whose lanes wait. False if there is none.
  bool breakMeeting();
  /// Another path than the current one, in turn.
  void rotate() { current = paths.empty() ? 0 : (current + 1) % paths.size(); }

private:
  int makeMeeting(uint32_t pc, uint32_t mask, const Path &path);
  void completeMeetings();
  void setStop(Path &path);
  void ensureRegisters(uint32_t bytes);
  void enter(const Frame &frame);
  void ensureStack(uint32_t bytes);
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_PATHS_H
