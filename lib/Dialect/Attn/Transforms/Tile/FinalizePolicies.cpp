//===- FinalizePolicies.cpp - What the end of a row is computed by --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

using namespace mlir;
using namespace attn;

TileBuilder::Policies TileBuilder::getFinalizePolicies() {
  Policies policies;
  policies.scale = NoScaleAttr::get(op.getContext());
  policies.similarity = DotAttr::get(op.getContext());
  policies.normalizer = op.getNormalizer();
  policies.probes = op.getProbesAttr();
  addParams(policies, self.getNormalizerParams());
  return policies;
}

void TileBuilder::addScale(Policies &policies) {
  Policies scales = getPackPolicies();
  llvm::append_range(scales.params, policies.params);
  scales.normalizer = policies.normalizer;
  scales.probes = policies.probes;
  policies = scales;
}

bool TileBuilder::needsScales() {
  return llvm::is_contained(self.getProbeKinds(), Probe::HalfGradientNorm);
}
