//===- TilePermission.h - Whether a process may use AMX ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux gives the eight kilobytes of tile registers to processes that ask for
// them: before it has, each instruction of AMX is a wrong one (SIGILL),
// whatever CPUID says.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_TILEPERMISSION_H
#define ATTN_TARGET_TILEPERMISSION_H

namespace attn {

/// `arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)`; 0 says that the whole
/// process may, now and later. Compiled objects make the same call.
constexpr unsigned kArchPrctl = 158;
constexpr unsigned kGetXCompPerm = 0x1022;
constexpr unsigned kRequestXCompPerm = 0x1023;
constexpr unsigned kTileDataComponent = 18;

/// The first four letters of the maker that CPUID tells: "Genu".
constexpr unsigned kIntelVendor = 0x756e6547;

/// Whether pairs of bf16 (AVX512-BF16) take longer than products of f32, as
/// they do on cores with a tile unit. A hypervisor may hide the unit, so
/// Intel's cores with AVX512-FP16 count as such. Compiled objects ask the same.
bool hasSlowPairs();

/// Asks, the first time it is called. False where the kernel refuses, as one
/// does that has no AMX or whose signal stacks are too small for tiles.
bool requestTilePermission();

/// Says no in the kernel's place from now on, so that instructions with tiles
/// stop and can be emulated. False if the process may use them already, or has
/// asked.
bool refuseTilePermission();

} // namespace attn

#endif // ATTN_TARGET_TILEPERMISSION_H
