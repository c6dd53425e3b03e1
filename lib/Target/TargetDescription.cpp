//===- TargetDescription.cpp - Targets by feature bits --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/TargetDescription.h"
#include "attn/Target/TargetNames.h"
#include "attn/Target/TilePermission.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace attn;
using llvm::StringRef;

namespace {

constexpr const char *kX86 = "x86_64-unknown-linux-gnu";
constexpr const char *kAArch64 = "aarch64-unknown-linux-gnu";

/// What every x86-64 processor has.
constexpr const char *kX86_64[] = {"cmov", "cx8", "fxsr", "mmx", "sse", "sse2"};
constexpr const char *kX86_64_V3[] = {
    "avx",   "avx2",   "bmi",  "bmi2", "cx16",   "f16c",   "fma",   "lzcnt",
    "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};
constexpr const char *kAVX512[] = {"avx512bw", "avx512cd", "avx512dq",
                                   "avx512f", "avx512vl"};
constexpr const char *kAVX512BF16[] = {"avx512bf16"};
constexpr const char *kAMX[] = {"amx-bf16", "amx-tile"};
constexpr const char *kAMXFP16[] = {"amx-fp16"};
/// No core with a tile unit has less.
constexpr int64_t kTileUnitL2Bytes = 2 * 1024 * 1024;
/// What every AArch64 processor has that runs Linux.
constexpr const char *kNEON[] = {"fp-armv8", "neon"};
constexpr const char *kSVE2[] = {"fullfp16", "sve", "sve2"};

/// A target that is no machine's own.
struct GenericTarget {
  const char *name;
  const char *triple;
  /// What it has above the one before it, of one architecture.
  llvm::ArrayRef<const char *> added;
};

/// Levels 1, 3 and 4 of the x86-64 psABI and what comes after them, and
/// AArch64.
const GenericTarget kGenerics[] = {{"cpu:x86-64", kX86, kX86_64},
                                   {"cpu:x86-64-v3", kX86, kX86_64_V3},
                                   {"cpu:x86-64-v4", kX86, kAVX512},
                                   {"cpu:x86-64-v4-bf16", kX86, kAVX512BF16},
                                   {"cpu:x86-64-v4-amx", kX86, kAMX},
                                   {"cpu:x86-64-v4-amx-fp16", kX86, kAMXFP16},
                                   {"cpu:aarch64", kAArch64, kNEON},
                                   {"cpu:aarch64-sve2", kAArch64, kSVE2}};

bool hasAll(const TargetDescription &target,
            llvm::ArrayRef<const char *> features) {
  return llvm::all_of(features,
                      [&](const char *f) { return target.hasFeature(f); });
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

TargetDescription getGeneric(const GenericTarget &generic) {
  TargetDescription target;
  target.name = generic.name;
  target.triple = generic.triple;
  std::vector<std::string> features;
  for (const GenericTarget *step = kGenerics; step <= &generic; ++step)
    if (target.triple == step->triple)
      llvm::append_range(features, step->added);
  target.setFeatures(std::move(features));
  if (target.hasFeature(kAMX[1]))
    target.l2Bytes = kTileUnitL2Bytes;
  return target;
}

StringRef getArch(const TargetDescription &target) {
  return StringRef(target.triple).split('-').first;
}

constexpr StringRef kGPUPrefix = "nvptx:";

/// The GPU is the target; the processor's part is that of no machine.
TargetDescription getGPUTarget(StringRef spec, const GPUDescription &gpu) {
  TargetDescription target;
  target.name = spec.str();
  target.triple = "nvptx64-nvidia-cuda";
  target.features = {gpu.arch.str(), "ptx" + std::to_string(gpu.ptxVersion)};
  target.gpu = gpu;
  return target;
}

/// "; did you mean 'cpu:x86-64-v3'?", or nothing where no name is near.
std::string describeNearest(StringRef spec, llvm::ArrayRef<std::string> names) {
  unsigned least = spec.size() / 3 + 2;
  StringRef nearest;
  for (StringRef name : names) {
    unsigned distance = spec.edit_distance(name, true, least);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}

/// What this process may use of the processor's.
std::vector<std::string> getUsableFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second &&
        (!isTileFeature(feature.first()) || requestTilePermission()))
      features.push_back(feature.first().str());
  return features;
}

} // namespace

bool attn::isTileFeature(StringRef feature) {
  return feature.starts_with("amx-");
}

bool attn::isEmulatedFeature(StringRef feature) {
  return isTileFeature(feature) || feature == kAVX512BF16[0];
}

void TargetDescription::setFeatures(std::vector<std::string> names) {
  features = std::move(names);
  llvm::sort(features);
  hasNEON = hasFeature("neon");
  hasFMA = hasFeature("fma") || hasNEON;
  hasAVX2 = hasFeature("avx2");
  hasAVX512 = hasFMA && hasAll(*this, kAVX512);
  hasAVX512BF16 = hasAVX512 && hasFeature("avx512bf16");
  hasAMXBF16 = hasAVX512 && hasAll(*this, kAMX);
  hasAMXF16 = hasAMXBF16 && hasAll(*this, kAMXFP16);
  if (hasAVX512) {
    vectorBits = 512;
    numVectorRegisters = 32;
  } else if (hasFeature("avx")) {
    vectorBits = 256;
  } else if (hasNEON) {
    numVectorRegisters = 32;
  }
}

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
  target.setFeatures(getUsableFeatures());
  if (hasSlowPairs() && !target.hasAMXBF16) {
    std::vector<std::string> features = target.features;
    llvm::erase(features, kAVX512BF16[0]);
    target.setFeatures(std::move(features));
  }
  readCacheSizes(target);
  return target;
}

