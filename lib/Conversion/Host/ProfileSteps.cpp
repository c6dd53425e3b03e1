//===- ProfileSteps.cpp - Kernels count what their steps take -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Host/Profile.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attn {
#define GEN_PASS_DEF_PROFILESTEPSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

std::vector<attn::ProfiledStep> attn::readProfiledSteps(ModuleOp module) {
  std::vector<ProfiledStep> steps;
  if (auto array = module->getAttrOfType<ArrayAttr>(kStepsAttr))
    for (auto step : array.getAsRange<ArrayAttr>())
      steps.push_back(
          {cast<StringAttr>(step[0]).str(), cast<StringAttr>(step[1]).str()});
  return steps;
}

namespace attn {
namespace {

constexpr llvm::StringLiteral kCounts = "attn.step_counts";

/// What attn-name-steps wrote, and where the first of it stands.
ProfiledStep describe(Operation *op) {
  llvm::SetVector<StringRef> names;
  ProfiledStep step;
  op->getLoc()->walk([&](Location location) {
    if (auto name = dyn_cast<NameLoc>(location);
        name && name.getName().strref().contains('.'))
      names.insert(name.getName());
    auto place = dyn_cast<FileLineColLoc>(location);
    if (place && step.location.empty())
      step.location =
          (place.getFilename().strref() + ":" + Twine(place.getLine())).str();
    return WalkResult::advance();
  });
  step.name = names.empty() ? op->getName().getStringRef().str()
                            : llvm::join(names.getArrayRef(), " + ");
  return step;
}

class StepProfiler {
public:
  explicit StepProfiler(ModuleOp module)
      : module(module), builder(module.getContext()), i64(builder.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        isAArch64(readTarget(module).isAArch64()) {}

  void run();

private:
  void findSteps(Region &region);
  bool isStep(Operation *op) const;
  void count(Operation *op, unsigned step);
  Value readTicks(Location loc);
  void add(Location loc, unsigned place, Value amount);
  void createCounts();
  void createFunction();

  ModuleOp module;
  OpBuilder builder;
  Type i64, pointer;
  bool isAArch64;
  LLVM::GlobalOp counts;
  /// Both forms of a kernel count as one.
  llvm::MapVector<Attribute, SmallVector<Operation *>> steps;
};

/// Whether an op computes much, by loops of its own or in a shared function.
bool StepProfiler::isStep(Operation *op) const {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    return callee && !callee.isExternal();
  }
  return isa<scf::ForallOp, scf::ParallelOp, scf::ForOp, scf::WhileOp,
             linalg::LinalgOp, memref::CopyOp>(op);
}

void StepProfiler::findSteps(Region &region) {
  for (Operation &op : region.getOps()) {
    auto call = dyn_cast<func::CallOp>(op);
    if (call && call.getCallee().ends_with(getUnitFunctionName("")))
      continue;
    if (isStep(&op)) {
      ProfiledStep step = describe(&op);
      Attribute key = builder.getStrArrayAttr({step.name, step.location});
      steps[key].push_back(&op);
    } else if (isa<scf::IfOp, scf::ExecuteRegionOp>(op)) {
      for (Region &inner : op.getRegions())
        findSteps(inner);
    }
  }
}

/// Programs may not read the cycles of an AArch64, but its clock, for which
/// LLVM has no intrinsic.
Value StepProfiler::readTicks(Location loc) {
  if (isAArch64)
    return LLVM::InlineAsmOp::create(
               builder, loc, i64, ValueRange(), "mrs $0, CNTVCT_EL0", "=r",
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  return LLVM::CallIntrinsicOp::create(
             builder, loc, i64, builder.getStringAttr("llvm.readcyclecounter"),
             ValueRange())
      .getResult(0);
}

void StepProfiler::add(Location loc, unsigned place, Value amount) {
  Value base = LLVM::AddressOfOp::create(builder, loc, counts);
  Value slot = LLVM::GEPOp::create(builder, loc, pointer, i64, base,
                                   LLVM::GEPArg(static_cast<int32_t>(place)));
  Value before = LLVM::LoadOp::create(builder, loc, i64, slot);
  Value sum = LLVM::AddOp::create(builder, loc, before, amount);
  LLVM::StoreOp::create(builder, loc, sum, slot);
}

void StepProfiler::count(Operation *op, unsigned step) {
  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  Value begin = readTicks(loc);
  builder.setInsertionPointAfter(op);
  Value end = readTicks(loc);
  add(loc, 2 * step, LLVM::SubOp::create(builder, loc, end, begin));
  add(loc, 2 * step + 1,
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(1)));
}

void StepProfiler::createCounts() {
  int64_t size = 2 * std::max<int64_t>(steps.size(), 1);
  builder.setInsertionPointToStart(module.getBody());
  counts = LLVM::GlobalOp::create(
      builder, module.getLoc(), LLVM::LLVMArrayType::get(i64, size),
      /*isConstant=*/false, LLVM::Linkage::Internal, kCounts,
      builder.getZeroAttr(RankedTensorType::get({size}, i64)));
}

void StepProfiler::createFunction() {
  Location loc = module.getLoc();
  builder.setInsertionPointToEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kStepCountsFunction,
      LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer}));
  Block *block = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  Value address = LLVM::AddressOfOp::create(builder, loc, counts);
  LLVM::StoreOp::create(builder, loc, address, block->getArgument(0));
  Value good = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                        builder.getI32IntegerAttr(0));
  LLVM::ReturnOp::create(builder, loc, good);
}

void StepProfiler::run() {
  for (auto function : module.getOps<func::FuncOp>())
    if (isEntryCandidate(function) ||
        function.getName().ends_with(getUnitFunctionName("")))
      findSteps(function.getBody());
  createCounts();
  SmallVector<Attribute> names;
  for (auto [number, step] : llvm::enumerate(steps)) {
    for (Operation *op : step.second)
      count(op, static_cast<unsigned>(number));
    names.push_back(step.first);
  }
  createFunction();
  module->setAttr(kStepsAttr, builder.getArrayAttr(names));
}

struct ProfileStepsPass : impl::ProfileStepsPassBase<ProfileStepsPass> {
  void runOnOperation() override { StepProfiler(getOperation()).run(); }
};

} // namespace
} // namespace attn
