/*===- GPUDriver.c - A context on the driver of NVIDIA GPUs ---------------===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* C99, and no header but ours: attn-compile writes this file for programs    *|
|* that shall run anywhere, with CUDADriver.h, which declares the driver's    *|
|* interface, in front. No global state; nothing exits.                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "CUDADriver.h"
#include "attn-runtime/attn_gpu_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*===--- State ------------------------------------------------------------===*/

typedef struct loaded_module {
  const attn_gpu_module *module;
  void *handle;
} loaded_module;

typedef struct loaded_kernel {
  const attn_gpu_kernel *kernel;
  void *handle;
  uint32_t shared; /* Dynamic shared memory that it may use by now. */
} loaded_kernel;

/* The context is its first member. */
typedef struct gpu {
  attn_gpu_context context;
  cu_driver driver;
  void *library;
  void *stream; /* The one that create made. */
  void *pool;
  void *primary;
  void *events[2]; /* Of start and stop. */
  int device;
  uint32_t arch;
  loaded_module *modules;
  size_t num_modules;
  loaded_kernel *kernels;
  size_t num_kernels;
} gpu;

/* The status of what a function of the driver has returned. The text of a
   failure is "what: NAME (text)". */
static int check(gpu *g, const char *what, const char *which, int code) {
  const char *name = NULL, *text = NULL;
  if (!code)
    return ATTN_OK;
  g->driver.error_name(code, &name);
  g->driver.error_text(code, &text);
  snprintf(g->context.base.error, sizeof(g->context.base.error),
           "%s%s%s: %s (%s)", what, *which ? " " : "", which,
           name ? name : "an unknown error", text ? text : "no text");
  return ATTN_ERROR_DEVICE;
}

static int say(gpu *g, const char *text) {
  snprintf(g->context.base.error, sizeof(g->context.base.error), "%s", text);
  return ATTN_ERROR_DEVICE;
}

/* Between these two the GPU's context is the thread's. */
static int enter(gpu *g) {
  return check(g, "cuCtxPushCurrent", "", g->driver.push(g->primary));
}

static int leave(gpu *g, int status) {
  void *ours;
  g->driver.pop(&ours);
  return status;
}

/* One element more; NULL where there is no memory. */
static void *grow(void *array, size_t count, size_t size) {
  /* Whenever the count reaches a power of two the array doubles. */
  if (count & (count - 1))
    return array;
  return realloc(array, (count ? 2 * count : 1) * size);
}

/*===--- Memory and time --------------------------------------------------===*/

static void *allocate(void *host, size_t bytes, size_t align) {
  gpu *g = (gpu *)host;
  cu_address address = 0;
  int code;
  (void)align; /* The driver's blocks are aligned to 256 bytes. */
  if (enter(g))
    return NULL;
  code =
      g->driver.alloc(&address, bytes ? bytes : 1, g->pool, g->context.stream);
  code = leave(g, check(g, "cuMemAllocFromPoolAsync", "", code));
  return code ? NULL : (void *)(uintptr_t)address;
}

static void release(void *host, void *pointer) {
  gpu *g = (gpu *)host;
  if (!pointer || enter(g))
    return;
  g->driver.free((cu_address)(uintptr_t)pointer, g->context.stream);
  leave(g, 0);
}

int attn_gpu_driver_wait(attn_gpu_context *ctx) {
  gpu *g = (gpu *)ctx;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  return leave(
      g, check(g, "cuStreamSynchronize", "", g->driver.wait(ctx->stream)));
}

/* Waits for a copy that has started if `code` says so. */
static int finish_copy(gpu *g, const char *what, int code) {
  if (!code)
    code = g->driver.wait(g->context.stream);
  return leave(g, check(g, what, "", code));
}

static int read_back(attn_gpu_context *ctx, void *host, const void *device,
                     size_t bytes) {
  gpu *g = (gpu *)ctx;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  return finish_copy(g, "copy to the host",
                     g->driver.copy_to_host(host, (cu_address)(uintptr_t)device,
                                            bytes, ctx->stream));
}

