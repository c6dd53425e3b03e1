/* memory COUNT [KILOBYTES]: compiles a small kernel COUNT times. The process
 * may have grown by so much since the first tenth of them. */
#include "common.h"
#include <unistd.h>

static long resident_kilobytes(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  REQUIRE(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Also what fails has to give back what it took. */
static void compile(attn_compiler *compiler, int number) {
  char text[512], name[32];
  attn_module *module, *copy;
  attn_kernel *kernel;
  attn_buffer *buffer;
  sprintf(name, "file%d.mlir", number);
  /* Another module each time. */
  sprintf(text,
          "func.func @f%d(%%a: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
          "  %%c = arith.constant dense<%d.0> : tensor<4xf32>\n"
          "  return %%a : tensor<?x4xf32>\n}\n",
          number, number);
  module = parse(compiler, text, name);
  GOOD(compiler, attn_module_clone(module, &copy));
  GOOD(compiler, attn_module_run(copy, "attn-raise-pipeline"));
  attn_module_destroy(copy);
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  attn_kernel_destroy(kernel);
  GOOD(compiler, attn_module_print(module, ATTN_PRINT_BYTECODE, &buffer));
  attn_buffer_destroy(buffer);
  attn_module_destroy(module);
  text[strlen(text) - 10] = '\0';
  REQUIRE(attn_module_parse(compiler, text, strlen(text), name, &module) ==
          ATTN_BAD_INPUT);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 100, i;
  /* Allocators do not give all back at once. */
  long limit = argc > 2 ? atol(argv[2]) : 4096;
  long before = 0, after;
  attn_compiler *compiler;
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  for (i = 0; i < count; ++i) {
    if (i == count / 10)
      before = resident_kilobytes();
    compile(compiler, i);
  }
  after = resident_kilobytes();
  attn_compiler_destroy(compiler);
  printf("%d compilations: from %ld to %ld kB\n", count, before, after);
  REQUIRE(after - before < limit);
  puts("flat");
  return 0;
}
