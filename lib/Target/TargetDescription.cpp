//===- TargetDescription.cpp - Targets by feature bits --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/TargetDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace attn;
using llvm::StringRef;

namespace {

/// What every x86-64 processor has.
constexpr const char *kX86_64[] = {"cmov", "cx8", "fxsr", "mmx", "sse", "sse2"};
/// The steps of x86-64-v3 and x86-64-v4 above that.
constexpr const char *kX86_64_V3[] = {
    "avx",   "avx2",   "bmi",  "bmi2", "cx16",   "f16c",   "fma",   "lzcnt",
    "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};
constexpr const char *kAVX512[] = {"avx512bw", "avx512cd", "avx512dq",
                                   "avx512f", "avx512vl"};

bool hasAll(const TargetDescription &target,
            llvm::ArrayRef<const char *> features) {
  return llvm::all_of(features,
                      [&](const char *f) { return target.hasFeature(f); });
}

/// Derives everything that is decided by features from the feature list.
void summarize(TargetDescription &target) {
  llvm::sort(target.features);
  target.hasFMA = target.hasFeature("fma");
  target.hasAVX2 = target.hasFeature("avx2");
  target.hasAVX512 = target.hasFMA && hasAll(target, kAVX512);
  target.hasAMXBF16 = hasAll(target, {"amx-tile", "amx-bf16"});
  if (target.hasAVX512) {
    target.vectorBits = 512;
    target.numVectorRegisters = 32;
  } else if (target.hasFeature("avx")) {
    target.vectorBits = 256;
  }
}

#ifdef _SC_LEVEL1_DCACHE_SIZE
void readCacheSizes(TargetDescription &target) {
  if (long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0)
    target.l1Bytes = bytes;
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    target.l2Bytes = bytes;
}
#else
void readCacheSizes(TargetDescription &) {}
#endif

/// Level 1, 3 or 4 of the x86-64 psABI.
TargetDescription getGenericX86(StringRef spec, int level) {
  TargetDescription target;
  target.name = spec.str();
  target.triple = "x86_64-unknown-linux-gnu";
  llvm::append_range(target.features, kX86_64);
  if (level >= 3)
    llvm::append_range(target.features, kX86_64_V3);
  if (level >= 4)
    llvm::append_range(target.features, kAVX512);
  summarize(target);
  return target;
}

} // namespace

bool TargetDescription::hasFeature(StringRef feature) const {
  return llvm::is_contained(features, feature);
}

std::string TargetDescription::getFeatureString() const {
  return llvm::join(
      llvm::map_range(features, [](const std::string &f) { return "+" + f; }),
      ",");
}

TargetDescription attn::getHostTargetDescription() {
  TargetDescription target;
  target.triple = llvm::sys::getProcessTriple();
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      target.features.push_back(feature.first().str());
  summarize(target);
  readCacheSizes(target);
  return target;
}

llvm::Expected<TargetDescription> attn::parseTargetDescription(StringRef spec) {
  if (spec == "cpu")
    return getHostTargetDescription();
  if (spec == "cpu:x86-64")
    return getGenericX86(spec, 1);
  if (spec == "cpu:x86-64-v3")
    return getGenericX86(spec, 3);
  if (spec == "cpu:x86-64-v4")
    return getGenericX86(spec, 4);
  constexpr const char *known = "cpu, cpu:x86-64, cpu:x86-64-v3, cpu:x86-64-v4";
  if (spec.starts_with("nvptx"))
    return llvm::createStringError("target '" + spec +
                                   "' is not in this build, which compiles for "
                                   "CPUs only: " +
                                   known);
  return llvm::createStringError("unknown target '" + spec +
                                 "'; known: " + known);
}

llvm::Error attn::checkHostSupports(const TargetDescription &target) {
  TargetDescription host = getHostTargetDescription();
  std::vector<std::string> missing;
  for (const std::string &feature : target.features)
    if (!host.hasFeature(feature))
      missing.push_back(feature);
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("this machine cannot run code for '" +
                                 target.name + "': it lacks " +
                                 llvm::join(missing, ", "));
}
