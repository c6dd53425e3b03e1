//===- Frames.cpp - Where in the framework's source an op is --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace attn;

/// How many frames a line shows.
constexpr size_t kShownFrames = 2;

Frames attn::getFrames(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return {Frame{file.getFilename().str(), file.getLine(), ""}};
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    Frames frames = getFrames(call.getCallee());
    frames.append(getFrames(call.getCaller()));
    return frames;
  }
  if (auto name = dyn_cast<NameLoc>(loc)) {
    Frames frames = getFrames(name.getChildLoc());
    if (frames.empty() || !frames[0].name.empty())
      frames.insert(frames.begin(), Frame());
    frames[0].name = name.getName().str();
    return frames;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (Frames frames = getFrames(part); !frames.empty())
        return frames;
  return {};
}

std::string attn::print(const Frame &frame, bool full) {
  StringRef file =
      full ? StringRef(frame.file) : llvm::sys::path::filename(frame.file);
  std::string place = file.empty() ? "" : file.str();
  if (!place.empty() && frame.line != 0)
    place += ":" + std::to_string(frame.line);
  if (frame.name.empty())
    return place;
  return place.empty() ? frame.name : frame.name + " (" + place + ")";
}

/// Names of JAX have the path of all scopes: the last two.
static std::string printShort(Frame frame) {
  StringRef name = frame.name;
  size_t last = name.rfind('/');
  size_t before =
      last == StringRef::npos ? last : name.take_front(last).rfind('/');
  if (before != StringRef::npos)
    frame.name = name.substr(before + 1).str();
  return print(frame, /*full=*/false);
}

std::string attn::describe(const Frames &frames) {
  std::string text;
  for (const Frame &frame : ArrayRef(frames).take_front(kShownFrames))
    text += (text.empty() ? "" : " < ") + printShort(frame);
  return text;
}

std::string attn::getLayerKey(const Frames &frames) {
  std::string key;
  for (const Frame &frame : frames) {
    key += frame.file + ":" + std::to_string(frame.line) + " ";
    for (char c : frame.name)
      if (!llvm::isDigit(c))
        key += c;
  }
  return key;
}

static std::string getSharedScopes(StringRef a, StringRef b) {
  SmallVector<StringRef> left, right, shared;
  a.split(left, '/');
  b.split(right, '/');
  for (auto [one, other] : llvm::zip(left, right)) {
    if (one != other)
      break;
    shared.push_back(one);
  }
  return llvm::join(shared, "/");
}

Frames attn::getShared(const Frames &a, const Frames &b) {
  Frames shared;
  for (auto [one, other] : llvm::zip(llvm::reverse(a), llvm::reverse(b))) {
    if (one == other) {
      shared.push_back(one);
      continue;
    }
    std::string scopes = getSharedScopes(one.name, other.name);
    if (!scopes.empty())
      shared.push_back(Frame{"", 0, scopes});
    break;
  }
  std::reverse(shared.begin(), shared.end());
  return shared;
}
