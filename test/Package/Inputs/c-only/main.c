/* main.c - Makes a context for kernels, by CMake or by pkg-config. */
#include "attn-runtime/attn_host.h"
#include <stdio.h>

int main(void) {
  attn_context *context = attn_host_context_create(2);
  if (!context)
    return 1;
  printf("context of version %u\n", (unsigned)context->abi_version);
  attn_host_context_destroy(context);
  return 0;
}
