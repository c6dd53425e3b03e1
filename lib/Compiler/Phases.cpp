//===- Phases.cpp - What a tool is doing ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Phases.h"
#include "attn/Support/CrashGuard.h"
#include "attn/Support/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;

static constexpr std::chrono::milliseconds kSilence(2000), kInterval(250);

Phases::Phases(std::string tool) : tool(std::move(tool)) {
  if (!llvm::sys::Process::StandardErrIsDisplayed())
    return;
  // What is held back in the thread that commits must not arrive in this one.
  SignalHold hold;
  watcher = std::thread([this] { writeProgress(); });
}

Phases::~Phases() {
  enter(nullptr);
  if (!watcher.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  wake.notify_one();
  watcher.join();
}

void Phases::enter(const char *name) {
  if (current) {
    auto found = llvm::find_if(times, [&](Time time) {
      return llvm::StringRef(time.name) == current;
    });
    if (found == times.end())
      found = times.insert(found, {current, 0});
    found->seconds += sinceEntry.getSeconds();
  }
  sinceEntry = Stopwatch();
  current = name;
  setCrashPhase(name);
  std::lock_guard<std::mutex> lock(mutex);
  toShow = name;
}

/// Each phase gets a line of its own, so that nothing has to be erased before
/// a message or a result.
void Phases::writeProgress() {
  std::unique_lock<std::mutex> lock(mutex);
  auto wait = kSilence;
  while (!wake.wait_for(lock, wait, [this] { return isDone; })) {
    wait = kInterval;
    if (!toShow)
      continue;
    llvm::errs() << tool << ": " << toShow
                 << llvm::format(" ... (after %.0f s)\n", total.getSeconds());
    toShow = nullptr;
  }
}
