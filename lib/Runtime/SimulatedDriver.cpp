//===- SimulatedDriver.cpp - The driver's interface on the simulator ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 for machines without a GPU: programs that use GPUDriver.c run
// with it unchanged, and what the simulator finds is an error of the launch. It
// has the functions that GPUDriver.c asks for, takes PTX only, and each call
// has happened when it returns. One device, one context, one caller at a time.
//
//===----------------------------------------------------------------------===//

#include "attn/Runtime/SimulatedDevice.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace attn;

namespace {

/// Numbers of CUresult.
enum Code {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoBinary = 209,
  kNotFound = 500,
  kLaunchFailed = 719
};

/// A CUmodule. Its images are what a compiled object would hold.
struct LoadedModule {
  std::string text;
  ptx::Module code;
  attn_gpu_image image;
  attn_gpu_module module;
  llvm::StringMap<struct LoadedFunction *> functions;
};

/// A CUfunction.
struct LoadedFunction {
  const LoadedModule *module;
  std::string name;
  std::vector<ptx::KernelParameter> parameters;
};

struct Driver {
  SimulatedDevice device{SimulatedDevice::Options()};
  /// Of the last call that failed.
  std::string text;

  static Driver &get() {
    static Driver driver;
    return driver;
  }
  attn_gpu_context *getContext() { return device.getContext(); }
  int fail(int code, const llvm::Twine &why) {
    text = why.str();
    return code;
  }
  /// What a call of the device's has come to.
  int finish(int status) {
    return status ? fail(kLaunchFailed, attn_error_message(&getContext()->base))
                  : int(kSuccess);
  }
};

} // namespace

/// As a driver sees it, a parameter is bytes. What is eight bytes long and lies
/// in device memory is an address: no other number comes near one.
static attn_gpu_parameter describe(const ptx::KernelParameter &parameter,
                                   const void *value) {
  if (parameter.bytes == 128)
    return {128, ATTN_GPU_TENSOR_MAP};
  uint64_t number = 0;
  std::memcpy(&number, value, std::min<uint64_t>(parameter.bytes, 8));
  bool isAddress = parameter.bytes == 8 && Driver::get().device.owns(number);
  return {static_cast<uint32_t>(parameter.bytes),
          uint32_t(isAddress ? ATTN_GPU_POINTER : ATTN_GPU_NUMBER)};
}

/// CUlaunchConfig, as far as it is read.
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream;
  const struct {
    unsigned id, reserved;
    unsigned value[16];
  } *attributes;
  unsigned numAttributes;
};

/// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
static constexpr unsigned kClusterAttribute = 4;

#define ATTN_DRIVER_CALL extern "C" __attribute__((visibility("default"))) int

//===----------------------------------------------------------------------===//
// The device and its context
//===----------------------------------------------------------------------===//

ATTN_DRIVER_CALL cuInit(unsigned) { return kSuccess; }

ATTN_DRIVER_CALL cuGetErrorName(int code, const char **name) {
  static const std::pair<int, const char *> names[] = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"}};
  *name = "CUDA_ERROR_LAUNCH_FAILED";
  for (auto [number, text] : names)
    if (number == code)
      *name = text;
  return kSuccess;
}

ATTN_DRIVER_CALL cuGetErrorString(int, const char **text) {
  *text = Driver::get().text.c_str();
  return kSuccess;
}

ATTN_DRIVER_CALL cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0
             ? int(kSuccess)
             : Driver::get().fail(kInvalidDevice, "there is one simulated GPU");
}

/// Hopper's, which runs PTX for all that came before, or what the environment
/// says: 80 for sm_80.
static int getArch() {
  const char *text = std::getenv("ATTN_SIMULATED_GPU");
  int arch = text ? std::atoi(text) : 0;
  return arch ? arch : 90;
}

ATTN_DRIVER_CALL cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? getArch() / 10 : getArch() % 10;
  return kSuccess;
}

