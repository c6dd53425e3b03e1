//===- GridOrder.h - The order of CTAs in global memory ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that checks the order of CTAs gives the warps of all clusters
// components of one numbering, so that clocks travel through global memory: a
// release there leaves what the releasing thread knows, an acquire takes it.
// The bytes that CTAs share have a shadow as shared memory has. Such a run uses
// one host thread.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_GRIDORDER_H
#define ATTN_LIB_PTXSIM_MEMORY_GRIDORDER_H

#include "PTXSim/Memory/Footprint.h"
#include "PTXSim/Memory/Shadow.h"

#include <string>

namespace attn::ptx {

class GridOrder {
public:
  explicit GridOrder(std::unique_ptr<SharedBytes> shared)
      : shared(std::move(shared)) {}

  /// Consecutive components for the warps and operations of a cluster.
  Component reserve(Component count);
  /// `cta`: the linear number of the CTA it belongs to.
  void name(Component c, std::string name, uint64_t cta);
  const std::string &nameOf(Component c) const { return names[c].name; }
  uint64_t ctaOf(Component c) const { return names[c].cta; }

  /// The shadow of the page, null unless CTAs share one of the bytes, which do
  /// not cross pages. `offset` becomes their place in it.
  Shadow *shadowAt(uint64_t address, uint64_t bytes, size_t &offset);

  /// What releases at an address have left.
  llvm::DenseMap<uint64_t, std::unique_ptr<Knowledge>> locations;

private:
  struct Name {
    std::string name;
    uint64_t cta = 0;
  };
  std::unique_ptr<SharedBytes> shared;
  llvm::DenseMap<uint64_t, std::unique_ptr<Shadow>> shadows;
  std::vector<Name> names;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_GRIDORDER_H
