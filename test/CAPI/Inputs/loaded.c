/* Loads the library that is its argument as a plugin would: out of sight of the
 * process, which has no libm. The kernel calls tan. */
#include "common.h"
#include <dlfcn.h>

#define TANGENT                                                                \
  "func.func @f(%a: tensor<2xf64>) -> tensor<2xf64> {\n"                       \
  "  %r = math.tan %a : tensor<2xf64>\n"                                       \
  "  return %r : tensor<2xf64>\n}\n"

/* Of all functions a program needs, by their names. */
#define FUNCTIONS(X)                                                           \
  X(attn_compiler_create)                                                      \
  X(attn_compiler_error)                                                       \
  X(attn_compiler_destroy)                                                     \
  X(attn_module_parse)                                                         \
  X(attn_module_destroy)                                                       \
  X(attn_kernel_create)                                                        \
  X(attn_kernel_entry)                                                         \
  X(attn_kernel_destroy)                                                       \
  X(attn_entry_call)                                                           \
  X(attn_host_create)                                                          \
  X(attn_host_context)                                                         \
  X(attn_host_destroy)
#define DECLARE(name) static __typeof__(&(name)) load_##name;
#define LOAD(name)                                                             \
  *(void **)&load_##name = dlsym(library, #name);                              \
  REQUIRE(load_##name);
FUNCTIONS(DECLARE)

int main(int argc, char **argv) {
  void *library;
  attn_compiler *compiler;
  attn_module *module;
  attn_kernel *kernel;
  attn_host *host;
  double a[2] = {0.0, 0.78539816339744830962}, r[2] = {-1, -1};
  int64_t shape[1] = {2};
  DLTensor in = make_tensor(a, shape, 1, kDLFloat, 64);
  DLTensor out = make_tensor(r, shape, 1, kDLFloat, 64), *arguments[2];
  arguments[0] = &in;
  arguments[1] = &out;
  REQUIRE(argc == 2);
  REQUIRE(dlsym(NULL, "tan") == NULL);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    puts(dlerror());
  REQUIRE(library);
  FUNCTIONS(LOAD)
  REQUIRE(load_attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  REQUIRE(load_attn_module_parse(compiler, TANGENT, strlen(TANGENT), NULL,
                                 &module) == ATTN_GOOD);
  if (load_attn_kernel_create(module, NULL, &kernel) != ATTN_GOOD)
    puts(load_attn_compiler_error(compiler));
  REQUIRE(kernel && load_attn_host_create(1, &host) == ATTN_GOOD);
  REQUIRE(load_attn_entry_call(load_attn_kernel_entry(kernel, NULL),
                               load_attn_host_context(host), arguments,
                               2) == ATTN_OK);
  REQUIRE(r[0] == 0.0 && r[1] > 0.999999 && r[1] < 1.000001);
  load_attn_host_destroy(host);
  load_attn_kernel_destroy(kernel);
  load_attn_module_destroy(module);
  load_attn_compiler_destroy(compiler);
  REQUIRE(dlclose(library) == 0);
  puts("done");
  return 0;
}