bool attn::hasProcessorFeature(StringRef feature) {
  return llvm::sys::getHostCPUFeatures().lookup(feature);
}

llvm::Expected<TargetDescription> attn::parseTargetDescription(StringRef spec) {
  if (spec == "cpu")
    return getHostTargetDescription();
  for (const GenericTarget &generic : kGenerics)
    if (spec == generic.name)
      return getGeneric(generic);
  StringRef arch = spec;
  if (arch.consume_front(kGPUPrefix))
    if (const GPUDescription *gpu = findGPU(arch))
      return getGPUTarget(spec, *gpu);
  std::vector<std::string> names = getTargetNames();
  return llvm::createStringError("unknown target '" + spec +
                                 "'; known: " + llvm::join(names, ", ") +
                                 describeNearest(spec, names));
}

std::vector<std::string> attn::getTargetNames() {
  std::vector<std::string> names = {"cpu"};
  for (const GenericTarget &generic : kGenerics)
    names.push_back(generic.name);
  for (const GPUDescription &gpu : getGPUs())
    names.push_back((kGPUPrefix + gpu.arch).str());
  return names;
}

std::string attn::getBestGenericTarget(const TargetDescription &host) {
  for (const GenericTarget &generic : llvm::reverse(kGenerics)) {
    TargetDescription target = getGeneric(generic);
    if (getArch(target) == getArch(host) &&
        llvm::all_of(target.features, [&](const std::string &feature) {
          return host.hasFeature(feature);
        }))
      return target.name;
  }
  return kGenerics[0].name;
}

TargetDescription attn::getHostSide(const TargetDescription &target) {
  return target.gpu ? getGeneric(kGenerics[0]) : target;
}

llvm::Error attn::checkHostSupports(const TargetDescription &target) {
  TargetDescription host = getHostTargetDescription();
  if (getArch(host) != getArch(target))
    return llvm::createStringError("this machine cannot run code for '" +
                                   target.name + "': it is " + getArch(host) +
                                   ", and the code " + getArch(target) +
                                   "; attn-run --emulator runs it");
  std::vector<std::string> usable = getUsableFeatures(), missing;
  for (const std::string &feature : target.features)
    if (!llvm::is_contained(usable, feature))
      missing.push_back(feature);
  if (missing.empty())
    return llvm::Error::success();
  bool isEmulated = llvm::any_of(missing, isTileFeature) &&
                    llvm::all_of(missing, isEmulatedFeature);
  std::string hint = isEmulated ? "; attn-run --emulator=amx runs it" : "";
  return llvm::createStringError("this machine cannot run code for '" +
                                 target.name + "': it lacks " +
                                 llvm::join(missing, ", ") + hint);
}