ATTN_DRIVER_CALL cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &Driver::get();
  return kSuccess;
}
ATTN_DRIVER_CALL cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
ATTN_DRIVER_CALL cuCtxPushCurrent_v2(void *) { return kSuccess; }
ATTN_DRIVER_CALL cuCtxPopCurrent_v2(void **) { return kSuccess; }

ATTN_DRIVER_CALL cuStreamCreate(void **stream, unsigned) {
  *stream = &Driver::get();
  return kSuccess;
}
ATTN_DRIVER_CALL cuStreamDestroy_v2(void *) { return kSuccess; }

/// What kernels and the host did wrong since the last time.
ATTN_DRIVER_CALL cuStreamSynchronize(void *) {
  std::vector<std::string> findings = Driver::get().device.takeFindings();
  return findings.empty() ? int(kSuccess)
                          : Driver::get().fail(kLaunchFailed, findings.front());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// CUmemPoolProps, as far as it is read: of its 88 bytes the rest is 0.
struct PoolProperties {
  int allocation, handles, location, device;
  unsigned char rest[72];
};

/// Memory on the device that is allocated in a stream's order.
ATTN_DRIVER_CALL cuMemPoolCreate(void **pool,
                                 const PoolProperties *properties) {
  Driver &driver = Driver::get();
  auto isSet = [](unsigned char byte) { return byte != 0; };
  if (properties->allocation != 1 || properties->location != 1 ||
      properties->handles != 0 || llvm::any_of(properties->rest, isSet))
    return driver.fail(kInvalidValue, "no pool of a device's memory");
  if (properties->device != 0)
    return driver.fail(kInvalidDevice, "there is one simulated GPU");
  *pool = &driver;
  return kSuccess;
}
ATTN_DRIVER_CALL cuMemPoolSetAttribute(void *, int, void *) { return kSuccess; }
ATTN_DRIVER_CALL cuMemPoolDestroy(void *) { return kSuccess; }

ATTN_DRIVER_CALL cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes,
                                         void *pool, void *) {
  if (pool != &Driver::get())
    return Driver::get().fail(kInvalidValue, "no pool");
  attn_context &base = Driver::get().getContext()->base;
  *address = reinterpret_cast<uint64_t>(base.alloc(base.host, bytes, 256));
  return *address ? int(kSuccess)
                  : Driver::get().fail(kOutOfMemory, "out of memory");
}

ATTN_DRIVER_CALL cuMemFreeAsync(uint64_t address, void *) {
  attn_context &base = Driver::get().getContext()->base;
  base.free(base.host, reinterpret_cast<void *>(address));
  return kSuccess;
}

ATTN_DRIVER_CALL cuMemcpyDtoHAsync_v2(void *host, uint64_t address,
                                      size_t bytes, void *) {
  attn_gpu_context *context = Driver::get().getContext();
  return Driver::get().finish(
      context->read(context, host, reinterpret_cast<void *>(address), bytes));
}

