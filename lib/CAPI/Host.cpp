//===- Host.cpp - Threads and memory for kernels --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn-runtime/attn_host.h"

using namespace attn;
using namespace attn::capi;

struct attn_host {
  attn_context *context;
};

attn_code attn_host_create(int32_t threads, attn_host **host) {
  if (!host)
    return ATTN_BAD_INPUT;
  *host = nullptr;
  if (threads < 0 || threads > kMaxThreads)
    return ATTN_BAD_INPUT;
  attn_context *context = attn_host_context_create(std::max(threads, 1));
  if (!context)
    return ATTN_NO_MEMORY;
  *host = new (std::nothrow) attn_host{context};
  if (*host)
    return ATTN_GOOD;
  attn_host_context_destroy(context);
  return ATTN_NO_MEMORY;
}

attn_context *attn_host_context(attn_host *host) {
  return host ? host->context : nullptr;
}

void attn_host_destroy(attn_host *host) {
  if (!host)
    return;
  attn_host_context_destroy(host->context);
  delete host;
}