int attn_gpu_driver_write(attn_gpu_context *ctx, void *device, const void *host,
                          size_t bytes) {
  gpu *g = (gpu *)ctx;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  return finish_copy(g, "copy to the device",
                     g->driver.copy_to_device((cu_address)(uintptr_t)device,
                                              host, bytes, ctx->stream));
}

static int record(gpu *g, int i) {
  int code = g->events[i] ? 0 : g->driver.create_event(&g->events[i], 0);
  if (!code)
    code = g->driver.record(g->events[i], g->context.stream);
  return check(g, "cuEventRecord", "", code);
}

int attn_gpu_driver_start(attn_gpu_context *ctx) {
  gpu *g = (gpu *)ctx;
  return enter(g) ? ATTN_ERROR_DEVICE : leave(g, record(g, 0));
}

int attn_gpu_driver_stop(attn_gpu_context *ctx, double *seconds) {
  gpu *g = (gpu *)ctx;
  float milliseconds = 0;
  int code;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  if (record(g, 1))
    return leave(g, ATTN_ERROR_DEVICE);
  code = g->driver.wait_event(g->events[1]);
  if (!code)
    code = g->driver.elapsed(&milliseconds, g->events[0], g->events[1]);
  *seconds = 1e-3 * milliseconds;
  return leave(g, check(g, "the time of kernels", "", code));
}

/*===--- Kernels ----------------------------------------------------------===*/

/* The image to try: machine code for this very GPU, or PTX. */
static const attn_gpu_image *find_image(const attn_gpu_module *module,
                                        uint32_t arch) {
  uint32_t i;
  for (i = 0; i != module->num_images; ++i)
    if (module->images[i].arch == arch)
      return &module->images[i];
  return NULL;
}

/* What the driver's compiler says goes into the context's error. */
static int load_image(gpu *g, const attn_gpu_image *image, void **handle) {
  char log[160] = "";
  int options[2] = {CU_JIT_LOG, CU_JIT_LOG_BYTES};
  void *values[2];
  int code;
  values[0] = log;
  values[1] = (void *)(uintptr_t)sizeof(log);
  code = g->driver.load(handle, image->data, 2, options, values);
  log[sizeof(log) - 1] = 0;
  return check(g, image->arch ? "machine code" : "PTX", log, code);
}

static int load_module(gpu *g, const attn_gpu_module *module, void **handle) {
  const attn_gpu_image *code = find_image(module, g->arch);
  const attn_gpu_image *ptx = find_image(module, 0);
  loaded_module *modules;
  size_t i;
  int status;
  for (i = 0; i != g->num_modules; ++i)
    if (g->modules[i].module == module) {
      *handle = g->modules[i].handle;
      return ATTN_OK;
    }
  if (module->abi_version != ATTN_GPU_ABI_VERSION)
    return say(g, "the object was compiled for another version of attn_gpu.h");
  if (!code && !ptx)
    return say(g, "the object has neither PTX nor code for this GPU");
  modules = (loaded_module *)grow(g->modules, g->num_modules, sizeof(*modules));
  if (!modules)
    return say(g, "out of memory");
  g->modules = modules;
  /* A driver that is older than the code may still take the PTX. */
  status = code ? load_image(g, code, handle) : ATTN_ERROR_DEVICE;
  if (status && ptx)
    status = load_image(g, ptx, handle);
  if (status)
    return status;
  modules[g->num_modules].module = module;
  modules[g->num_modules++].handle = *handle;
  return ATTN_OK;
}

