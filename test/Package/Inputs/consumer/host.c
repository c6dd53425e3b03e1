/* host.c - Includes the C ABI of compiled kernels, and nothing else. */
#include "attn-runtime/attn_runtime.h"

unsigned kernel_abi_version(const attn_context *context) {
  return context->abi_version;
}
