//===- TilePermission.cpp - Whether a process may use AMX -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/TilePermission.h"

#if defined(__x86_64__) && defined(__linux__)
#include <unistd.h>

bool attn::requestTilePermission() {
  static const bool granted =
      syscall(kArchPrctl, kRequestXCompPerm, kTileDataComponent) == 0;
  return granted;
}
#else
bool attn::requestTilePermission() { return false; }
#endif