static int load_kernel(gpu *g, const attn_gpu_kernel *kernel,
                       loaded_kernel **loaded) {
  loaded_kernel *kernels;
  void *module, *handle;
  size_t i;
  int code;
  for (i = 0; i != g->num_kernels; ++i)
    if (g->kernels[i].kernel == kernel) {
      *loaded = &g->kernels[i];
      return ATTN_OK;
    }
  code = load_module(g, kernel->module, &module);
  if (code)
    return code;
  code = g->driver.get_function(&handle, module, kernel->name);
  if (check(g, "cuModuleGetFunction", kernel->name, code))
    return ATTN_ERROR_DEVICE;
  if (kernel->cluster[0] * kernel->cluster[1] * kernel->cluster[2] > 8)
    code = g->driver.set_function(handle, CU_FUNCTION_ANY_CLUSTER_SIZE, 1);
  if (check(g, "the cluster of kernel", kernel->name, code))
    return ATTN_ERROR_DEVICE;
  kernels = (loaded_kernel *)grow(g->kernels, g->num_kernels, sizeof(*kernels));
  if (!kernels)
    return say(g, "out of memory");
  g->kernels = kernels;
  *loaded = &kernels[g->num_kernels++];
  (*loaded)->kernel = kernel;
  (*loaded)->handle = handle;
  (*loaded)->shared = 48 * 1024;
  return ATTN_OK;
}

static int launch_loaded(gpu *g, const attn_gpu_kernel *kernel,
                         const uint32_t grid[3], uint32_t shared,
                         void **parameters) {
  loaded_kernel *loaded = NULL;
  cu_launch config;
  cu_attribute cluster;
  int i, code = load_kernel(g, kernel, &loaded);
  if (code)
    return code;
  if (shared > loaded->shared) {
    code = g->driver.set_function(loaded->handle,
                                  CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)shared);
    if (check(g, "the shared memory of kernel", kernel->name, code))
      return ATTN_ERROR_DEVICE;
    loaded->shared = shared;
  }
  memset(&config, 0, sizeof(config));
  memset(&cluster, 0, sizeof(cluster));
  cluster.id = CU_LAUNCH_CLUSTER;
  for (i = 0; i != 3; ++i) {
    config.grid[i] = grid[i];
    config.block[i] = kernel->block[i];
    cluster.value.cluster[i] = kernel->cluster[i];
    if (kernel->cluster[i] > 1)
      config.num_attributes = 1;
  }
  config.shared = shared;
  config.stream = g->context.stream;
  config.attributes = config.num_attributes ? &cluster : NULL;
  code = g->driver.launch(&config, loaded->handle, parameters, NULL);
  return check(g, "launch of kernel", kernel->name, code);
}

static int launch(attn_gpu_context *ctx, const attn_gpu_kernel *kernel,
                  const uint32_t grid[3], uint32_t shared, void **parameters) {
  gpu *g = (gpu *)ctx;
  if (!grid[0] || !grid[1] || !grid[2])
    return ATTN_OK;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  return leave(g, launch_loaded(g, kernel, grid, shared, parameters));
}

static int encode(attn_gpu_context *ctx, void *map,
                  const attn_gpu_tensor *tensor) {
  gpu *g = (gpu *)ctx;
  static const uint32_t steps[5] = {1, 1, 1, 1, 1};
  /* The driver wants an address that is a multiple of 64. */
  unsigned char bytes[128 + 64];
  unsigned char *aligned = bytes + (64 - (uintptr_t)bytes % 64) % 64;
  int code;
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  code = g->driver.encode(aligned, (int)tensor->type, tensor->rank,
                          (void *)(uintptr_t)tensor->data, tensor->dims,
                          tensor->strides, tensor->box, steps, 0,
                          (int)tensor->swizzle, (int)tensor->l2, 0);
  if (!code)
    memcpy(map, aligned, 128);
  return leave(g, check(g, "cuTensorMapEncodeTiled", "", code));
}

/*===--- Contexts ---------------------------------------------------------===*/

/* The name of the first function that the driver does not have, or NULL. ISO C
   has no conversion from what dlsym returns to a function. */
static const char *load_driver(gpu *g) {
  void *symbol;
  g->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!g->library)
    return "libcuda.so.1";
#define LOAD(name, string, parameters)                                         \
  symbol = dlsym(g->library, string);                                          \
  if (!symbol)                                                                 \
    return string;                                                             \
  memcpy(&g->driver.name, &symbol, sizeof(symbol));
  FOR_EACH_FUNCTION(LOAD)
