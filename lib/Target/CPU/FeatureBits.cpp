//===- FeatureBits.cpp - Where CPUID tells of each feature ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Features of user code that a compiler may emit by itself or that a kernel may
// ask for. Others (virtualisation, protection keys, ...) are of no use here.
//
//===----------------------------------------------------------------------===//

#include "FeatureBits.h"

using namespace attn;

const CPUIDQuery attn::kFeatureQueries[kNumFeatureWords] = {
    {1, 0, 2}, {1, 0, 3}, {7, 0, 1},          {7, 0, 2},  {7, 0, 3},
    {7, 1, 0}, {7, 1, 3}, {0x80000001, 0, 2}, {13, 1, 0},
};

namespace {

using W = FeatureWord;

constexpr uint32_t kYMM = 0x6;
constexpr uint32_t kZMM = 0xe6;
constexpr uint32_t kTiles = kTileRegisters;

constexpr FeatureBit kBits[] = {
    {"sse3", W::Leaf1ECX, 0, 0},
    {"pclmul", W::Leaf1ECX, 1, 0},
    {"ssse3", W::Leaf1ECX, 9, 0},
    {"fma", W::Leaf1ECX, 12, kYMM},
    {"cx16", W::Leaf1ECX, 13, 0},
    {"sse4.1", W::Leaf1ECX, 19, 0},
    {"sse4.2", W::Leaf1ECX, 20, 0},
    {"movbe", W::Leaf1ECX, 22, 0},
    {"popcnt", W::Leaf1ECX, 23, 0},
    {"aes", W::Leaf1ECX, 25, 0},
    {"xsave", W::Leaf1ECX, 27, 0},
    {"avx", W::Leaf1ECX, 28, kYMM},
    {"f16c", W::Leaf1ECX, 29, kYMM},
    {"cx8", W::Leaf1EDX, 8, 0},
    {"cmov", W::Leaf1EDX, 15, 0},
    {"mmx", W::Leaf1EDX, 23, 0},
    {"fxsr", W::Leaf1EDX, 24, 0},
    {"sse", W::Leaf1EDX, 25, 0},
    {"sse2", W::Leaf1EDX, 26, 0},
    {"bmi", W::Leaf7EBX, 3, 0},
    {"avx2", W::Leaf7EBX, 5, kYMM},
    {"bmi2", W::Leaf7EBX, 8, 0},
    {"avx512f", W::Leaf7EBX, 16, kZMM},
    {"avx512dq", W::Leaf7EBX, 17, kZMM},
    {"adx", W::Leaf7EBX, 19, 0},
    {"avx512ifma", W::Leaf7EBX, 21, kZMM},
    {"clflushopt", W::Leaf7EBX, 23, 0},
    {"avx512cd", W::Leaf7EBX, 28, kZMM},
    {"avx512bw", W::Leaf7EBX, 30, kZMM},
    {"avx512vl", W::Leaf7EBX, 31, kZMM},
    {"avx512vbmi", W::Leaf7ECX, 1, kZMM},
    {"avx512vbmi2", W::Leaf7ECX, 6, kZMM},
    {"gfni", W::Leaf7ECX, 8, 0},
    {"vaes", W::Leaf7ECX, 9, kYMM},
    {"vpclmulqdq", W::Leaf7ECX, 10, kYMM},
    {"avx512vnni", W::Leaf7ECX, 11, kZMM},
    {"avx512bitalg", W::Leaf7ECX, 12, kZMM},
    {"avx512vpopcntdq", W::Leaf7ECX, 14, kZMM},
    {"avx512vp2intersect", W::Leaf7EDX, 8, kZMM},
    {"amx-bf16", W::Leaf7EDX, 22, kTiles},
    {"avx512fp16", W::Leaf7EDX, 23, kZMM},
    {"amx-tile", W::Leaf7EDX, 24, kTiles},
    {"amx-int8", W::Leaf7EDX, 25, kTiles},
    {"avxvnni", W::Leaf71EAX, 4, kYMM},
    {"avx512bf16", W::Leaf71EAX, 5, kZMM},
    {"amx-fp16", W::Leaf71EAX, 21, kTiles},
    {"avxifma", W::Leaf71EAX, 23, kYMM},
    {"avxvnniint8", W::Leaf71EDX, 4, kYMM},
    {"avxneconvert", W::Leaf71EDX, 5, kYMM},
    {"amx-complex", W::Leaf71EDX, 8, kTiles},
    {"avxvnniint16", W::Leaf71EDX, 10, kYMM},
    {"sahf", W::Leaf80000001ECX, 0, 0},
    {"lzcnt", W::Leaf80000001ECX, 5, 0},
    {"prfchw", W::Leaf80000001ECX, 8, 0},
    {"xsaveopt", W::LeafD1EAX, 0, 0},
    {"xsavec", W::LeafD1EAX, 1, 0},
};

} // namespace

const FeatureBit *attn::findFeatureBit(llvm::StringRef name) {
  for (const FeatureBit &bit : kBits)
    if (name == bit.name)
      return &bit;
  return nullptr;
}
