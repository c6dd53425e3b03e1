//===- NVPTXBackend.cpp - Kernels for NVIDIA GPUs -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVPTXBackend.h"
#include "attn/Conversion/Host/DeviceImages.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Target/NVPTX/CodeGen.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::Expected;

static llvm::Error dumpModule(const DumpText &dump, llvm::StringRef step,
                              const llvm::Module &module) {
  return dump(step, "ll",
              [&](llvm::raw_ostream &os) { module.print(os, nullptr); });
}

/// Turns the GPU module of a lowered module into data of its host side.
static llvm::Error embedDeviceCode(mlir::ModuleOp lowered,
                                   const GPUDescription &gpu,
                                   const DumpText &dump) {
  for (auto kernels :
       llvm::to_vector(lowered.getOps<mlir::gpu::GPUModuleOp>())) {
    DeviceDump print;
    auto printStep = [&](llvm::StringRef step, const llvm::Module &module) {
      return dumpModule(dump, step, module);
    };
    if (dump)
      print = printStep;
    Expected<std::string> ptx = generatePTX(kernels, gpu, print);
    if (!ptx)
      return ptx.takeError();
    if (dump)
      if (llvm::Error error = dump("device-code", "ptx",
                                   [&](llvm::raw_ostream &os) { os << *ptx; }))
        return error;
    embedDeviceImages(lowered, {{0, std::move(*ptx)}});
    kernels.erase();
  }
  return llvm::Error::success();
}

namespace {

/// Host code of one target, with its kernels in it.
class DeviceObjectBuilder : public ObjectBuilder {
public:
  explicit DeviceObjectBuilder(std::unique_ptr<ObjectBuilder> host)
      : host(std::move(host)) {}

  llvm::Error add(mlir::ModuleOp lowered,
                  const TargetDescription &target) override {
    if (llvm::Error error = embedDeviceCode(lowered, *target.gpu, {}))
      return error;
    return host->add(lowered, getHostSide(target));
  }
  Expected<std::unique_ptr<llvm::MemoryBuffer>> finish() override {
    return host->finish();
  }

private:
  std::unique_ptr<ObjectBuilder> host;
};

} // namespace

void NVPTXBackend::registerTranslations(mlir::DialectRegistry &registry) const {
  registerDeviceTranslations(registry);
}

void NVPTXBackend::buildLoweringPipeline(mlir::OpPassManager &manager,
                                         const PlanOptions &options) const {
  buildNVPTXLoweringPipeline(manager, options);
}

/// Compiling needs no GPU; who launches kernels asks for one.
llvm::Error NVPTXBackend::checkHost(const TargetDescription &target) const {
  return host.checkHost(getHostSide(target));
}

Expected<std::unique_ptr<LoadedCode>>
NVPTXBackend::load(mlir::ModuleOp lowered, const TargetDescription &target,
                   llvm::ArrayRef<std::string> entries,
                   const DumpText &dump) const {
  if (llvm::Error error = embedDeviceCode(lowered, *target.gpu, dump))
    return std::move(error);
  return host.load(lowered, getHostSide(target), entries, dump);
}

std::unique_ptr<ObjectBuilder>
NVPTXBackend::createObjectBuilder(llvm::ArrayRef<TargetDescription> targets,
                                  llvm::ArrayRef<std::string> entries) const {
  std::vector<TargetDescription> hosts;
  for (const TargetDescription &target : targets)
    hosts.push_back(getHostSide(target));
  return std::make_unique<DeviceObjectBuilder>(
      host.createObjectBuilder(hosts, entries));
}
