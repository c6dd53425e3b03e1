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

/// Calls `function` with the context, then the tensors, then `last`. Kernels
/// are called in tight loops: as many arguments as almost all have take no
/// memory.
template <typename GetTensor>
static int32_t invoke(const LoadedCode::Invoker &function,
                      attn_context *context, GetTensor getTensor, size_t count,
                      void *last) {
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
    pointers[i + 1] = getTensor(i);
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

template <typename GetTensor>
static int32_t call(const attn_entry &entry, attn_context *context,
                    GetTensor getTensor, size_t count) {
  size_t expected = entry.compiled.types.inputs.size() + entry.outputs;
  if (count != expected)
    return refuse(context, entry, expected, "inputs and outputs", count);
  return invoke(entry.compiled.run, context, getTensor, count, nullptr);
}

template <typename GetTensor>
static int32_t computeShapes(const attn_entry &entry, attn_context *context,
                             GetTensor getTensor, size_t count, int64_t *dims) {
  size_t expected = entry.compiled.types.inputs.size();
  if (count != expected)
    return refuse(context, entry, expected, "inputs", count);
  return invoke(entry.compiled.computeShapes, context, getTensor, count, dims);
}

int32_t attn_entry_call(const attn_entry *entry, attn_context *context,
                        DLTensor *const *arguments, size_t count) {
  if (!entry || (!arguments && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  return call(*entry, context, [=](size_t i) { return arguments[i]; }, count);
}

int32_t attn_entry_shapes(const attn_entry *entry, attn_context *context,
                          DLTensor *const *inputs, size_t count,
                          int64_t *dims) {
  if (!entry || (!inputs && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  return computeShapes(
      *entry, context, [=](size_t i) { return inputs[i]; }, count, dims);
}

/// The pointer that an object holds.
static DLTensor *readHeld(const void *object, size_t offset) {
  const char *place = static_cast<const char *>(object) + offset;
  return *reinterpret_cast<DLTensor *const *>(place);
}

int32_t attn_entry_call_held(const attn_entry *entry, attn_context *context,
                             const void *const *holders, size_t offset,
                             size_t count) {
  if (!entry || (!holders && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  return call(
      *entry, context, [=](size_t i) { return readHeld(holders[i], offset); },
      count);
}

int32_t attn_entry_shapes_held(const attn_entry *entry, attn_context *context,
                               const void *const *holders, size_t offset,
                               size_t count, int64_t *dims) {
  if (!entry || (!holders && count))
    return ATTN_ERROR_NULL_ARGUMENT;
  return computeShapes(
      *entry, context, [=](size_t i) { return readHeld(holders[i], offset); },
      count, dims);
}