ATTN_DRIVER_CALL cuMemcpyHtoDAsync_v2(uint64_t address, const void *host,
                                      size_t bytes, void *) {
  return Driver::get().finish(Driver::get().device.write(
      reinterpret_cast<void *>(address), host, bytes));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

ATTN_DRIVER_CALL cuModuleLoadDataEx(void **result, const void *image, unsigned,
                                    int *, void **) {
  const char *text = static_cast<const char *>(image);
  if (std::memcmp(text, "\177ELF", 4) == 0)
    return Driver::get().fail(kNoBinary, "the simulator takes PTX only");
  auto code = ptx::Module::parse(text);
  if (!code)
    return Driver::get().fail(kInvalidValue,
                              "PTX: " + llvm::toString(code.takeError()));
  // PTX for an architecture's own instructions runs on no other one.
  std::string target = code->target();
  int arch = std::atoi(target.c_str() + std::strlen("sm_"));
  if (target.back() == 'a' ? arch != getArch() : arch > getArch())
    return Driver::get().fail(kNoBinary, "PTX for " + target + " on sm_" +
                                             llvm::Twine(getArch()));
  auto *loaded = new LoadedModule{text, std::move(*code), {}, {}, {}};
  loaded->image = {0, 0, loaded->text.size(), loaded->text.c_str()};
  loaded->module = {ATTN_GPU_ABI_VERSION, 1, &loaded->image};
  *result = loaded;
  return kSuccess;
}

ATTN_DRIVER_CALL cuModuleUnload(void *handle) {
  auto *loaded = static_cast<LoadedModule *>(handle);
  Driver::get().device.forget(&loaded->module);
  for (auto &function : loaded->functions)
    delete function.second;
  delete loaded;
  return kSuccess;
}

ATTN_DRIVER_CALL cuModuleGetFunction(void **result, void *handle,
                                     const char *name) {
  auto *loaded = static_cast<LoadedModule *>(handle);
  std::vector<std::string> kernels = loaded->code.kernels();
  if (std::find(kernels.begin(), kernels.end(), name) == kernels.end())
    return Driver::get().fail(kNotFound, "no kernel of this name");
  LoadedFunction *&function = loaded->functions[name];
  if (!function)
    function = new LoadedFunction{loaded, name, loaded->code.parameters(name)};
  *result = function;
  return kSuccess;
}

ATTN_DRIVER_CALL cuFuncSetAttribute(void *, int, int) { return kSuccess; }

ATTN_DRIVER_CALL cuLaunchKernelEx(const LaunchConfig *config, void *handle,
                                  void **parameters, void **) {
  auto *function = static_cast<LoadedFunction *>(handle);
  std::vector<attn_gpu_parameter> kinds;
  for (auto [index, parameter] : llvm::enumerate(function->parameters))
    kinds.push_back(describe(parameter, parameters[index]));
  attn_gpu_kernel kernel = {&function->module->module,
                            function->name.c_str(),
                            {},
                            {1, 1, 1},
                            static_cast<uint32_t>(kinds.size()),
                            0,
                            kinds.data()};
  std::copy_n(config->block, 3, kernel.block);
  for (unsigned i = 0; i != config->numAttributes; ++i)
    if (config->attributes[i].id == kClusterAttribute)
      std::copy_n(config->attributes[i].value, 3, kernel.cluster);
  attn_gpu_context *context = Driver::get().getContext();
  return Driver::get().finish(context->launch(context, &kernel, config->grid,
                                              config->shared, parameters));
}

ATTN_DRIVER_CALL cuTensorMapEncodeTiled(void *map, int type, uint32_t rank,
                                        void *data, const uint64_t *dims,
                                        const uint64_t *strides,
                                        const uint32_t *box, const uint32_t *,
                                        int, int swizzle, int l2, int) {
  attn_gpu_tensor tensor = {};
  tensor.data = data;
  tensor.type = type;
  tensor.rank = rank;
  std::copy_n(dims, rank, tensor.dims);
  std::copy_n(strides, rank - 1, tensor.strides);
  std::copy_n(box, rank, tensor.box);
  tensor.swizzle = swizzle;
  tensor.l2 = l2;
  attn_gpu_context *context = Driver::get().getContext();
  return Driver::get().finish(context->tensor_map(context, map, &tensor));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// A CUevent: the host's time, since a launch has run when it returns.
using Event = std::chrono::steady_clock::time_point;

ATTN_DRIVER_CALL cuEventCreate(void **event, unsigned) {
  *event = new Event();
  return kSuccess;
}
ATTN_DRIVER_CALL cuEventDestroy_v2(void *event) {
  delete static_cast<Event *>(event);
  return kSuccess;
}
ATTN_DRIVER_CALL cuEventRecord(void *event, void *) {
  *static_cast<Event *>(event) = std::chrono::steady_clock::now();
  return kSuccess;
}
ATTN_DRIVER_CALL cuEventSynchronize(void *) { return kSuccess; }
ATTN_DRIVER_CALL cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  *milliseconds = std::chrono::duration<float, std::milli>(
                      *static_cast<Event *>(to) - *static_cast<Event *>(from))
                      .count();
  return kSuccess;
}
