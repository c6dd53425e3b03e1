//===- TilePermission.cpp - Whether a process may use AMX -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/TilePermission.h"

#if defined(__x86_64__) && defined(__linux__)
#include <atomic>
#include <cpuid.h>
#include <unistd.h>

static std::atomic<bool> isRefused = false;

bool attn::hasSlowPairs() {
  constexpr unsigned kFeatures = 7, kHalfBit = 23, kTileBit = 24;
  unsigned a, vendor, b, c, d;
  if (!__get_cpuid(0, &a, &vendor, &c, &d) ||
      !__get_cpuid_count(kFeatures, 0, &a, &b, &c, &d))
    return false;
  return (d >> kTileBit & 1) != 0 ||
         (vendor == kIntelVendor && (d >> kHalfBit & 1) != 0);
}

bool attn::requestTilePermission() {
  static const bool granted =
      !isRefused &&
      syscall(kArchPrctl, kRequestXCompPerm, kTileDataComponent) == 0;
  return granted;
}

bool attn::refuseTilePermission() {
  isRefused = true;
  unsigned long permitted = 0;
  bool isKnown = syscall(kArchPrctl, kGetXCompPerm, &permitted) == 0;
  return !isKnown || (permitted >> kTileDataComponent & 1) == 0;
}
#else
bool attn::hasSlowPairs() { return false; }
bool attn::requestTilePermission() { return false; }
bool attn::refuseTilePermission() { return true; }
#endif
