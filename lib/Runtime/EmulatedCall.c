/*===- EmulatedCall.c - The side of a call that is emulated -------*- C -*-===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Linked with a kernel into a program for another machine, whose argument is
a*|
|* file with a call: the program makes it, and leaves the results in the file.*|
|* ATTN_EMULATED_ENTRY is the symbol of the function that calls the kernel
with*|
|* the pointers of an array.                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "EmulatedCall.h"
#include "attn-runtime/attn_runtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

extern int32_t call_kernel(void **arguments) __asm__(ATTN_EMULATED_ENTRY);

static int64_t live_blocks;
static int num_threads;

static void *allocate(void *host, size_t bytes, size_t align) {
  void *memory = NULL;
  (void)host;
  if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align,
                     bytes ? bytes : 1))
    return NULL;
  __atomic_add_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  return memory;
}

static void release(void *host, void *memory) {
  (void)host;
  if (memory)
    __atomic_sub_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  free(memory);
}

/* One loop whose iterations threads take one by one. */
typedef struct job {
  void (*fn)(void *data, int64_t i);
  void *data;
  int64_t n;
  int64_t next;
} job;

static void *work(void *opaque) {
  job *j = (job *)opaque;
  int64_t i;
  while ((i = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < j->n)
    j->fn(j->data, i);
  return NULL;
}

/* Where the system has no more threads, fewer compute the same. */
static void parallel_for(void *host, void (*fn)(void *data, int64_t i),
                         void *data, int64_t n) {
  job j;
  pthread_t *threads =
      (pthread_t *)calloc((size_t)num_threads, sizeof(*threads));
  int started = 0;
  (void)host;
  j.fn = fn;
  j.data = data;
  j.n = n;
  j.next = 0;
  while (threads && started + 1 < num_threads &&
         !pthread_create(&threads[started], NULL, work, &j))
    ++started;
  work(&j);
  while (started)
    pthread_join(threads[--started], NULL);
  free(threads);
}

static void make_call(unsigned char *file) {
  emulated_call *call = (emulated_call *)file;
  emulated_tensor *described = (emulated_tensor *)(call + 1);
  int64_t *words = (int64_t *)(described + call->num_tensors);
  size_t count = (size_t)call->num_tensors, i;
  DLTensor *tensors = (DLTensor *)calloc(count + 1, sizeof(*tensors));
  void **arguments = (void **)calloc(count + 2, sizeof(*arguments));
  attn_context context;
  memset(&context, 0, sizeof(context));
  context.abi_version = ATTN_ABI_VERSION;
  context.alloc = allocate;
  context.free = release;
  context.parallel_for = call->threads > 1 ? parallel_for : NULL;
  num_threads = call->threads;
  arguments[0] = &context;
  for (i = 0; i != count; ++i) {
    tensors[i].data = file + described[i].data;
    tensors[i].device.device_type = kDLCPU;
    tensors[i].ndim = described[i].ndim;
    tensors[i].dtype.code = described[i].code;
    tensors[i].dtype.bits = described[i].bits;
    tensors[i].dtype.lanes = described[i].lanes;
    tensors[i].shape = words;
    words += described[i].ndim;
    arguments[i + 1] = &tensors[i];
  }
  arguments[count + 1] = words;
  call->status = call_kernel(arguments);
  memcpy(call->error, context.error, sizeof(call->error));
  call->live_blocks = live_blocks;
  free(tensors);
  free(arguments);
}

int main(int argc, char **argv) {
  struct stat status;
  int file = argc == 2 ? open(argv[1], O_RDWR) : -1;
  void *memory = MAP_FAILED;
  if (file >= 0 && !fstat(file, &status))
    memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
                  MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(argc == 2 ? argv[1] : "usage: PROGRAM FILE");
    return 1;
  }
  make_call((unsigned char *)memory);
  return 0;
}
