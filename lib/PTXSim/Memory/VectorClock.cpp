//===- VectorClock.cpp - Who knows of which accesses ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/VectorClock.h"

#include <algorithm>

namespace attn::ptx {

VectorClock::VectorClock(const VectorClock &other)
    : llvm::RefCountedBase<VectorClock>(), first(other.first),
      times(other.times) {
  for (const std::unique_ptr<Lanes> &lanes : other.partial)
    partial.push_back(std::make_unique<Lanes>(*lanes));
}

/// Makes room for the components from `begin` to `end`.
void VectorClock::cover(Component begin, Component end) {
  if (times.empty()) {
    first = begin;
    times.resize(end - begin, 0);
    return;
  }
  if (begin < first) {
    times.insert(times.begin(), first - begin, 0);
    first = begin;
  }
  if (end - first > times.size())
    times.resize(end - first, 0);
}

uint32_t &VectorClock::timeOf(Component c) {
  cover(c, c + 1);
  return times[c - first];
}

bool VectorClock::coversLane(Component c, unsigned lane, uint32_t time) const {
  for (const std::unique_ptr<Lanes> &lanes : partial)
    if (lanes->component == c)
      return lanes->times[lane] >= time;
  return false;
}

void VectorClock::raiseAll(Component c, uint32_t time) {
  if (time == 0 || all(c) >= time)
    return;
  timeOf(c) = time;
  settle(c);
}

VectorClock::Lanes &VectorClock::lanesOf(Component c) {
  for (const std::unique_ptr<Lanes> &lanes : partial)
    if (lanes->component == c)
      return *lanes;
  partial.push_back(std::make_unique<Lanes>());
  partial.back()->component = c;
  partial.back()->times.fill(all(c));
  return *partial.back();
}

void VectorClock::raiseLanes(Component c, uint32_t mask, uint32_t time) {
  if (mask == ~0u)
    return raiseAll(c, time);
  if (mask == 0 || all(c) >= time)
    return;
  Lanes &lanes = lanesOf(c);
  for (unsigned l = 0; l != 32; ++l)
    if ((mask >> l) & 1)
      lanes.times[l] = std::max(lanes.times[l], time);
  settle(c);
}

/// Moves what all lanes have in common into the plain entry and drops the
/// single lanes when they add nothing.
void VectorClock::settle(Component c) {
  for (size_t i = 0; i != partial.size(); ++i) {
    std::array<uint32_t, 32> &lanes = partial[i]->times;
    if (partial[i]->component != c)
      continue;
    uint32_t low = *std::min_element(lanes.begin(), lanes.end());
    uint32_t high = *std::max_element(lanes.begin(), lanes.end());
    if (low > all(c))
      timeOf(c) = low;
    if (high <= all(c)) {
      std::swap(partial[i], partial.back());
      partial.pop_back();
    }
    return;
  }
}

void VectorClock::join(const VectorClock &other) {
  if (!other.times.empty()) {
    cover(other.first, other.first + Component(other.times.size()));
    uint32_t *ours = &times[other.first - first];
    for (size_t i = 0; i != other.times.size(); ++i)
      ours[i] = std::max(ours[i], other.times[i]);
  }
  for (const std::unique_ptr<Lanes> &theirs : other.partial) {
    Lanes &ours = lanesOf(theirs->component);
    for (unsigned l = 0; l != 32; ++l)
      ours.times[l] = std::max(ours.times[l], theirs->times[l]);
  }
  for (size_t i = partial.size(); i != 0; --i)
    settle(partial[i - 1]->component);
}

bool VectorClock::includes(const VectorClock &other) const {
  for (size_t i = 0; i != other.times.size(); ++i)
    if (all(other.first + Component(i)) < other.times[i])
      return false;
  for (const std::unique_ptr<Lanes> &theirs : other.partial)
    for (unsigned l = 0; l != 32; ++l)
      if (!covers(theirs->component, l, theirs->times[l]))
        return false;
  return true;
}

void VectorClock::clear() {
  times.clear();
  partial.clear();
}

} // namespace attn::ptx
