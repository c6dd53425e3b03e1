/* A kernel of this process: described, called, refused. */
#include "common.h"

static void call(const attn_kernel *kernel, attn_context *context,
                 int64_t rows) {
  float a[12], b[12], r[12];
  int64_t shape[2], dims[2];
  int i;
  DLTensor tensors[3], *arguments[3];
  /* As objects of another library hold tensors. */
  struct {
    void *unused;
    DLTensor *tensor;
  } held[3];
  const void *holders[3];
  const attn_entry *entry = attn_kernel_entry(kernel, "add");
  REQUIRE(entry && entry == attn_kernel_entry(kernel, NULL));
  shape[0] = rows;
  shape[1] = 4;
  for (i = 0; i < 12; ++i) {
    a[i] = (float)i;
    b[i] = 100.0f;
    r[i] = -1.0f;
  }
  tensors[0] = make_tensor(a, shape, 2, kDLFloat, 32);
  tensors[1] = make_tensor(b, shape, 2, kDLFloat, 32);
  tensors[2] = make_tensor(r, shape, 2, kDLFloat, 32);
  for (i = 0; i < 3; ++i)
    arguments[i] = &tensors[i];
  REQUIRE(attn_entry_shapes(entry, context, arguments, 2, dims) == ATTN_OK);
  REQUIRE(dims[0] == rows && dims[1] == 4);
  REQUIRE(attn_entry_call(entry, context, arguments, 3) == ATTN_OK);
  for (i = 0; i < 12; ++i)
    REQUIRE(r[i] == (i < 4 * rows ? 100.0f + (float)i : -1.0f));

  for (i = 0; i < 3; ++i) {
    held[i].unused = NULL;
    held[i].tensor = &tensors[i];
    holders[i] = &held[i];
  }
  memset(r, 0, sizeof(r));
  REQUIRE(attn_entry_shapes_held(entry, context, holders, sizeof(void *), 2,
                                 dims) == ATTN_OK);
  REQUIRE(dims[0] == rows && dims[1] == 4);
  REQUIRE(attn_entry_call_held(entry, context, holders, sizeof(void *), 3) ==
          ATTN_OK);
  REQUIRE(rows == 0 || (r[0] == 100.0f && r[3] == 103.0f));
  REQUIRE(attn_entry_call_held(entry, context, holders, sizeof(void *), 4) ==
          ATTN_ERROR_NULL_ARGUMENT);
  REQUIRE(attn_entry_call_held(entry, context, NULL, 0, 3) ==
          ATTN_ERROR_NULL_ARGUMENT);
  REQUIRE(attn_entry_shapes_held(NULL, context, holders, 0, 2, dims) ==
          ATTN_ERROR_NULL_ARGUMENT);

  printf("count: %d %s\n", attn_entry_call(entry, context, arguments, 2),
         attn_error_message(context));
  printf("shapes: %d %s\n",
         attn_entry_shapes(entry, context, arguments, 3, dims),
         attn_error_message(context));
  tensors[1].dtype.code = kDLInt;
  printf("type: %d %s\n", attn_entry_call(entry, context, arguments, 3),
         attn_error_message(context));
  REQUIRE(attn_entry_call(NULL, context, arguments, 3) ==
          ATTN_ERROR_NULL_ARGUMENT);
  REQUIRE(attn_entry_call(entry, context, NULL, 3) == ATTN_ERROR_NULL_ARGUMENT);
  REQUIRE(attn_entry_call(entry, NULL, arguments, 3) ==
          ATTN_ERROR_NULL_CONTEXT);
  REQUIRE(attn_entry_call(entry, NULL, arguments, 2) ==
          ATTN_ERROR_NULL_CONTEXT);
}

int main(void) {
  attn_compiler *compiler;
  attn_module *module;
  attn_kernel *kernel;
  attn_host *host;
  attn_buffer *text;
  attn_compile_options options;
  REQUIRE(attn_api_version() == ATTN_C_API_VERSION);
  printf("version: %s\n", attn_version_text());
  REQUIRE(attn_describe_library(&text) == ATTN_GOOD);
  printf("library: %s\n", attn_buffer_data(text));
  REQUIRE(attn_buffer_data(text)[attn_buffer_size(text)] == '\0');
  attn_buffer_destroy(text);

  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  REQUIRE(strcmp(attn_compiler_error(compiler), "") == 0);
  module = parse(compiler, ADD_MODULE, "add.mlir");
  GOOD(compiler, attn_module_describe(module, &text));
  printf("module: %s\n", attn_buffer_data(text));
  attn_buffer_destroy(text);
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  printf("kernel: %s\n", attn_kernel_describe(kernel));
  /* Kernels do not need what they were made of. */
  attn_module_destroy(module);
  attn_compiler_destroy(compiler);
  REQUIRE(attn_host_create(2, &host) == ATTN_GOOD);
  call(kernel, attn_host_context(host), 3);
  call(kernel, attn_host_context(host), 1);
  call(kernel, attn_host_context(host), 0);
  attn_kernel_destroy(kernel);

  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  module = parse(compiler,
                 "func.func @one(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "  return %a : tensor<4xf32>\n}\n"
                 "func.func @main(%a: tensor<f64>) -> tensor<f64> {\n"
                 "  return %a : tensor<f64>\n}\n",
                 NULL);
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  /* The most threads that blocks are made for. */
  options.threads = 1024;
  options.portable = 1;
  GOOD(compiler, attn_kernel_create(module, &options, &kernel));
  REQUIRE(attn_kernel_entry(kernel, "one") &&
          attn_kernel_entry(kernel, "main"));
  REQUIRE(!attn_kernel_entry(kernel, NULL) &&
          !attn_kernel_entry(kernel, "two"));
  attn_kernel_destroy(kernel);
  options.entry = "one";
  options.name = "uno";
  GOOD(compiler, attn_kernel_create(module, &options, &kernel));
  printf("renamed: %s\n", attn_kernel_describe(kernel));
  REQUIRE(attn_kernel_entry(kernel, NULL) == attn_kernel_entry(kernel, "uno"));
  attn_kernel_destroy(kernel);
  attn_module_destroy(module);
  attn_compiler_destroy(compiler);
  attn_host_destroy(host);

  /* There is nothing to destroy, and nobody minds. */
  attn_module_destroy(NULL);
  attn_artifact_destroy(NULL);
  attn_kernel_destroy(NULL);
  attn_host_destroy(NULL);
  attn_buffer_destroy(NULL);
  attn_compiler_destroy(NULL);
  puts("done");
  return 0;
}
