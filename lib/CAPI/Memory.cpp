//===- Memory.cpp - operator new without an end of the process
//---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file that may throw: operator new has no other way to fail.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include <new>

/// The C++ library is this library's own, so no host sees the handler.
void attn::capi::installNewHandler() {
  std::set_new_handler([] {
    recoverFromBadAlloc();
    throw std::bad_alloc();
  });
}
