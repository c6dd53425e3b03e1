//===- OutlineParallel.cpp - Parallel loops become functions --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Host/FlushDenormals.h"
#include "../Host/ParallelRuntime.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Transforms/RegionUtils.h"

namespace attn {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The struct that parent and tasks share: context, status, captured values.
enum SharedField : int32_t { kContext, kStatus, kFirstCapture };

/// Outlines one scf.forall without results.
class Outliner {
public:
  Outliner(scf::ForallOp forall, func::FuncOp parent, Value context,
           unsigned number, const TargetDescription &target)
      : forall(forall), parent(parent), context(context), target(target),
        module(parent->getParentOfType<ModuleOp>()), loc(forall.getLoc()),
        rewriter(forall.getContext()), converter(forall.getContext()),
        pointerType(LLVM::LLVMPointerType::get(forall.getContext())),
        suffix(std::to_string(number)) {}

  LogicalResult run();

private:
  SmallVector<Value> computeCounts();
  void collectCaptures();
  func::FuncOp createFunction(StringRef kind, FunctionType type);
  void buildBody(func::FuncOp body);
  func::FuncOp buildTask(func::FuncOp body);
  Value getField(Value shared, int32_t index);
  Value createShared();
  Value cast(Type type, Value value) {
    return value.getType() == type
               ? value
               : UnrealizedConversionCastOp::create(rewriter, loc, type, value)
                     .getResult(0);
  }

  scf::ForallOp forall;
  func::FuncOp parent;
  Value context;
  const TargetDescription &target;
  ModuleOp module;
  Location loc;
  IRRewriter rewriter;
  LLVMTypeConverter converter;
  Type pointerType;
  std::string suffix;
  /// Values of the parent the body needs: lower bounds, steps and counts of the
  /// loops, then what it captures.
  SmallVector<Value> captures;
  Type sharedType;
};

/// The number of iterations of each loop, never negative.
SmallVector<Value> Outliner::computeCounts() {
  SmallVector<Value> counts;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  for (auto [low, high, step] :
       llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                 forall.getMixedStep())) {
    Value lowValue = getValueOrCreateConstantIndexOp(rewriter, loc, low);
    Value highValue = getValueOrCreateConstantIndexOp(rewriter, loc, high);
    Value stepValue = getValueOrCreateConstantIndexOp(rewriter, loc, step);
    Value span = arith::SubIOp::create(rewriter, loc, highValue, lowValue);
    Value count = arith::CeilDivSIOp::create(rewriter, loc, span, stepValue);
    counts.push_back(arith::MaxSIOp::create(rewriter, loc, count, zero));
    captures.append({lowValue, stepValue, counts.back()});
  }
  return counts;
}

func::FuncOp Outliner::createFunction(StringRef kind, FunctionType type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(parent);
  auto function = func::FuncOp::create(
      rewriter, loc, (parent.getName() + "__" + kind + suffix).str(), type);
  setInternalLinkage(function);
  function.addEntryBlock();
  return function;
}

/// Clones the constants the region uses into it; collects what else it uses
/// from outside.
void Outliner::collectCaptures() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forall.getBody());
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    bool isConstant = op && (op->hasTrait<OpTrait::ConstantLike>() ||
                             isa<memref::GetGlobalOp>(op));
    if (!isConstant) {
      captures.push_back(value);
      continue;
    }
    Value clone = rewriter.clone(*op)->getResult(0);
    replaceAllUsesInRegionWith(value, clone, forall.getRegion());
  }
}

/// body(context, i, captures...) -> status.
void Outliner::buildBody(func::FuncOp body) {
  Block *entry = &body.getBody().front();
  rewriter.setInsertionPointToStart(entry);
  unsigned rank = forall.getRank();
  Value rest = entry->getArgument(1);
  SmallVector<Value> indices(rank);
  for (unsigned d = rank; d-- > 0;) {
    Value low = entry->getArgument(2 + 3 * d);
    Value step = entry->getArgument(3 + 3 * d);
    Value count = entry->getArgument(4 + 3 * d);
    Value position = rest;
    if (d != 0) {
      position = arith::RemUIOp::create(rewriter, loc, rest, count);
      rest = arith::DivUIOp::create(rewriter, loc, rest, count);
    }
    position = arith::MulIOp::create(rewriter, loc, position, step);
    indices[d] = arith::AddIOp::create(rewriter, loc, position, low);
  }
  rewriter.eraseOp(forall.getBody()->getTerminator());
  for (auto [capture, argument] :
       llvm::zip(ArrayRef(captures).drop_front(3 * rank),
                 entry->getArguments().drop_front(2 + 3 * rank)))
    replaceAllUsesInRegionWith(capture, argument, forall.getRegion());
  rewriter.inlineBlockBefore(forall.getBody(), entry, entry->end(), indices);
  rewriter.setInsertionPointToEnd(entry);
  Value ok = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  func::ReturnOp::create(rewriter, loc, ok);
  setNoInline(body);
}

Value Outliner::getField(Value shared, int32_t index) {
  return LLVM::GEPOp::create(rewriter, loc, pointerType, sharedType, shared,
                             ArrayRef<LLVM::GEPArg>{0, index});
}