#undef LOAD
  return NULL;
}

/* The device's own pool gives its blocks back to the system whenever somebody
   waits for the stream, and the next call would pay for them again. This one
   keeps them for as long as the context lives. */
static int open_pool(gpu *g) {
  unsigned long long most = ~0ull;
  cu_pool properties;
  int code;
  memset(&properties, 0, sizeof(properties));
  properties.allocation = 1;
  properties.location = 1;
  properties.device = g->device;
  code = g->driver.create_pool(&g->pool, &properties);
  if (code)
    g->pool = NULL;
  else
    code = g->driver.set_pool(g->pool, CU_POOL_RELEASE_THRESHOLD, &most);
  return check(g, "cuMemPoolCreate", "", code);
}

static int open_device(gpu *g, int number) {
  int major = 0, minor = 0;
  int code = g->driver.init(0);
  if (check(g, "cuInit", "", code))
    return ATTN_ERROR_DEVICE;
  code = g->driver.get_device(&g->device, number);
  if (!code)
    code = g->driver.get_attribute(&major, CU_MULTIPROCESSOR_MAJOR, g->device);
  if (!code)
    code = g->driver.get_attribute(&minor, CU_MULTIPROCESSOR_MINOR, g->device);
  if (check(g, "cuDeviceGet", "", code))
    return ATTN_ERROR_DEVICE;
  g->arch = (uint32_t)(10 * major + minor);
  code = g->driver.retain(&g->primary, g->device);
  if (check(g, "cuDevicePrimaryCtxRetain", "", code)) {
    g->primary = NULL;
    return ATTN_ERROR_DEVICE;
  }
  if (enter(g))
    return ATTN_ERROR_DEVICE;
  code = g->driver.create_stream(&g->stream, CU_STREAM_OWN_ORDER);
  if (code)
    g->stream = NULL;
  g->context.stream = g->stream;
  if (check(g, "cuStreamCreate", "", code))
    return leave(g, ATTN_ERROR_DEVICE);
  return leave(g, open_pool(g));
}

attn_gpu_context *attn_gpu_driver_create(int device, char *error,
                                         size_t bytes) {
  gpu *g = (gpu *)calloc(1, sizeof(gpu));
  const char *missing;
  if (!g) {
    if (bytes)
      snprintf(error, bytes, "out of memory");
    return NULL;
  }
  g->context.base.abi_version = ATTN_ABI_VERSION;
  g->context.base.host = g;
  g->context.base.alloc = allocate;
  g->context.base.free = release;
  g->context.launch = launch;
  g->context.tensor_map = encode;
  g->context.read = read_back;
  missing = load_driver(g);
  if (!missing && open_device(g, device) == ATTN_OK)
    return &g->context;
  if (bytes && missing)
    snprintf(error, bytes,
             g->library ? "the driver has no %s: it is too old"
                        : "no driver for NVIDIA GPUs: there is no %s",
             missing);
  else if (bytes)
    snprintf(error, bytes, "%s", g->context.base.error);
  attn_gpu_driver_destroy(&g->context);
  return NULL;
}

void attn_gpu_driver_destroy(attn_gpu_context *ctx) {
  gpu *g = (gpu *)ctx;
  size_t i;
  if (!g)
    return;
  if (g->primary && enter(g) == ATTN_OK) {
    if (g->context.stream)
      g->driver.wait(g->context.stream);
    for (i = 0; i != 2; ++i)
      if (g->events[i])
        g->driver.destroy_event(g->events[i]);
    for (i = 0; i != g->num_modules; ++i)
      g->driver.unload(g->modules[i].handle);
    if (g->stream)
      g->driver.destroy_stream(g->stream);
    if (g->pool)
      g->driver.destroy_pool(g->pool);
    leave(g, 0);
  }
  if (g->primary)
    g->driver.release(g->device);
  free(g->modules);
  free(g->kernels);
  if (g->library)
    dlclose(g->library);
  free(g);
}
