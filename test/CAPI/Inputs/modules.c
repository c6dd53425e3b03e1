/* Modules: passes, forms of text, copies, the report, the reference, and the
 * contents of files. Writes them into the folder that is its argument. */
#define _POSIX_C_SOURCE 200112L
#include "common.h"

static const char *folder;

static void write_file(const char *name, attn_buffer *buffer) {
  char path[1024];
  FILE *file;
  sprintf(path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  REQUIRE(file);
  REQUIRE(fwrite(attn_buffer_data(buffer), 1, attn_buffer_size(buffer), file) ==
          attn_buffer_size(buffer));
  fclose(file);
  attn_buffer_destroy(buffer);
}

static void passes(attn_compiler *compiler, attn_module *module) {
  attn_module *raised, *again;
  attn_buffer *text;
  GOOD(compiler, attn_module_clone(module, &raised));
  GOOD(compiler, attn_module_run(raised, "attn-raise-pipeline"));
  GOOD(compiler, attn_module_run(raised, " builtin.module(canonicalize,cse) "));
  GOOD(compiler, attn_module_print(raised, ATTN_PRINT_BYTECODE, &text));
  GOOD(compiler, attn_module_parse(compiler, attn_buffer_data(text),
                                   attn_buffer_size(text), NULL, &again));
  write_file("raised.mlirbc", text);
  GOOD(compiler, attn_module_print(again, ATTN_PRINT_TEXT, &text));
  write_file("raised.mlir", text);
  GOOD(compiler,
       attn_module_print(again, ATTN_PRINT_TEXT_WITH_LOCATIONS, &text));
  REQUIRE(strstr(attn_buffer_data(text), "loc("));
  attn_buffer_destroy(text);
  attn_module_destroy(again);
  attn_module_destroy(raised);
  /* The module itself is as it was. */
  GOOD(compiler, attn_module_print(module, ATTN_PRINT_TEXT, &text));
  REQUIRE(!strstr(attn_buffer_data(text), "attn.attention"));
  attn_buffer_destroy(text);
}

static void reports(attn_compiler *compiler, attn_module *module) {
  attn_buffer *text;
  GOOD(compiler, attn_module_report(module, ATTN_REPORT_TEXT, &text));
  write_file("report.txt", text);
  GOOD(compiler, attn_module_report(module, ATTN_REPORT_JSON, &text));
  write_file("report.json", text);
  GOOD(compiler, attn_module_report(module, ATTN_REPORT_HTML, &text));
  write_file("report.html", text);
}

static void files(attn_compiler *compiler, attn_module *module) {
  attn_artifact *artifact;
  attn_buffer *text;
  attn_compile_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "cpu:x86-64, cpu:x86-64-v3";
  options.name = "sdpa";
  GOOD(compiler, attn_artifact_create(module, &options, &artifact));
  GOOD(compiler, attn_artifact_get(artifact, ATTN_OUTPUT_OBJECT, NULL, &text));
  write_file("sdpa.o", text);
  GOOD(compiler, attn_artifact_get(artifact, ATTN_OUTPUT_HEADER, NULL, &text));
  write_file("sdpa.h", text);
  GOOD(compiler,
       attn_artifact_get(artifact, ATTN_OUTPUT_METADATA, NULL, &text));
  write_file("sdpa.json", text);
  GOOD(compiler,
       attn_artifact_get(artifact, ATTN_OUTPUT_SHARED, "sdpa.so", &text));
  write_file("sdpa.so", text);
  attn_artifact_destroy(artifact);
  options.target = "nvptx:sm_80";
  GOOD(compiler, attn_artifact_create(module, &options, &artifact));
  GOOD(compiler, attn_artifact_get(artifact, ATTN_OUTPUT_PTX, NULL, &text));
  write_file("gpu.ptx", text);
  GOOD(compiler,
       attn_artifact_get(artifact, ATTN_OUTPUT_LAUNCHER, "gpu.h", &text));
  write_file("gpu_launcher.c", text);
  attn_artifact_destroy(artifact);
}

/* Rows in reverse, of a column that is not there twice. */
static void reference(attn_compiler *compiler) {
  attn_module *module =
      parse(compiler,
            "func.func @f(%a: tensor<2x3xf32>, %b: tensor<i64>)"
            " -> (tensor<2x3xf32>, tensor<i64>) {\n"
            "  %c = arith.constant dense<0.1> : tensor<2x3xf32>\n"
            "  %r = arith.addf %a, %c : tensor<2x3xf32>\n"
            "  return %r, %b : tensor<2x3xf32>, tensor<i64>\n}\n",
            "f.mlir");
  float a[6] = {4, 5, 6, 1, 2, 3};
  double r[12];
  int64_t b = -(INT64_C(1) << 60), n = 0;
  int64_t shape[2] = {2, 3}, strides[2] = {-3, 1}, wide[2] = {6, 2};
  DLTensor tensors[4], *inputs[2], *outputs[2];
  int i;
  tensors[0] = make_tensor(a, shape, 2, kDLFloat, 32);
  tensors[0].strides = strides;
  tensors[0].byte_offset = 3 * sizeof(float);
  tensors[1] = make_tensor(&b, NULL, 0, kDLInt, 64);
  tensors[2] = make_tensor(r, shape, 2, kDLFloat, 64);
  tensors[2].strides = wide;
  tensors[3] = make_tensor(&n, NULL, 0, kDLInt, 64);
  for (i = 0; i < 2; ++i) {
    inputs[i] = &tensors[i];
    outputs[i] = &tensors[2 + i];
  }
  for (i = 0; i < 12; ++i)
    r[i] = -1;
  GOOD(compiler, attn_module_interpret(module, NULL, inputs, 2, outputs, 2));
  for (i = 0; i < 6; ++i) {
    double expected = 0.1 + (double)(i + 1);
    REQUIRE(r[2 * i] > expected - 1e-8 && r[2 * i] < expected + 1e-8);
    REQUIRE(r[2 * i + 1] == -1);
  }
  REQUIRE(n == b);
  attn_module_destroy(module);
}

int main(int argc, char **argv) {
  attn_compiler *compiler;
  attn_module *module;
  REQUIRE(argc == 3);
  folder = argv[1];
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  GOOD(compiler, attn_module_load(compiler, argv[2], &module));
  passes(compiler, module);
  reports(compiler, module);
  files(compiler, module);
  attn_module_destroy(module);
  reference(compiler);
  attn_compiler_destroy(compiler);
  puts("done");
  return 0;
}
