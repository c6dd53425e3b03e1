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

bool attn::hasTileUnit() {
  constexpr unsigned kFeatures = 7, kTileBit = 24;
  unsigned a, b, c, d;
  return __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) &&
         (d >> kTileBit & 1) != 0;
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
bool attn::hasTileUnit() { return false; }
bool attn::requestTilePermission() { return false; }
bool attn::refuseTilePermission() { return true; }
#endif
