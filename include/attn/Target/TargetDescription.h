//===- TargetDescription.h - What a compiled kernel may rely on -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: instruction-set features, vector registers and cache sizes of
// the machine that code is made for. Decisions are taken from feature bits,
// never from the name of a CPU. A GPU has a description of its own beside them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_TARGETDESCRIPTION_H
#define ATTN_TARGET_TARGETDESCRIPTION_H

#include "attn/Target/GPUDescription.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attn {

struct TargetDescription {
  /// As the user wrote it: `cpu`, `cpu:x86-64`, `cpu:x86-64-v3`,
  /// `cpu:x86-64-v4`, `cpu:x86-64-v4-bf16`, `cpu:x86-64-v4-amx`,
  /// `cpu:x86-64-v4-amx-fp16`, `cpu:aarch64`, `cpu:aarch64-sve2`,
  /// `nvptx:sm_80`.
  std::string name = "cpu";
  std::string triple;
  /// LLVM names of the enabled features, sorted, without a sign.
  std::vector<std::string> features;

  /// Width and number of the vector registers worth using.
  unsigned vectorBits = 128;
  unsigned numVectorRegisters = 16;

  bool hasFMA = false;
  bool hasAVX2 = false;
  /// F, BW, CD, DQ and VL together.
  bool hasAVX512 = false;
  /// Products of pairs of bf16 on whole vectors, beside hasAVX512.
  bool hasAVX512BF16 = false;
  /// Products of bf16 tiles, beside hasAVX512.
  bool hasAMXBF16 = false;
  /// Products of f16 tiles, beside hasAMXBF16.
  bool hasAMXF16 = false;
  /// AArch64's vectors of 128 bits.
  bool hasNEON = false;

  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 1024 * 1024;

  /// Threads that will share the work, 0 if that is not known. Results do not
  /// depend on it.
  int64_t threads = 0;

  /// The GPU that kernels run on; none where they run on the processor. Then
  /// what stands above is that of no machine.
  std::optional<GPUDescription> gpu;

  /// Takes these features, and what follows from them: the vector registers and
  /// the bits above.
  void setFeatures(std::vector<std::string> names);

  /// Lanes of one vector register for elements of `elementBits` bits.
  unsigned getLanes(unsigned elementBits) const {
    return vectorBits / elementBits;
  }
  /// True if there is a vector unit with fused multiply-add, which every fast
  /// path needs.
  bool hasFastVectors() const {
    return hasAVX512 || (hasAVX2 && hasFMA) || hasNEON;
  }
  bool isX86() const { return llvm::StringRef(triple).starts_with("x86_64"); }
  bool isAArch64() const {
    return llvm::StringRef(triple).starts_with("aarch64");
  }
  bool hasFeature(llvm::StringRef feature) const;
  /// `+avx,+avx2,...` as LLVM's target machines read it.
  std::string getFeatureString() const;
};

/// The machine this process runs on. It has AMX where Linux lets this process
/// use it, which it is asked for. Where it is refused or hidden, AVX512-BF16 is
/// left out, too: on a core made with a tile unit pairs of bf16 take 1.6 times
/// as long as f32, but 0.6 times as long where they are all that it has for
/// bf16.
TargetDescription getHostTargetDescription();

/// Whether this machine's processor has the feature, whatever Linux lets this
/// process use of it.
bool hasProcessorFeature(llvm::StringRef feature);

/// Parses `cpu`, `cpu:x86-64`, `cpu:x86-64-v3`, `cpu:x86-64-v4`,
/// `cpu:x86-64-v4-bf16`, `cpu:x86-64-v4-amx`, `cpu:x86-64-v4-amx-fp16`,
/// `cpu:aarch64`, `cpu:aarch64-sve2` or `nvptx:ARCH` for an architecture of
/// getGPUs. The error says which names are known, and which one was meant. The
/// result depends on the host only for `cpu`.
llvm::Expected<TargetDescription> parseTargetDescription(llvm::StringRef spec);

/// The processor that the host's side of a program for `target` is compiled
/// for: every x86-64 where the kernels run on a GPU, else `target` itself.
TargetDescription getHostSide(const TargetDescription &target);

/// Fails, naming the missing features, if this machine cannot run code made
/// for `target`.
llvm::Error checkHostSupports(const TargetDescription &target);

} // namespace attn

#endif // ATTN_TARGET_TARGETDESCRIPTION_H
