/* What is wrong with its arguments returns a code and a sentence, and the
 * compiler goes on. */
#include "common.h"

static attn_compiler *compiler;

static void show(const char *what, attn_code code) {
  printf("%s: %d %s\n", what, (int)code, attn_compiler_error(compiler));
}

static void parse_wrong(const char *what, const char *text, const char *name) {
  attn_module *module = (attn_module *)&compiler;
  show(what, attn_module_parse(compiler, text, strlen(text), name, &module));
  REQUIRE(module == NULL);
}

static void parsing(void) {
  attn_module *module;
  char path[] = "no/such/file.mlir";
  parse_wrong("text", "func.func @f() {\n  %a = arith.constant 1 : i3x\n}",
              "text.mlir");
  parse_wrong("name", "nothing", NULL);
  parse_wrong("unknown op", "func.func @f() {\n  foo.bar\n  return\n}",
              "op.mlir");
  parse_wrong("torch",
              "func.func @f(%a: i32) {\n"
              "  %0 = torch.aten.mm %a, %a : i32, i32 -> i32\n  return\n}",
              "torch.mlir");
  parse_wrong("verifier",
              "func.func @f(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
              "  return %a : tensor<4xf32>\n}",
              "types.mlir");
  show("no text",
       attn_module_parse(compiler, "a\0b", 3, "binary.mlir", &module));
  show("bytecode",
       attn_module_parse(compiler, "ML\357R broken", 11, "b.mlirbc", &module));
  show("no file", attn_module_load(compiler, path, &module));
  show("no data", attn_module_parse(compiler, NULL, 0, NULL, &module));
  show("no place", attn_module_parse(compiler, "", 0, NULL, NULL));
  show("no path", attn_module_load(compiler, NULL, &module));
  REQUIRE(attn_module_parse(NULL, "", 0, NULL, &module) == ATTN_BAD_INPUT);
}

static void compiling(attn_module *module) {
  attn_compile_options options;
  attn_kernel *kernel = (attn_kernel *)&options;
  attn_artifact *artifact = (attn_artifact *)&options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "cpu:x86-64-v9";
  show("target", attn_kernel_create(module, &options, &kernel));
  REQUIRE(kernel == NULL);
  show("targets", attn_artifact_create(module, &options, &artifact));
  REQUIRE(artifact == NULL);
  options.target = "cpu:x86-64,cpu:x86-64-v3";
  show("two", attn_kernel_create(module, &options, &kernel));
  options.target = "";
  show("empty", attn_kernel_create(module, &options, &kernel));
  options.target = NULL;
  options.entry = "sub";
  show("entry", attn_kernel_create(module, &options, &kernel));
  options.entry = NULL;
  options.threads = -1;
  show("threads", attn_kernel_create(module, &options, &kernel));
  options.threads = 0;
  options.name = "while";
  show("keyword", attn_artifact_create(module, &options, &artifact));
  options.struct_size = 0;
  show("size", attn_kernel_create(module, &options, &kernel));
  show("no place", attn_kernel_create(module, NULL, NULL));
  REQUIRE(attn_kernel_create(NULL, NULL, &kernel) == ATTN_BAD_INPUT);
  REQUIRE(attn_artifact_create(NULL, NULL, &artifact) == ATTN_BAD_INPUT);
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  attn_kernel_destroy(kernel);
}

/* What no kernel can be made of, with its line. */
static void refused(const char *what, const char *text) {
  attn_module *module = parse(compiler, text, "refused.mlir");
  attn_kernel *kernel;
  attn_artifact *artifact;
  show(what, attn_kernel_create(module, NULL, &kernel));
  REQUIRE(attn_artifact_create(module, NULL, &artifact) == ATTN_BAD_INPUT);
  attn_module_destroy(module);
}

static void outputs(attn_module *module) {
  attn_artifact *artifact;
  attn_buffer *contents;
  attn_compile_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "cpu:x86-64";
  GOOD(compiler, attn_artifact_create(module, &options, &artifact));
  show("ptx", attn_artifact_get(artifact, ATTN_OUTPUT_PTX, NULL, &contents));
  show("soname",
       attn_artifact_get(artifact, ATTN_OUTPUT_SHARED, NULL, &contents));
  show("output", attn_artifact_get(artifact, (attn_output)77, "", &contents));
  REQUIRE(contents == NULL);
  attn_artifact_destroy(artifact);
}