/// task(shared, i): unpacks the struct and calls the body.
func::FuncOp Outliner::buildTask(func::FuncOp body) {
  Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
  func::FuncOp task =
      createFunction("task", rewriter.getFunctionType({pointerType, i64}, {}));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&task.getBody().front());
  Value shared = task.getArgument(0);
  SmallVector<Value> arguments;
  arguments.push_back(LLVM::LoadOp::create(rewriter, loc, pointerType,
                                           getField(shared, kContext)));
  arguments.push_back(cast(rewriter.getIndexType(), task.getArgument(1)));
  for (auto [i, capture] : llvm::enumerate(captures)) {
    Type type = capture.getType();
    Value field = LLVM::LoadOp::create(
        rewriter, loc, converter.convertType(type),
        getField(shared, kFirstCapture + static_cast<int32_t>(i)));
    arguments.push_back(cast(type, field));
  }
  Value saved = createFlushDenormals(rewriter, loc, target);
  Value status =
      func::CallOp::create(rewriter, loc, body, arguments).getResult(0);
  createRestoreDenormals(rewriter, loc, saved);
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  Value failed = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                                       status, zero);
  scf::IfOp::create(rewriter, loc, failed, [&](OpBuilder &builder, Location) {
    // Several tasks may fail at once.
    LLVM::StoreOp::create(builder, loc, status, getField(shared, kStatus),
                          i32.getIntOrFloatBitWidth() / 8,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::monotonic);
    scf::YieldOp::create(builder, loc);
  });
  rewriter.setInsertionPointToEnd(&task.getBody().front());
  func::ReturnOp::create(rewriter, loc);
  return task;
}

/// A struct on the parent's stack, filled where the loop was.
Value Outliner::createShared() {
  Value shared;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&parent.getBody().front());
    Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                         rewriter.getI64IntegerAttr(1));
    shared =
        LLVM::AllocaOp::create(rewriter, loc, pointerType, sharedType, one);
  }
  LLVM::StoreOp::create(rewriter, loc, context, getField(shared, kContext));
  Value ok = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  LLVM::StoreOp::create(rewriter, loc, ok, getField(shared, kStatus));
  for (auto [i, capture] : llvm::enumerate(captures))
    LLVM::StoreOp::create(
        rewriter, loc, cast(converter.convertType(capture.getType()), capture),
        getField(shared, kFirstCapture + static_cast<int32_t>(i)));
  return shared;
}

LogicalResult Outliner::run() {
  rewriter.setInsertionPoint(forall);
  SmallVector<Value> counts = computeCounts();
  collectCaptures();
  SmallVector<Type> bodyTypes{pointerType, rewriter.getIndexType()};
  SmallVector<Type> fields{pointerType, rewriter.getI32Type()};
  for (Value capture : captures) {
    bodyTypes.push_back(capture.getType());
    fields.push_back(converter.convertType(capture.getType()));
    if (!fields.back())
      return forall.emitError()
             << "captures a value of type " << capture.getType()
             << ", which has no place in memory; bufferize first";
  }
  sharedType = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), fields);

  func::FuncOp body = createFunction(
      "body", rewriter.getFunctionType(bodyTypes, rewriter.getI32Type()));
  buildBody(body);
  func::FuncOp task = buildTask(body);

  rewriter.setInsertionPoint(forall);
  Value total = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (Value count : counts)
    total = arith::MulIOp::create(rewriter, loc, total, count);
  Value shared = createShared();
  Value address = func::ConstantOp::create(
      rewriter, loc, task.getFunctionType(), task.getName());
  createRunParallel(rewriter, loc, module, context, cast(pointerType, address),
                    shared, cast(rewriter.getI64Type(), total));
  Value status = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(),
                                      getField(shared, kStatus));
  createReturnIfFailed(rewriter, loc, module, status);
  rewriter.eraseOp(forall);
  return success();
}

struct OutlineParallelPass
    : impl::OutlineParallelPassBase<OutlineParallelPass> {
  using OutlineParallelPassBase::OutlineParallelPassBase;

  /// Turns the loops inside `forall` into scf.for.
  LogicalResult serialiseNested(scf::ForallOp forall) {
    SmallVector<scf::ForallOp> nested;
    forall.getBody()->walk([&](scf::ForallOp op) { nested.push_back(op); });
    for (scf::ForallOp op : nested) {
      IRRewriter rewriter(op);
      if (failed(scf::forallToForLoop(rewriter, op)))
        return failure();
    }
    return success();
  }

  LogicalResult outlineIn(func::FuncOp func, const TargetDescription &target) {
    SmallVector<scf::ForallOp> loops;
    func.walk<WalkOrder::PreOrder>([&](scf::ForallOp op) {
      loops.push_back(op);
      return WalkResult::skip();
    });
    if (loops.empty())
      return success();
    FailureOr<Value> context = getContextArgument(func);
    if (failed(context))
      return failure();
    for (auto [i, loop] : llvm::enumerate(loops)) {
      if (loop.getNumResults() != 0)
        return loop.emitError("still yields tensors; bufferize first");
      if (failed(serialiseNested(loop)) ||
          failed(Outliner(loop, func, *context, i, target).run()))
        return failure();
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetDescription target = readTarget(module);
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (failed(outlineIn(func, target)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace attn
