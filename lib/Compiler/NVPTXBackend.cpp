//===- NVPTXBackend.cpp - Kernels for NVIDIA GPUs -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVPTXBackend.h"
#include "attn/Conversion/Host/DeviceImages.h"
#include "attn/Conversion/Host/LaunchRecord.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Target/NVPTX/CodeGen.h"
#include "attn/Target/NVPTX/Ptxas.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::Expected;

static llvm::Error dumpModule(const DumpText &dump, llvm::StringRef step,
                              const llvm::Module &module) {
  return dump(step, "ll",
              [&](llvm::raw_ostream &os) { module.print(os, nullptr); });
}

/// What the module's kernels are for LLVM, and for ptxas where it is asked for
/// and there.
static Expected<DeviceCode> generateCode(mlir::Operation *kernels,
                                         const GPUDescription &gpu,
                                         const DumpText &dump, bool assembles) {
  DeviceDump print;
  auto printStep = [&](llvm::StringRef step, const llvm::Module &module) {
    return dumpModule(dump, step, module);
  };
  if (dump)
    print = printStep;
  Expected<std::string> ptx = generatePTX(kernels, gpu, print);
  if (!ptx)
    return ptx.takeError();
  DeviceCode code;
  code.arch = gpu.arch.str();
  code.ptxVersion = gpu.ptxVersion;
  code.ptx = std::move(*ptx);
  std::optional<std::string> ptxas = assembles ? findPtxas() : std::nullopt;
  if (ptxas)
    if (llvm::Error error = assemble(code, *ptxas))
      return std::move(error);
  return code;
}

/// Turns the GPU module of a lowered module, if it has one, into data of its
/// host side.
static Expected<DeviceCode> embedDeviceCode(mlir::ModuleOp lowered,
                                            const GPUDescription &gpu,
                                            const DumpText &dump,
                                            bool assembles) {
  DeviceCode code;
  for (auto kernels :
       llvm::to_vector(lowered.getOps<mlir::gpu::GPUModuleOp>())) {
    auto made = generateCode(kernels, gpu, dump, assembles);
    if (!made)
      return made.takeError();
    code = std::move(*made);
    code.launches = getLaunchRecords(kernels);
    if (dump)
      if (llvm::Error error =
              dump("device-code", "ptx",
                   [&](llvm::raw_ostream &os) { os << code.ptx; }))
        return std::move(error);
    std::vector<DeviceImage> images;
    if (!code.cubin.empty())
      images.push_back({gpu.sm, code.cubin});
    images.push_back({0, code.ptx});
    embedDeviceImages(lowered, images);
    kernels.erase();
  }
  return code;
}

namespace {

/// Host code of one target, with its kernels in it.
class DeviceObjectBuilder : public ObjectBuilder {
public:
  explicit DeviceObjectBuilder(std::unique_ptr<ObjectBuilder> host)
      : host(std::move(host)) {}

  llvm::Error add(mlir::ModuleOp lowered,
                  const TargetDescription &target) override {
    auto made = embedDeviceCode(lowered, *target.gpu, {}, /*assembles=*/true);
    if (!made)
      return made.takeError();
    code = std::move(*made);
    return host->add(lowered, getHostSide(target));
  }
  Expected<std::unique_ptr<llvm::MemoryBuffer>> finish() override {
    return host->finish();
  }
  const DeviceCode *getDeviceCode() const override { return &code; }

private:
  DeviceCode code;
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

Expected<std::unique_ptr<ExecutionDevice>>
NVPTXBackend::createDevice(const TargetDescription &target,
                           const DeviceOptions &options) const {
  return createGPUDevice(target, options);
}

Expected<std::unique_ptr<LoadedCode>>
NVPTXBackend::load(mlir::ModuleOp lowered, const TargetDescription &target,
                   llvm::ArrayRef<std::string> entries,
                   const ObjectLoader &loader, const DumpText &dump) const {
  auto code = embedDeviceCode(lowered, *target.gpu, dump, /*assembles=*/false);
  if (!code)
    return code.takeError();
  return host.load(lowered, getHostSide(target), entries, loader, dump);
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
