//===- ConfigureTiles.cpp - The tile unit, around what uses it ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Math/AMX.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {
#define GEN_PASS_DEF_CONFIGURETILESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

constexpr StringRef kConfigurationName = "attn.tile_configuration";

/// Whether other functions run within `op`, which may configure the unit for
/// themselves: calls, and parallel loops, of which the bodies are such
/// functions. Inside of one, `isBody`, loops are part of it.
bool runsOthers(Operation *op, bool isBody) {
  return op
      ->walk([&](Operation *inner) {
        bool isOther =
            isa<func::CallOp>(inner) || (!isBody && isa<scf::ForallOp>(inner));
        return isOther ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether tiles are used within `op`, but for bodies of parallel loops where
/// these are functions of their own.
bool usesTilesWithin(Operation *op, bool isBody) {
  return op
      ->walk<WalkOrder::PreOrder>([&](Operation *inner) {
        if (!isBody && isa<scf::ForallOp>(inner))
          return WalkResult::skip();
        return amx::usesTiles(inner) ? WalkResult::interrupt()
                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

class Configurer {
public:
  explicit Configurer(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  /// Puts a configuration around each run of ops of `block` that use tiles,
  /// as long as it can be.
  void configure(Block &block, bool isBody);

private:
  void configureRun(Operation *first, Operation *last);
  LLVM::GlobalOp getConfiguration();

  ModuleOp module;
  OpBuilder builder;
  LLVM::GlobalOp configuration;
};

} // namespace

LLVM::GlobalOp Configurer::getConfiguration() {
  if (configuration)
    return configuration;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  SmallVector<char> bytes = amx::getConfiguration();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  configuration = LLVM::GlobalOp::create(
      builder, module.getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, kConfigurationName,
      builder.getStringAttr(StringRef(bytes.data(), bytes.size())));
  return configuration;
}

void Configurer::configureRun(Operation *first, Operation *last) {
  builder.setInsertionPoint(first);
  Value address =
      LLVM::AddressOfOp::create(builder, first->getLoc(), getConfiguration());
  amx::emitConfigure(builder, first->getLoc(), address);
  builder.setInsertionPointAfter(last);
  amx::emitRelease(builder, last->getLoc());
}

void Configurer::configure(Block &block, bool isBody) {
  Operation *first = nullptr, *last = nullptr;
  auto end = [&] {
    if (first)
      configureRun(first, last);
    first = last = nullptr;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool usesTiles = usesTilesWithin(&op, isBody);
    if (!runsOthers(&op, isBody)) {
      if (usesTiles) {
        first = first ? first : &op;
        last = &op;
      }
      continue;
    }
    end();
    bool entersBody = !isBody && isa<scf::ForallOp>(op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        configure(inner, isBody || entersBody);
  }
  end();
}

namespace {

struct ConfigureTilesPass : impl::ConfigureTilesPassBase<ConfigureTilesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Configurer configurer(module);
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
      for (Block &block : func.getBody())
        configurer.configure(block, /*isBody=*/false);
  }
};

} // namespace
} // namespace attn
