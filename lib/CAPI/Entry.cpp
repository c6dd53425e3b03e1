//===- Entry.cpp - Calls of kernels ---------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include <cstdio>
#include <iterator>
#include <new>

using namespace attn;

/// Calls `function` with the context, then `arguments`, then `last`. Kernels
/// are called in tight loops: as many arguments as almost all have take no
/// memory.
static int32_t invoke(const LoadedCode::Invoker &function,
                      attn_context *context, DLTensor *const *arguments,
                      size_t count, void *last) {
  void *few[64];
  std::unique_ptr<void *[]> many;
  void **pointers = few;
  if (count + 2 > std::size(few)) {
    many.reset(new (std::nothrow) void *[count + 2]);
    pointers = many.get();
    if (!pointers)
      return ATTN_ERROR_OUT_OF_MEMORY;
  }
  pointers[0] = context;
  for (size_t i = 0; i < count; ++i)
    pointers[i + 1] = arguments[i];
  pointers[count + 1] = last;
  return function(pointers);
}

static int32_t refuse(attn_context *context, const attn_entry &entry,
                      size_t expected, const char *what, size_t count) {
  if (!context)
    return ATTN_ERROR_NULL_CONTEXT;
  std::snprintf(context->error, sizeof(context->error),
                "'%s' takes %zu %s, and %zu were given",
                entry.compiled.name.c_str(), expected, what, count);
  return ATTN_ERROR_NULL_ARGUMENT;
}

int32_t attn_entry_call(const attn_entry *entry, attn_context *context,
                        DLTensor *const *arguments, size_t count) {
  if (!entry || (!arguments && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  size_t expected = entry->compiled.types.inputs.size() + entry->outputs;
  if (count != expected)
    return refuse(context, *entry, expected, "inputs and outputs", count);
  return invoke(entry->compiled.run, context, arguments, count, nullptr);
}

int32_t attn_entry_shapes(const attn_entry *entry, attn_context *context,
                          DLTensor *const *inputs, size_t count,
                          int64_t *dims) {
  if (!entry || (!inputs && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  size_t expected = entry->compiled.types.inputs.size();
  if (count != expected)
    return refuse(context, *entry, expected, "inputs", count);
  return invoke(entry->compiled.computeShapes, context, inputs, count, dims);
}
