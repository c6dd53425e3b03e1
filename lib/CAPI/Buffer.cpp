//===- Buffer.cpp - Bytes that the library made ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace attn;

attn_buffer *capi::makeBuffer(std::string bytes) {
  return new attn_buffer{std::move(bytes)};
}

const char *attn_buffer_data(const attn_buffer *buffer) {
  return buffer ? buffer->bytes.c_str() : nullptr;
}

size_t attn_buffer_size(const attn_buffer *buffer) {
  return buffer ? buffer->bytes.size() : 0;
}

void attn_buffer_destroy(attn_buffer *buffer) { delete buffer; }
