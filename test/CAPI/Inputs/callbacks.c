/* What a compiler tells while it works, and how it is stopped. */
#include "common.h"
#include <pthread.h>

#define CAUSAL                                                                 \
  "func.func @f(%q: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {\n"         \
  "  %o = tensor.empty() : tensor<1x2x16x8xf32>\n"                             \
  "  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)"     \
  " align(top_left) masks [#attn.causal]\n"                                    \
  "    ins(%q, %q, %q : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>,"           \
  " tensor<1x2x16x8xf32>) outs(%o : tensor<1x2x16x8xf32>)"                     \
  " -> tensor<1x2x16x8xf32>\n"                                                 \
  "  return %r : tensor<1x2x16x8xf32>\n}\n"

typedef struct told {
  attn_compiler *compiler;
  const char *stop_at;
  int count;
  int remarks;
} told;

static void on_message(void *user, const attn_message *message) {
  told *state = (told *)user;
  static const char *const names[] = {"remark", "warning", "error"};
  state->remarks += message->severity == ATTN_REMARK;
  printf("%s [%s] %s:%u:%u: %s\n", names[message->severity], message->id,
         message->file, message->line, message->column, message->text);
}

static void on_progress(void *user, const char *phase) {
  told *state = (told *)user;
  ++state->count;
  printf("phase %s\n", phase);
  if (state->stop_at && strcmp(phase, state->stop_at) == 0)
    attn_compiler_cancel(state->compiler);
}

static void on_phase(void *user, const char *phase, const char *text,
                     size_t size) {
  REQUIRE(strlen(text) == size && user != NULL);
  printf("after %s: %s\n", phase,
         strstr(text, "attn.attention")          ? "attn.attention"
         : strstr(text, "attn.online_attention") ? "attn.online_attention"
         : strstr(text, "llvm.func")             ? "llvm.func"
                                                 : "something else");
}

static void *cancel(void *compiler) {
  attn_compiler_cancel((attn_compiler *)compiler);
  return NULL;
}

int main(void) {
  told state;
  attn_compiler_options options;
  attn_compile_options compile;
  attn_module *module, *bad;
  attn_kernel *kernel;
  attn_artifact *artifact;
  attn_buffer *text;
  pthread_t thread;
  const char *phases[] = {"raise", "schedule", "plan", "lower", "codegen"};
  int i, code;
  memset(&state, 0, sizeof(state));
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.user = &state;
  options.on_message = on_message;
  options.on_progress = on_progress;
  REQUIRE(attn_compiler_create(&options, &state.compiler) == ATTN_GOOD);
  memset(&compile, 0, sizeof(compile));
  compile.struct_size = sizeof(compile);
  compile.on_phase = on_phase;
  compile.user = &state;

  puts("-- messages");
  code = attn_module_parse(state.compiler, "func.func @f(%a: i3x", 20,
                           "bad.mlir", &bad);
  REQUIRE(code == ATTN_BAD_INPUT);
  module = parse(state.compiler, CAUSAL, "causal.mlir");
  GOOD(state.compiler, attn_kernel_create(module, &compile, &kernel));
  REQUIRE(state.remarks > 0);
  attn_kernel_destroy(kernel);
  state.remarks = 0;
  GOOD(state.compiler, attn_artifact_create(module, &compile, &artifact));
  REQUIRE(state.remarks > 0);
  attn_artifact_destroy(artifact);

  puts("-- cancelled");
  compile.on_phase = NULL;
  for (i = 0; i < 5; ++i) {
    state.stop_at = phases[i];
    state.remarks = 0;
    code = attn_kernel_create(module, &compile, &kernel);
    printf("kernel: %d %s\n", code, attn_compiler_error(state.compiler));
    REQUIRE(kernel == NULL);
    code = attn_artifact_create(module, &compile, &artifact);
    REQUIRE(code == ATTN_CANCELLED && artifact == NULL);
  }
  state.stop_at = phases[0];
  code = attn_module_report(module, ATTN_REPORT_TEXT, &text);
  printf("report: %d %s\n", code, attn_compiler_error(state.compiler));
  REQUIRE(text == NULL);
  state.stop_at = NULL;
  attn_compiler_cancel(state.compiler);
  code = attn_module_print(module, ATTN_PRINT_TEXT, &text);
  REQUIRE(code == ATTN_CANCELLED && text == NULL);
  REQUIRE(pthread_create(&thread, NULL, cancel, state.compiler) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  code = attn_module_run(module, "canonicalize");
  REQUIRE(code == ATTN_CANCELLED);

  puts("-- goes on");
  GOOD(state.compiler, attn_kernel_create(module, NULL, &kernel));
  attn_kernel_destroy(kernel);
  attn_module_destroy(module);
  attn_compiler_destroy(state.compiler);
  puts("done");
  return 0;
}
