//===- Memory.cpp - The end of memory is not the end of the process -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR does not look at what malloc returns, and operator new throws through
// code that is compiled without exceptions. So the linker gives this library
// forms of both that end the guarded call (--wrap in CMakeLists.txt). This is
// the only file with exceptions.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include <new>

/// The linker demands these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
}

static void *check(void *memory, size_t bytes) {
  if (!memory && bytes)
    attn::capi::recoverFromBadAlloc();
  return memory;
}

void *__wrap_malloc(size_t bytes) { return check(__real_malloc(bytes), bytes); }

void *__wrap_calloc(size_t count, size_t bytes) {
  return check(__real_calloc(count, bytes), count && bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  return check(__real_realloc(memory, bytes), bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return check(__real_aligned_alloc(alignment, bytes), bytes);
}
// NOLINTEND(bugprone-reserved-identifier)

attn_code attn::capi::catchBadAlloc(llvm::function_ref<attn_code()> body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return ATTN_NO_MEMORY;
  }
}
