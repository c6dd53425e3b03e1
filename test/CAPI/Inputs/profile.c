/* profile FILE.html: a kernel that counts what its steps take, and its page. */
#include "common.h"

static attn_kernel *compile(attn_compiler *compiler,
                            const attn_compile_options *options) {
  attn_module *module = parse(compiler, ADD_MODULE, "add.mlir");
  attn_kernel *kernel;
  GOOD(compiler, attn_kernel_create(module, options, &kernel));
  attn_module_destroy(module);
  return kernel;
}

static void call(const attn_kernel *kernel, attn_host *host, int times) {
  static float data[3][400];
  int64_t shape[2] = {100, 4};
  DLTensor tensors[3], *arguments[3];
  int i;
  for (i = 0; i < 3; ++i) {
    tensors[i] = make_tensor(data[i], shape, 2, kDLFloat, 32);
    arguments[i] = &tensors[i];
  }
  for (i = 0; i < times; ++i)
    REQUIRE(attn_entry_call(attn_kernel_entry(kernel, NULL),
                            attn_host_context(host), arguments, 3) == ATTN_OK);
}

static void write_page(const attn_kernel *kernel, const char *path) {
  attn_page_options options;
  attn_buffer *page;
  FILE *file;
  memset(&options, 0, sizeof(options));
  REQUIRE(attn_kernel_page(kernel, &options, &page) == ATTN_BAD_INPUT && !page);
  options.struct_size = sizeof(options);
  options.title = "two & two";
  options.summary = "first line\nsecond line";
  options.source = ADD_MODULE;
  REQUIRE(attn_kernel_page(kernel, &options, &page) == ATTN_GOOD);
  file = fopen(path, "wb");
  REQUIRE(file && fwrite(attn_buffer_data(page), 1, attn_buffer_size(page),
                         file) == attn_buffer_size(page));
  fclose(file);
  attn_buffer_destroy(page);
  REQUIRE(attn_kernel_page(kernel, NULL, &page) == ATTN_GOOD);
  REQUIRE(strstr(attn_buffer_data(page), "<h1>add.mlir for cpu</h1>"));
  attn_buffer_destroy(page);
}

/* What was not asked for is refused. */
static void refuse(attn_compiler *compiler, attn_compile_options *options) {
  attn_kernel *kernel = compile(compiler, NULL);
  attn_module *module;
  attn_buffer *buffer;
  REQUIRE(attn_kernel_profile_begin(kernel) == ATTN_BAD_INPUT);
  REQUIRE(attn_kernel_profile(kernel, 1, &buffer) == ATTN_BAD_INPUT && !buffer);
  REQUIRE(attn_kernel_page(kernel, NULL, &buffer) == ATTN_BAD_INPUT && !buffer);
  attn_kernel_destroy(kernel);
  REQUIRE(attn_kernel_profile_begin(NULL) == ATTN_BAD_INPUT);
  module = parse(compiler, ADD_MODULE, "add.mlir");
  options->target = "nvptx:sm_80";
  printf("GPU: %d ", attn_kernel_create(module, options, &kernel));
  printf("%s\n", attn_compiler_error(compiler));
  attn_module_destroy(module);
}

int main(int argc, char **argv) {
  attn_compiler *compiler;
  attn_compile_options options;
  attn_kernel *kernel;
  attn_host *host;
  attn_buffer *json;
  REQUIRE(argc == 2);
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.profile = options.page = 1;
  kernel = compile(compiler, &options);
  REQUIRE(attn_host_create(1, &host) == ATTN_GOOD);
  call(kernel, host, 3);
  REQUIRE(attn_kernel_profile_begin(kernel) == ATTN_GOOD);
  call(kernel, host, 7);
  REQUIRE(attn_kernel_profile(kernel, 0, &json) == ATTN_BAD_INPUT && !json);
  REQUIRE(attn_kernel_profile(kernel, 7, &json) == ATTN_GOOD);
  printf("%s\n", attn_buffer_data(json));
  attn_buffer_destroy(json);
  REQUIRE(attn_kernel_profile_begin(kernel) == ATTN_GOOD);
  call(kernel, host, 1);
  REQUIRE(attn_kernel_profile(kernel, 1, &json) == ATTN_GOOD);
  printf("begun again: %s\n", strstr(attn_buffer_data(json), "\"calls\""));
  attn_buffer_destroy(json);
  write_page(kernel, argv[1]);
  attn_kernel_destroy(kernel);
  attn_host_destroy(host);
  refuse(compiler, &options);
  attn_compiler_destroy(compiler);
  puts("done");
  return 0;
}
