/* A program on a GPU, or without one. */
#include "k.h"

#include <stdio.h>

int main(void) {
  char error[256];
  attn_gpu_context *gpu = attn_gpu_driver_create(0, error, sizeof error);
  if (!gpu) {
    printf("no GPU: %s\n", error);
    return 0;
  }
  printf("a GPU\n");
  /* The tensors are missing. */
  if (attention(&gpu->base, NULL, NULL, NULL, NULL, NULL) !=
      ATTN_ERROR_NULL_ARGUMENT)
    return 1;
  attn_gpu_driver_destroy(gpu);
  return 0;
}