static void running(void) {
  attn_module *module = parse(compiler, ADD_MODULE, "add.mlir");
  attn_buffer *text;
  show("pass", attn_module_run(module, "attn-razie"));
  show("bracket", attn_module_run(module, "builtin.module(canonicalize"));
  show("option", attn_module_run(module, "attn-to-cpu{target=cpu:z80}"));
  show("broken", attn_module_print(module, ATTN_PRINT_TEXT, &text));
  attn_module_destroy(module);
  module = parse(compiler, ADD_MODULE, "add.mlir");
  show("null", attn_module_run(module, NULL));
  show("form", attn_module_print(module, (attn_print_form)9, &text));
  show("report", attn_module_report(module, (attn_report_form)9, &text));
  show("empty", attn_module_run(module, ""));
  attn_module_destroy(module);
  module = parse(compiler, "module {}", "none.mlir");
  show("nothing", attn_module_describe(module, &text));
  attn_module_destroy(module);
}

static void interpreting(attn_module *module) {
  float a[8] = {0};
  double r[8];
  int64_t shape[2] = {2, 4};
  DLTensor tensors[3], *inputs[2], *output = &tensors[2];
  int i;
  tensors[0] = make_tensor(a, shape, 2, kDLFloat, 32);
  tensors[1] = tensors[0];
  tensors[2] = make_tensor(r, shape, 2, kDLFloat, 64);
  for (i = 0; i < 2; ++i)
    inputs[i] = &tensors[i];
  show("inputs", attn_module_interpret(module, NULL, inputs, 1, &output, 1));
  show("entry", attn_module_interpret(module, "sub", inputs, 2, &output, 1));
  tensors[1].dtype.code = kDLInt;
  show("input type",
       attn_module_interpret(module, NULL, inputs, 2, &output, 1));
  tensors[1] = tensors[0];
  tensors[1].device.device_type = kDLCUDA;
  show("device", attn_module_interpret(module, NULL, inputs, 2, &output, 1));
  tensors[1] = tensors[0];
  tensors[1].data = NULL;
  show("data", attn_module_interpret(module, NULL, inputs, 2, &output, 1));
  tensors[1] = tensors[0];
  tensors[2].dtype.bits = 32;
  show("output type",
       attn_module_interpret(module, NULL, inputs, 2, &output, 1));
}

int main(void) {
  attn_compiler_options options;
  attn_module *module;
  attn_buffer *text;
  attn_host *host;
  memset(&options, 0, sizeof(options));
  REQUIRE(attn_compiler_create(NULL, NULL) == ATTN_BAD_INPUT);
  REQUIRE(attn_compiler_create(&options, &compiler) == ATTN_BAD_INPUT);
  REQUIRE(compiler == NULL);
  REQUIRE(attn_describe_library(NULL) == ATTN_BAD_INPUT);
  REQUIRE(attn_host_create(-1, &host) == ATTN_BAD_INPUT && host == NULL);
  REQUIRE(strcmp(attn_compiler_error(NULL), "the compiler is null") == 0);
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  parsing();
  module = parse(compiler, ADD_MODULE, "add.mlir");
  compiling(module);
  outputs(module);
  interpreting(module);
  attn_module_destroy(module);
  running();
  refused("op", "func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>)\n"
                "    -> tensor<4xf32> {\n"
                "  %r = math.fpowi %a, %b : tensor<4xf32>, tensor<4xi32>\n"
                "  return %r : tensor<4xf32>\n}\n");
  refused("element", "func.func @f(%a: tensor<4xi7>) -> tensor<4xi7> {\n"
                     "  return %a : tensor<4xi7>\n}\n");
  /* After all of it. */
  module = parse(compiler, ADD_MODULE, "add.mlir");
  GOOD(compiler, attn_module_describe(module, &text));
  attn_buffer_destroy(text);
  attn_module_destroy(module);
  attn_compiler_destroy(compiler);
  puts("done");
  return 0;
}
