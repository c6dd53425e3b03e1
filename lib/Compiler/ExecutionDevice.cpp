//===- ExecutionDevice.cpp - Where a compiled program runs ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/ExecutionDevice.h"
#include "attn-runtime/attn_gpu_driver.h"
#include "attn-runtime/attn_host.h"
#include "attn/Runtime/SimulatedDevice.h"
#include "attn/Support/Stopwatch.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Tensors are the arrays themselves.
class HostDevice : public ExecutionDevice {
public:
  explicit HostDevice(attn_context *context) : context(context) {}
  ~HostDevice() override { attn_host_context_destroy(context); }

  attn_context *getContext() override { return context; }
  DLDeviceType getType() const override { return kDLCPU; }
  Expected<void *> addTensor(StringRef, HostArray &array, Use) override {
    return array.getData();
  }
  llvm::Error fetch(void *, HostArray &) override {
    return llvm::Error::success();
  }
  uint64_t getLiveBytes() const override {
    return attn_host_context_live_bytes(context);
  }

private:
  attn_context *context;
};

class SimulatorDevice : public ExecutionDevice {
public:
  explicit SimulatorDevice(const SimulatedDevice::Options &options)
      : device(options) {}

  attn_context *getContext() override { return &device.getContext()->base; }
  DLDeviceType getType() const override { return kDLCUDA; }
  Expected<void *> addTensor(StringRef name, HostArray &array,
                             Use use) override {
    void *tensor =
        device.addTensor(name, use == Use::Output ? nullptr : array.getData(),
                         array.getNumBytes(), use == Use::Input);
    if (!tensor)
      return createStringError("the simulated GPU has no memory for " + name);
    return tensor;
  }
  llvm::Error fetch(void *tensor, HostArray &array) override {
    device.fetch(tensor, array.getData());
    return llvm::Error::success();
  }
  uint64_t getLiveBytes() const override { return device.getLiveBytes(); }
  SimulatedDevice *getSimulator() override { return &device; }

private:
  SimulatedDevice device;
};

/// A GPU of this machine.
class DriverDevice : public ExecutionDevice {
public:
  explicit DriverDevice(attn_gpu_context *context) : context(context) {}
  ~DriverDevice() override {
    for (void *tensor : tensors)
      context->base.free(context->base.host, tensor);
    attn_gpu_driver_destroy(context);
  }

  attn_context *getContext() override { return &context->base; }
  DLDeviceType getType() const override { return kDLCUDA; }
  Expected<void *> addTensor(StringRef name, HostArray &array,
                             Use use) override {
    void *tensor = context->base.alloc(context->base.host, array.getNumBytes(),
                                       /*align=*/256);
    if (!tensor)
      return fail(name);
    tensors.push_back(tensor);
    if (use != Use::Output &&
        attn_gpu_driver_write(context, tensor, array.getData(),
                              array.getNumBytes()))
      return fail(name);
    return tensor;
  }
  llvm::Error fetch(void *tensor, HostArray &array) override {
    if (context->read(context, array.getData(), tensor, array.getNumBytes()))
      return fail("results");
    return llvm::Error::success();
  }
  Expected<double> time(llvm::function_ref<llvm::Error()> calls) override {
    if (attn_gpu_driver_start(context))
      return fail("timer");
    if (llvm::Error error = calls())
      return std::move(error);
    double seconds = 0;
    if (attn_gpu_driver_stop(context, &seconds))
      return fail("timer");
    return seconds;
  }
  /// The driver has no count of its own stream's memory.
  uint64_t getLiveBytes() const override { return 0; }

private:
  llvm::Error fail(const llvm::Twine &what) {
    return createStringError(what + ": " + attn_error_message(&context->base));
  }

  attn_gpu_context *context;
  std::vector<void *> tensors;
};

} // namespace

Expected<double>
ExecutionDevice::time(llvm::function_ref<llvm::Error()> calls) {
  Stopwatch timer;
  if (llvm::Error error = calls())
    return std::move(error);
  return timer.getSeconds();
}

Expected<std::unique_ptr<ExecutionDevice>> attn::createHostDevice(int threads) {
  attn_context *context = attn_host_context_create(threads);
  if (!context)
    return createStringError("out of memory");
  return std::make_unique<HostDevice>(context);
}

Expected<std::unique_ptr<ExecutionDevice>>
attn::createGPUDevice(const TargetDescription &target,
                      const DeviceOptions &options) {
  if (options.simulate) {
    SimulatedDevice::Options simulation;
    simulation.threads = options.threads;
    simulation.profile = options.profile;
    simulation.sharedBytes = target.gpu->sharedBytesBlock;
    return std::make_unique<SimulatorDevice>(simulation);
  }
  char error[256];
  attn_gpu_context *context =
      attn_gpu_driver_create(/*device=*/0, error, sizeof(error));
  if (!context)
    return createStringError("target '" + target.name + "': " + error +
                             "; --simulate runs it without a GPU");
  return std::make_unique<DriverDevice>(context);
}
