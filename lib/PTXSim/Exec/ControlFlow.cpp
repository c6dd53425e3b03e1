//===- ControlFlow.cpp - Where lanes that part meet again
//-------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that part at an instruction meet at its immediate post-dominator. Only
// the function's last end counts as its exit where that can be: lanes that take
// another one are gone, and the others do not wait for them.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Program.h"

using namespace llvm;

namespace attn::ptx {

namespace {
using Edges = ArrayRef<SmallVector<uint32_t, 2>>;

/// Cooper, Harvey and Kennedy on the reversed graph, over instructions.
class PostDominators {
public:
  PostDominators(Edges next, ArrayRef<uint32_t> roots)
      : next(next), size(uint32_t(next.size())), parent(size + 1, kNoIndex),
        order(size + 1, kNoIndex) {
    number(roots);
    parent[size] = size;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t node : reversed(sequence))
        changed |= update(node);
    }
  }
  /// kNoIndex: the node does not reach the exit, or nothing follows it.
  uint32_t of(uint32_t node) const {
    return parent[node] == size ? kNoIndex : parent[node];
  }
  bool reaches(uint32_t node) const { return order[node] != kNoIndex; }

private:
  static std::vector<uint32_t> reversed(const std::vector<uint32_t> &list) {
    return {list.rbegin(), list.rend()};
  }

  /// Post-order numbers of a walk against the edges from the virtual exit.
  void number(ArrayRef<uint32_t> roots) {
    std::vector<SmallVector<uint32_t, 2>> before(size + 1);
    for (uint32_t i = 0; i != size; ++i)
      for (uint32_t n : next[i])
        before[n].push_back(i);
    isRoot.assign(size, false);
    for (uint32_t root : roots) {
      isRoot[root] = true;
      before[size].push_back(root);
    }
    std::vector<std::pair<uint32_t, uint32_t>> stack{{size, 0}};
    std::vector<bool> seen(size + 1);
    seen[size] = true;
    uint32_t count = 0;
    while (!stack.empty()) {
      auto &[node, edge] = stack.back();
      if (edge < before[node].size()) {
        uint32_t to = before[node][edge++];
        if (!seen[to]) {
          seen[to] = true;
          stack.push_back({to, 0});
        }
        continue;
      }
      order[node] = count++;
      if (node != size)
        sequence.push_back(node);
      stack.pop_back();
    }
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order[a] < order[b])
        a = parent[a];
      while (order[b] < order[a])
        b = parent[b];
    }
    return a;
  }

  bool update(uint32_t node) {
    uint32_t best = isRoot[node] ? size : kNoIndex;
    for (uint32_t n : next[node])
      if (order[n] != kNoIndex && parent[n] != kNoIndex)
        best = best == kNoIndex ? n : meet(n, best);
    if (best == parent[node] || best == kNoIndex)
      return false;
    parent[node] = best;
    return true;
  }

  Edges next;
  uint32_t size;
  std::vector<uint32_t> parent, order, sequence;
  std::vector<bool> isRoot;
};
} // namespace

void computeMeetingPoints(DecodedFunction &function, Edges next,
                          ArrayRef<bool> ends) {
  uint32_t size = uint32_t(next.size());
  // The ends that code reaches, walking from the entry.
  std::vector<bool> reached(size);
  std::vector<uint32_t> work{0};
  SmallVector<uint32_t> all;
  reached[0] = true;
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    if (ends[node])
      all.push_back(node);
    for (uint32_t n : next[node])
      if (!reached[n]) {
        reached[n] = true;
        work.push_back(n);
      }
  }
  function.meet.assign(size, kNoIndex);
  if (all.empty())
    return;
  uint32_t last = *std::max_element(all.begin(), all.end());
  PostDominators main(next, last), every(next, all);
  for (uint32_t i = 0; i != size; ++i)
    if (next[i].size() > 1)
      function.meet[i] = main.reaches(i) ? main.of(i) : every.of(i);
}

} // namespace attn::ptx
