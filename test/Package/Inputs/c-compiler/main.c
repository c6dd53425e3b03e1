/* main.c - Compiles a file to memory, by CMake or by pkg-config. */
#include "attn-c/attn.h"
#include <stdio.h>

int main(int argc, char **argv) {
  attn_compiler *compiler;
  attn_module *module;
  attn_kernel *kernel = NULL;
  if (argc != 2 || attn_compiler_create(NULL, &compiler) != ATTN_GOOD)
    return 2;
  if (attn_module_load(compiler, argv[1], &module) != ATTN_GOOD ||
      attn_kernel_create(module, NULL, &kernel) != ATTN_GOOD)
    puts(attn_compiler_error(compiler));
  else
    puts("compiled");
  attn_kernel_destroy(kernel);
  attn_module_destroy(module);
  attn_compiler_destroy(compiler);
  return kernel == NULL;
}
