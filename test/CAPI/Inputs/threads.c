/* Four threads compile at the same time, each with its compiler: the bytes are
 * those that one thread makes, and the kernels compute. */
#include "common.h"
#include <pthread.h>

enum { THREADS = 4 };

typedef struct job {
  int number;
  int rounds;
  const char *object;
  size_t size;
} job;

static void call(attn_kernel *kernel) {
  float values[12], result[12];
  int64_t shape[2] = {3, 4};
  int i;
  DLTensor tensors[3], *arguments[3];
  attn_host *host;
  for (i = 0; i < 12; ++i) {
    values[i] = (float)i;
    result[i] = -1.0f;
  }
  tensors[0] = tensors[1] = make_tensor(values, shape, 2, kDLFloat, 32);
  tensors[2] = make_tensor(result, shape, 2, kDLFloat, 32);
  for (i = 0; i < 3; ++i)
    arguments[i] = &tensors[i];
  REQUIRE(attn_host_create(1, &host) == ATTN_GOOD);
  REQUIRE(attn_entry_call(attn_kernel_entry(kernel, NULL),
                          attn_host_context(host), arguments, 3) == ATTN_OK);
  for (i = 0; i < 12; ++i)
    REQUIRE(result[i] == 2.0f * (float)i);
  attn_host_destroy(host);
}

static attn_buffer *compile(attn_compiler *compiler) {
  attn_module *module = parse(compiler, ADD_MODULE, "add.mlir");
  attn_artifact *artifact;
  attn_buffer *object;
  attn_compile_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.target = "cpu:x86-64";
  GOOD(compiler, attn_artifact_create(module, &options, &artifact));
  GOOD(compiler,
       attn_artifact_get(artifact, ATTN_OUTPUT_OBJECT, NULL, &object));
  attn_artifact_destroy(artifact);
  attn_module_destroy(module);
  return object;
}

static void *work(void *data) {
  job *mine = (job *)data;
  attn_compiler *compiler;
  int round;
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  for (round = 0; round < mine->rounds; ++round) {
    attn_module *module = parse(compiler, ADD_MODULE, "add.mlir");
    attn_kernel *kernel;
    attn_buffer *object;
    char wrong[64];
    GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
    call(kernel);
    attn_kernel_destroy(kernel);
    attn_module_destroy(module);
    object = compile(compiler);
    REQUIRE(attn_buffer_size(object) == mine->size &&
            memcmp(attn_buffer_data(object), mine->object, mine->size) == 0);
    attn_buffer_destroy(object);
    /* The error is this compiler's. */
    sprintf(wrong, "wrong%d", mine->number);
    REQUIRE(attn_module_parse(compiler, wrong, strlen(wrong), "w", &module) ==
            ATTN_BAD_INPUT);
    REQUIRE(strstr(attn_compiler_error(compiler), wrong));
  }
  attn_compiler_destroy(compiler);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  job jobs[THREADS];
  attn_compiler *compiler;
  attn_buffer *object;
  int i;
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  object = compile(compiler);
  attn_compiler_destroy(compiler);
  for (i = 0; i < THREADS; ++i) {
    jobs[i].number = i;
    jobs[i].rounds = argc > 1 ? atoi(argv[1]) : 2;
    jobs[i].object = attn_buffer_data(object);
    jobs[i].size = attn_buffer_size(object);
    REQUIRE(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
  }
  for (i = 0; i < THREADS; ++i)
    REQUIRE(pthread_join(threads[i], NULL) == 0);
  attn_buffer_destroy(object);
  puts("done");
  return 0;
}
