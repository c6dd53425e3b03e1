//===- Route.cpp - Ops choose their routes --------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/OpList.h"
#include "attn/Support/Sizes.h"

using namespace mlir;
using namespace attn;

#include "attn/Dialect/Attn/Transforms/RouteOpInterface.cpp.inc"
#include <cmath>

Route attn::makeRoute(ScheduleAttrInterface schedule, RemarkId id) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return {schedule, {Remark(id, {{"schedule", text}})}};
}

Route attn::makeProductRoute(ScheduleAttrInterface schedule, RemarkId id,
                             const llvm::Twine &products) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return {schedule,
          {Remark(id, {{"schedule", text}, {"products", products.str()}})}};
}

std::string attn::describeProducts(Instruction instruction, int64_t parts,
                                   Type compute) {
  std::string text = "products by ";
  llvm::raw_string_ostream stream(text);
  if (instruction == Instruction::FMA)
    stream << "fused multiply-adds of " << compute;
  else
    stream << (takesTiles(instruction) ? "tiles of " : "pairs of ")
           << getNarrowType(compute.getContext(), instruction);
  if (parts > 1)
    stream << ", " << parts << " parts a number";
  return text;
}

std::string attn::describeGPUProducts(Type element) {
  std::string text = "products by ";
  llvm::raw_string_ostream stream(text);
  stream << (element.getIntOrFloatBitWidth() == 16 ? "mma.sync of "
                                                   : "fused multiply-adds of ")
         << element;
  return text;
}

bool attn::lacksPairsAlone(const TargetDescription &target) {
  return target.name == "cpu" && !target.hasAVX512BF16 &&
         hasProcessorFeature("avx512bf16");
}

Route attn::makeBaselineRoute(const TargetDescription &target) {
  return {{}, {Remark(RemarkId::NoFastVectors, {{"target", target.name}})}};
}

Route attn::makeKernellessRoute(const TargetDescription &target) {
  return {{}, {Remark(RemarkId::NoGPUKernel, {{"target", target.name}})}};
}

LinearSizes::LinearSizes(LinearOp op) {
  auto weight = cast<ShapedType>(op.getWeight().getType());
  auto output = cast<ShapedType>(op.getOutput().getType());
  unsigned in = op.getWeightInDim();
  ArrayRef<int64_t> rowDims = output.getShape().drop_back();
  rows = ShapedType::isDynamicShape(rowDims) ? ShapedType::kDynamic
                                             : countBytes(rowDims, 1);
  columns = weight.getDimSize(1 - in);
  depth = weight.getDimSize(in);
  isTransposed = in == 1;
}

Remark attn::describeLaunch(const GPUDescription &gpu, int64_t blocks,
                            const BlockNeeds &needs) {
  auto busy = std::lround(100 * getBusyShare(gpu, blocks));
  return Remark(RemarkId::LaunchShape,
                {{"blocks", std::to_string(blocks)},
                 {"warps", std::to_string(needs.warps)},
                 {"registers", std::to_string(needs.registers)},
                 {"shared", std::to_string(needs.sharedBytes)},
                 {"resident", std::to_string(countResidentBlocks(gpu, needs))},
                 {"multiprocessors", std::to_string(gpu.multiprocessors)},
                 {"busy", std::to_string(busy)}});
}

int64_t attn::getExtent(Value shaped, AffineMap map, unsigned dim) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(dim, map.getContext()))
      return cast<ShapedType>(shaped.getType()).getDimSize(i);
  return ShapedType::kDynamic;
}

namespace {

template <typename OpTy>
struct RouteModel : RouteOpInterface::ExternalModel<RouteModel<OpTy>, OpTy> {
  Route selectRoute(Operation *op, const TargetDescription &target) const {
    auto typed = cast<OpTy>(op);
    return target.gpu ? selectGPURoute(typed, target)
                      : selectCPURoute(typed, target);
  }
};

/// An op with an overload of `selectCPURoute` has routes.
template <typename OpTy>
using RouteOf = decltype(selectCPURoute(
    std::declval<OpTy>(), std::declval<const TargetDescription &>()));

} // namespace

void attn::registerRouteOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AllOps::forEach([&](auto op) {
      using OpTy = typename decltype(op)::type;
      if constexpr (llvm::is_detected<RouteOf, OpTy>::value)
        OpTy::template attachInterface<RouteModel<OpTy>>(*context);
    });
  });
}
