//===- XlaABI.h - What XLA passes to foreign functions ------------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of version 0.x of XLA's FFI that a handler on the CPU reads, so that
// libattn is built without XLA. Structures of later versions only grow at their
// ends, and say how long they are.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_XLAABI_H
#define ATTN_LIB_CAPI_XLAABI_H

#include <cstddef>
#include <cstdint>

namespace attn::xla {

/// The version that handlers here are written for.
constexpr int kMajor = 0, kMinor = 1;

struct Extension {
  size_t structSize;
  int type;
  Extension *next;
};
constexpr int kMetadataExtension = 1;

struct ApiVersion {
  size_t structSize;
  Extension *extensions;
  int major, minor;
};

/// Asked for when a handler is registered.
struct Metadata {
  size_t structSize;
  ApiVersion version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

enum class Code { InvalidArgument = 3, ResourceExhausted = 8, Internal = 13 };

struct MakeErrorArguments {
  size_t structSize;
  Extension *extensions;
  const char *message;
  Code code;
};

struct ScheduleArguments {
  size_t structSize;
  Extension *extensions;
  void *context;
  void (*task)(void *data);
  void *data;
};

struct CountThreadsArguments {
  size_t structSize;
  Extension *extensions;
  void *context;
  int64_t *count;
};

struct Api {
  size_t structSize;
  Extension *extensions;
  ApiVersion version;
  const void *internal;
  void *(*makeError)(MakeErrorArguments *);
  void *(*unused[10])();
  void *(*schedule)(ScheduleArguments *);
  void *(*countThreads)(CountThreadsArguments *);
};

/// As XLA numbers element types.
enum class ElementType {
  Pred = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  BF16 = 16
};

struct Buffer {
  size_t structSize;
  Extension *extensions;
  ElementType type;
  void *data;
  int64_t rank;
  int64_t *dims;
};

struct Buffers {
  size_t structSize;
  Extension *extensions;
  int64_t count;
  int *kinds;
  Buffer **buffers;
};

struct Text {
  const char *data;
  size_t size;
};

struct Scalar {
  ElementType type;
  void *value;
};
constexpr int kScalarAttribute = 3;

struct Attributes {
  size_t structSize;
  Extension *extensions;
  int64_t count;
  int *kinds;
  Text **names;
  void **values;
};

struct CallFrame {
  size_t structSize;
  Extension *extensions;
  const Api *api;
  void *context;
  int stage;
  Buffers arguments, results;
  Attributes attributes;
};

} // namespace attn::xla

#endif // ATTN_LIB_CAPI_XLAABI_H
