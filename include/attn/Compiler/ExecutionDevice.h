//===- ExecutionDevice.h - Where a compiled program runs --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_EXECUTIONDEVICE_H
#define ATTN_COMPILER_EXECUTIONDEVICE_H

#include "attn-runtime/attn_runtime.h"
#include "attn/Support/HostArray.h"
#include "attn/Target/TargetDescription.h"
#include <memory>

namespace attn {

class SimulatedDevice;

struct DeviceOptions {
  /// Threads of the host.
  int threads = 1;
  /// Let a simulator be the GPU, and count what it does.
  bool simulate = false;
  bool profile = false;
};

/// The memory that tensors lie in, and the context that entries are called
/// with.
class ExecutionDevice {
public:
  virtual ~ExecutionDevice() = default;

  virtual attn_context *getContext() = 0;
  virtual DLDeviceType getType() const = 0;

  enum class Use { Input, Output, InOut };
  /// The address by which entries know an array; null for some without
  /// elements. The array has to stay. An output holds nothing until an entry
  /// has written it.
  virtual llvm::Expected<void *> addTensor(llvm::StringRef name,
                                           HostArray &array, Use use) = 0;
  /// Brings what entries wrote at the address that addTensor gave back into its
  /// array.
  virtual llvm::Error fetch(void *tensor, HostArray &array) = 0;

  /// The seconds that the device takes for calls of entries.
  virtual llvm::Expected<double> time(llvm::function_ref<llvm::Error()> calls);

  /// Scratch memory that entries hold.
  virtual uint64_t getLiveBytes() const = 0;
  /// The simulator, if that is what the device is.
  virtual SimulatedDevice *getSimulator() { return nullptr; }
};

/// The memory of this process, and threads.
llvm::Expected<std::unique_ptr<ExecutionDevice>> createHostDevice(int threads);

/// A GPU: the first one of this machine, or the simulator.
llvm::Expected<std::unique_ptr<ExecutionDevice>>
createGPUDevice(const TargetDescription &target, const DeviceOptions &options);

} // namespace attn

#endif // ATTN_COMPILER_EXECUTIONDEVICE_H
