/* What LLVM would end the process for ends one call. */
#define _XOPEN_SOURCE 600
#include "common.h"
#include <locale.h>
#include <pthread.h>
#include <sys/resource.h>

/* Nothing selects this intrinsic on a processor that is no GPU. */
#define FATAL                                                                  \
  "func.func @f(%a: i32) -> i32 {\n"                                           \
  "  %t = nvvm.read.ptx.sreg.tid.x : i32\n"                                    \
  "  %r = arith.addi %a, %t : i32\n"                                           \
  "  return %r : i32\n}\n"

/* No pass knows what this reads and writes. */
#define UNKNOWN                                                                \
  "func.func @f(%a: i32) -> i32 {\n"                                           \
  "  nvvm.barrier0\n"                                                          \
  "  return %a : i32\n}\n"

static attn_compiler *compiler;

static void compile_well(void) {
  attn_module *module = parse(compiler, ADD_MODULE, "add.mlir");
  attn_kernel *kernel;
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  attn_kernel_destroy(kernel);
  attn_module_destroy(module);
}

static void fatal(void) {
  attn_module *module = parse(compiler, FATAL, "fatal.mlir");
  attn_kernel *kernel;
  attn_buffer *text;
  printf("fatal: %d ", attn_kernel_create(module, NULL, &kernel));
  printf("%s\n", attn_compiler_error(compiler));
  REQUIRE(kernel == NULL);
  printf("lost: %d ", attn_module_print(module, ATTN_PRINT_TEXT, &text));
  printf("%s\n", attn_compiler_error(compiler));
  attn_module_destroy(module);
  compile_well();
}

/* A phase that fails leaves a file where the host wants it, and only there. */
static void reproducer(const char *folder) {
  attn_compiler *careful;
  attn_compiler_options options;
  attn_module *module = parse(compiler, UNKNOWN, "unknown.mlir");
  attn_kernel *kernel;
  REQUIRE(attn_kernel_create(module, NULL, &kernel) == ATTN_INTERNAL);
  REQUIRE(!strstr(attn_compiler_error(compiler), "reproducer"));
  attn_module_destroy(module);
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.reproducer_folder = folder;
  REQUIRE(attn_compiler_create(&options, &careful) == ATTN_GOOD);
  module = parse(careful, UNKNOWN, "unknown.mlir");
  REQUIRE(attn_kernel_create(module, NULL, &kernel) == ATTN_INTERNAL);
  printf("internal: %s\n", attn_compiler_error(careful));
  attn_module_destroy(module);
  attn_compiler_destroy(careful);
}

/* Lets the process have so many bytes of addresses more than it has. */
static void allow(rlim_t bytes) {
  struct rlimit limit;
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  REQUIRE(file && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = bytes ? (rlim_t)pages * 4096 + bytes : limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void parse_within(const char *what, const char *data, rlim_t bytes) {
  attn_module *module;
  int code;
  allow(bytes);
  code = attn_module_parse(compiler, data, strlen(data), "large.mlir", &module);
  allow(0);
  printf("%s: %d %s\n", what, code, attn_compiler_error(compiler));
  REQUIRE(module == NULL);
}

static void no_memory(void) {
  enum { OPS = 300000 };
  /* The stack of a call, which no other may have taken. */
  const rlim_t stack = (rlim_t)128 << 20, page = 4096;
  char *text = malloc(OPS * 40 + 100), *end = text;
  int i;
  end += sprintf(end, "func.func @f() {\n");
  for (i = 0; i < OPS; ++i)
    end += sprintf(end, "%%%d = arith.constant %d : i32\n", i, i);
  sprintf(end, "return\n}\n");
  parse_within("text", text, stack + 10 * page);
  parse_within("ops", text, stack + ((rlim_t)40 << 20));
  parse_within("stack", text, stack / 2);
  free(text);
  compile_well();
}

/* A kernel of 80 MiB as bytes: more than what malloc may have set aside for a
   thread. */
static void no_memory_to_save(void) {
  attn_module *module =
      parse(compiler,
            "func.func @f() -> tensor<20971520xf32> {\n"
            "  %c = arith.constant dense<1.5> : tensor<20971520xf32>\n"
            "  return %c : tensor<20971520xf32>\n}\n",
            "constant.mlir");
  attn_kernel *kernel;
  attn_buffer *bytes;
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  attn_module_destroy(module);
  allow((rlim_t)1 << 20);
  printf("save: %d\n", attn_kernel_save(kernel, &bytes));
  allow(0);
  REQUIRE(bytes == NULL);
  REQUIRE(attn_kernel_save(kernel, &bytes) == ATTN_GOOD);
  REQUIRE(attn_buffer_size(bytes) > (size_t)80 << 20);
  attn_buffer_destroy(bytes);
  attn_kernel_destroy(kernel);
}

/* On a stack of 64 KiB, with a locale that writes commas. */
static void *nested(void *unused) {
  enum { DEPTH = 600 };
  char *text = malloc(DEPTH * 64 + 256), *end = text;
  attn_module *module;
  attn_buffer *printed;
  int i;
  end += sprintf(end, "func.func @f(%%a: i1) {\n");
  for (i = 0; i < DEPTH; ++i)
    end += sprintf(end, "scf.if %%a {\n");
  for (i = 0; i < DEPTH; ++i)
    end += sprintf(end, "}\n");
  sprintf(end, "return\n}\n");
  module = parse(compiler, text, "nested.mlir");
  GOOD(compiler, attn_module_print(module, ATTN_PRINT_TEXT, &printed));
  attn_buffer_destroy(printed);
  attn_module_destroy(module);
  free(text);
  return unused;
}

int main(int argc, char **argv) {
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  REQUIRE(argc == 2);
  fatal();
  reproducer(argv[1]);
  no_memory();
  no_memory_to_save();
  setlocale(LC_ALL, "");
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
  REQUIRE(pthread_create(&thread, &attributes, nested, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  compile_well();
  attn_compiler_destroy(compiler);
  puts("done");
  return 0;
}
