//===- SimulatedDevice.h - A GPU that is the PTX simulator ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attn_gpu_context whose device is lib/PTXSim: the host code that a user's
// program links runs here as it is, and what it does wrong with its kernels is
// found as well as what the kernels do wrong. No MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUNTIME_SIMULATEDDEVICE_H
#define ATTN_RUNTIME_SIMULATEDDEVICE_H

#include "attn-ptxsim/PTXSim.h"
#include "attn-runtime/attn_gpu.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace attn {

/// One launch and what the simulator says of it.
struct SimulatedLaunch {
  std::string kernel;
  ptx::Dim3 grid, block;
  uint64_t dynamicShared = 0;
  ptx::Report report;
};

class SimulatedDevice {
public:
  struct Options {
    ptx::Schedule schedule;
    unsigned threads = 1; ///< Host threads of a launch; 0: all.
    bool profile = false;
    bool checkRaces = true;
    uint64_t maxSeconds = 600; ///< Of one launch.
    /// Dynamic shared memory that a block can have; a launch with more fails.
    uint64_t sharedBytes = 232448;
  };

  explicit SimulatedDevice(const Options &options);
  ~SimulatedDevice();
  SimulatedDevice(const SimulatedDevice &) = delete;
  SimulatedDevice &operator=(const SimulatedDevice &) = delete;

  /// For entries. Each launch runs at once, within the call.
  attn_gpu_context *getContext() { return &context; }

  /// Device memory with a copy of what is at `host`; without a `host`, memory
  /// that holds no value until a kernel writes it. Null where there is none.
  /// The address is for entries to count with: nothing on the host can read it.
  void *addTensor(llvm::StringRef name, const void *host, size_t bytes,
                  bool readOnly);
  /// Copies a tensor back. Bytes that nothing has written are a finding.
  void fetch(const void *device, void *host);
  /// Copies from the host into memory of the device: ATTN_OK, or a code and a
  /// text where it does not lie there.
  int write(void *device, const void *host, size_t bytes);
  /// Whether an address may be one of device memory, or near it.
  bool owns(uint64_t address) const;

  llvm::ArrayRef<SimulatedLaunch> getLaunches() const { return launches; }
  /// What the host did with the device that it must not.
  llvm::ArrayRef<std::string> getHostFindings() const { return hostFindings; }
  /// Findings of launches, with kernel and PTX line, and those of the host.
  std::vector<std::string> describeFindings() const;
  /// Those since the last call, of launches that are forgotten with them.
  std::vector<std::string> takeFindings();
  /// Scratch that entries have not given back.
  uint64_t getLiveBytes() const;

  /// The module is gone, and another one may have its address.
  void forget(const attn_gpu_module *module) { modules.erase(module); }
  /// Forgets memory, launches and findings, not the parsed PTX.
  void restart(ptx::Schedule schedule);

private:
  /// Memory at [address, address + data.size()); once it is freed, only its
  /// place and its name.
  struct Memory {
    std::string name;
    uint64_t address = 0, bytes = 0;
    bool readOnly = false, isScratch = false, isFreed = false;
    std::vector<uint8_t> data, defined;
  };
  struct LaunchBuilder;

  static SimulatedDevice &of(attn_gpu_context *context) {
    return *static_cast<SimulatedDevice *>(context->base.host);
  }
  void *allocate(std::string name, size_t bytes, bool isScratch);
  void release(void *address);
  int fail(const std::string &message);
  int launch(const attn_gpu_kernel *kernel, const uint32_t grid[3],
             uint32_t shared, void **parameters);
  int encode(void *map, const attn_gpu_tensor *tensor);
  int read(void *host, const void *device, size_t bytes);
  /// The `bytes` bytes at `device`, or null and a text.
  Memory *findBytes(llvm::StringRef call, const void *device, size_t bytes,
                    uint64_t &first);
  /// The module's PTX, parsed when it is first needed; null after an error.
  const ptx::Module *getModule(const attn_gpu_module *module);
  /// The memory that an address belongs to, if only by lying behind its end;
  /// null far from everything.
  Memory *find(uint64_t address);
  bool checkDefined(const Memory &memory, uint64_t first, uint64_t bytes,
                    llvm::StringRef reader);

  Options options;
  attn_gpu_context context;
  /// Addresses that no mapping of this process has, and that it cannot use.
  void *reserved = nullptr;
  uint64_t reservedBytes = 0, next = 0;
  std::map<uint64_t, Memory> memories; ///< By address; freed ones stay.
  std::map<const attn_gpu_module *, ptx::Module> modules;
  std::vector<attn_gpu_tensor> maps; ///< By the number that a map holds.
  std::vector<SimulatedLaunch> launches;
  std::vector<std::string> hostFindings;
};

} // namespace attn

#endif // ATTN_RUNTIME_SIMULATEDDEVICE_H
