//===- Target.cpp - What a module is compiled for -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Target.h"

#include "attn/Dialect/Attn/IR/Attn.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

/// Schedules are chosen by these numbers, and their own numbers have bounds
/// (ScheduleLimits.h): from two f64 to 64 f32 a vector, registers for some
/// accumulators beside operands, caches of up to 1 GB.
constexpr int64_t kLeastVectorBits = 128, kMostVectorBits = 2048;
constexpr int64_t kLeastRegisters = 8, kMostRegisters = 32;
constexpr int64_t kLeastCache = 1024, kMostCache = int64_t(1) << 30;
constexpr int64_t kMostThreads = 1 << 20;

/// The GPU that one of these features names, or null.
static const GPUDescription *findNamedGPU(ArrayAttr features) {
  for (auto feature : features.getAsRange<StringAttr>())
    if (const GPUDescription *gpu = attn::findGPU(feature.getValue()))
      return gpu;
  return nullptr;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 TargetKind kind, StringRef name,
                                 StringRef triple, ArrayAttr features,
                                 int64_t vectorBits, int64_t registers,
                                 int64_t l1, int64_t l2, int64_t threads) {
  auto isWithin = [&](StringRef what, int64_t value, int64_t least,
                      int64_t most) -> LogicalResult {
    if (value >= least && value <= most)
      return success();
    return emitError() << "a target's " << what << " must be from " << least
                       << " to " << most << ", got " << value;
  };
  if (!llvm::all_of(features, llvm::IsaPred<StringAttr>))
    return emitError() << "a target's features must be strings, got "
                       << features;
  if (failed(isWithin("vectorBits", vectorBits, kLeastVectorBits,
                      kMostVectorBits)) ||
      failed(
          isWithin("registers", registers, kLeastRegisters, kMostRegisters)) ||
      failed(isWithin("l1", l1, kLeastCache, kMostCache)) ||
      failed(isWithin("l2", l2, kLeastCache, kMostCache)) ||
      failed(isWithin("threads", threads, 0, kMostThreads)))
    return failure();
  if (kind == TargetKind::NVPTX && !findNamedGPU(features))
    return emitError() << "none of a target's features is the architecture of "
                          "a GPU: "
                       << features;
  if (!llvm::isPowerOf2_64(vectorBits))
    return emitError() << "a target's vectorBits must be a power of two, got "
                       << vectorBits;
  return success();
}

static TargetDescription describe(TargetAttr attribute) {
  TargetDescription target;
  target.name = attribute.getName().str();
  target.triple = attribute.getTriple().str();
  std::vector<std::string> features;
  for (auto feature : attribute.getFeatures().getAsRange<StringAttr>())
    features.push_back(feature.str());
  target.setFeatures(std::move(features));
  target.vectorBits = static_cast<unsigned>(attribute.getVectorBits());
  target.numVectorRegisters = static_cast<unsigned>(attribute.getRegisters());
  target.l1Bytes = attribute.getL1();
  target.l2Bytes = attribute.getL2();
  target.threads = attribute.getThreads();
  if (attribute.getKind() == TargetKind::NVPTX)
    target.gpu = *findNamedGPU(attribute.getFeatures());
  return target;
}

TargetDescription attn::readTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attribute = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return describe(attribute);
  return getHostTargetDescription();
}

/// The tile unit has no sums that leave terms out: those are of pairs.
bool attn::canMultiply(const TargetDescription &target,
                       Instruction instruction) {
  switch (instruction) {
  case Instruction::FMA:
    return true;
  case Instruction::BF16Pairs:
    return target.hasAVX512BF16;
  case Instruction::BF16Tiles:
    return target.hasAVX512BF16 && target.hasAMXBF16;
  case Instruction::F16Tiles:
    return target.hasAMXF16;
  }
  llvm_unreachable("no such instruction");
}

LogicalResult attn::setTarget(ModuleOp module,
                              const TargetDescription &target) {
  MLIRContext *context = module.getContext();
  auto features =
      llvm::map_to_vector(target.features, [&](const std::string &feature) {
        return Attribute(StringAttr::get(context, feature));
      });
  auto emitError = [&] { return module.emitError(); };
  function_ref<InFlightDiagnostic()> error = emitError;
  // Of these types: others would choose a template that needs the storage.
  auto attribute = TargetAttr::getChecked(
      error, context, target.gpu ? TargetKind::NVPTX : TargetKind::CPU,
      StringRef(target.name), StringRef(target.triple),
      ArrayAttr::get(context, features), int64_t(target.vectorBits),
      int64_t(target.numVectorRegisters), target.l1Bytes, target.l2Bytes,
      target.threads);
  if (!attribute)
    return failure();
  module->setAttr(kTargetAttrName, attribute);
  return success();
}
