//===- PlaceScratch.cpp - Where temporary buffers live --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/MemRefMemory.h"
#include "DeviceScratch.h"
#include "ErrorText.h"
#include "ParallelRuntime.h"
#include "ScratchRuntime.h"
#include "attn-runtime/attn_runtime.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Remarks/InputError.h"
#include "attn/Remarks/Remarks.h"
#include "attn/Support/Sizes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace attn {
#define GEN_PASS_DEF_PLACESCRATCHPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Beyond this, a body's scratch comes from the context: threads of hosts may
/// have small stacks.
constexpr int64_t kStackBudget = 64 * 1024;

/// Bytes of a memref of static shape with identity layout, or the largest
/// number.
int64_t getStaticBytes(MemRefType type) {
  return countBytes(type.getShape(), getElementBytes(type.getElementType()));
}

/// Whether scratch of this type fits an address space.
LogicalResult checkBytes(Operation *op, MemRefType type) {
  if (!type.hasStaticShape() || getStaticBytes(type) <= kAddressableBytes)
    return success();
  return emitInputError(op)
         << "this needs scratch memory of "
         << printBytes(type.getShape(), getElementBytes(type.getElementType()))
         << " bytes, more than the " << kAddressableBytes
         << " that a process can address: make its sizes dynamic, or smaller";
}

/// True if the buffer, or a view of it, becomes a block argument: then several
/// of its lives may be in use at once.
bool reachesBranch(Value memref) {
  for (Operation *user : memref.getUsers()) {
    if (isa<BranchOpInterface>(user))
      return true;
    if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp>(user))
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()) && reachesBranch(result))
          return true;
  }
  return false;
}

/// Places the scratch of one function and gives it its early exits.
class Placer {
public:
  Placer(func::FuncOp func, Value context, bool onDevice)
      : func(func), context(context), onDevice(onDevice),
        module(func->getParentOfType<ModuleOp>()), builder(func.getContext()),
        converter(func.getContext()),
        pointerType(LLVM::LLVMPointerType::get(func.getContext())) {}

  LogicalResult run();

private:
  LogicalResult checkSizes();
  /// Returns the bytes that are on the stack now.
  int64_t placeOnStack();
  void moveOffStack();
  void remarkScratch(int64_t stackBytes);
  LogicalResult placeInContext();
  void createExit();
  void createList();
  LogicalResult replaceAlloc(memref::AllocOp alloc);
  Value computeBytes(memref::AllocOp alloc, SmallVectorImpl<Value> &sizes);
  Value buildMemRef(memref::AllocOp alloc, Value pointer,
                    ArrayRef<Value> sizes);
  void replaceDealloc(memref::DeallocOp dealloc);
  void leaveIfFailed(func::CallOp marker);
  void reportAssertion(cf::AssertOp assertion);
  void leaveIfFalse(cf::AssertOp assertion);
  SmallVector<Value> getResultsOf(Location loc, Value status);
  /// Ends the block before `op` and continues in the returned one if `ok`,
  /// else leaves the function with `status`.
  void leaveUnless(Operation *op, Value ok, Value status);

  Value cast(Location loc, Type type, Value value) {
    return UnrealizedConversionCastOp::create(builder, loc, type, value)
        .getResult(0);
  }
  Value i64(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
  }

  func::FuncOp func;
  Value context;
  /// Scratch is memory of a GPU, which a stack is not.
  bool onDevice;
  ModuleOp module;
  OpBuilder builder;
  LLVMTypeConverter converter;
  Type pointerType;
  /// Where the head of the list of live allocations is on the stack; null in
  /// functions that allocate nothing.
  Value list;
  /// Frees what is live and returns its arguments.
  Block *exit = nullptr;
};

LogicalResult Placer::checkSizes() {
  auto result = func.walk([](Operation *op) {
    bool isScratch = isa<memref::AllocOp, memref::AllocaOp>(op);
    if (isScratch && failed(checkBytes(op, llvm::cast<MemRefType>(
                                               op->getResult(0).getType()))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

int64_t Placer::placeOnStack() {
  SmallVector<memref::AllocaOp> given;
  SmallVector<memref::AllocOp> candidates;
  func.walk([&](memref::AllocaOp op) { given.push_back(op); });
  func.walk([&](memref::AllocOp op) {
    if (op.getType().hasStaticShape() && !reachesBranch(op))
      candidates.push_back(op);
  });
  Block *entry = &func.getBody().front();
  int64_t total = 0;
  for (memref::AllocaOp op : given) {
    if (!op.getType().hasStaticShape())
      continue;
    // In a loop it would grow the stack with each iteration.
    op->moveBefore(entry, entry->begin());
    int64_t bytes = getStaticBytes(op.getType());
    if (bytes <= kStackBudget - total) {
      total += bytes;
      continue;
    }
    builder.setInsertionPointToStart(entry);
    Value scratch = memref::AllocOp::create(builder, op.getLoc(), op.getType());
    op.replaceAllUsesWith(scratch);
    op.erase();
  }
  for (memref::AllocOp op : candidates) {
    int64_t bytes =
        llvm::alignTo(getStaticBytes(op.getType()), kScratchAlignment);
    if (bytes > kStackBudget - total)
      continue;
    total += bytes;
    builder.setInsertionPointToStart(entry);
    Value stack =
        memref::AllocaOp::create(builder, op.getLoc(), op.getType(),
                                 builder.getI64IntegerAttr(kScratchAlignment));
    op.replaceAllUsesWith(stack);
    op.erase();
  }
  SmallVector<memref::DeallocOp> deallocs;
  func.walk([&](memref::DeallocOp op) {
    if (getMemoryRoot(op.getMemref()).getDefiningOp<memref::AllocaOp>())
      deallocs.push_back(op);
  });
  for (memref::DeallocOp op : deallocs)
    op.erase();
  return total;
}

void Placer::moveOffStack() {
  func.walk([&](memref::AllocaOp op) {
    builder.setInsertionPoint(op);
    Value scratch = memref::AllocOp::create(builder, op.getLoc(), op.getType(),
                                            op.getDynamicSizes());
    op.replaceAllUsesWith(scratch);
    op.erase();
  });
}

void Placer::remarkScratch(int64_t stackBytes) {
  int64_t contextBytes = 0, dynamic = 0;
  func.walk([&](memref::AllocOp op) {
    if (op.getType().hasStaticShape())
      contextBytes += getStaticBytes(op.getType());
    else
      ++dynamic;
  });
  if (stackBytes == 0 && contextBytes == 0 && dynamic == 0)
    return;
  Remark(RemarkId::Scratch, {{"function", func.getName().str()},
                             {"stack", std::to_string(stackBytes)},
                             {"context", std::to_string(contextBytes)},
                             {"dynamic", std::to_string(dynamic)}})
      .emit(func.getLoc());
}

/// Moves every return to one block.
void Placer::createExit() {
  SmallVector<func::ReturnOp> returns;
  func.walk([&](func::ReturnOp op) { returns.push_back(op); });
  Location loc = func.getLoc();
  TypeRange results = func.getResultTypes();
  exit = builder.createBlock(&func.getBody(), func.getBody().end(), results,
                             SmallVector<Location>(results.size(), loc));
  if (list && onDevice)
    createFreeAllDevice(builder, loc, module, context, list);
  else if (list)
    createFreeAllScratch(builder, loc, module, context, list);
  func::ReturnOp::create(builder, loc, exit->getArguments());
  for (func::ReturnOp op : returns) {
    builder.setInsertionPoint(op);
    cf::BranchOp::create(builder, op.getLoc(), exit, op.getOperands());
    op.erase();
  }
}

void Placer::createList() {
  Location loc = func.getLoc();
  builder.setInsertionPointToStart(&func.getBody().front());
  if (onDevice) {
    list = createDeviceList(builder, loc);
    return;
  }
  list = LLVM::AllocaOp::create(builder, loc, pointerType, pointerType,
                                i64(loc, 1));
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  LLVM::StoreOp::create(builder, loc, null, list);
}

/// Saturates: more bytes than can be counted are not there, either.
Value Placer::computeBytes(memref::AllocOp alloc,
                           SmallVectorImpl<Value> &sizes) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  Value most = i64(loc, std::numeric_limits<int64_t>::max());
  SmallVector<int64_t> known;
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t size : type.getShape()) {
    bool isKnown = !ShapedType::isDynamic(size);
    if (isKnown)
      known.push_back(size);
    sizes.push_back(isKnown ? i64(loc, size)
                            : cast(loc, builder.getI64Type(), *dynamic++));
  }
  Value bytes =
      i64(loc, countBytes(known, getElementBytes(type.getElementType())));
  auto pair = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  for (auto [value, size] : llvm::zip_equal(sizes, type.getShape())) {
    if (!ShapedType::isDynamic(size))
      continue;
    Value product =
        LLVM::SMulWithOverflowOp::create(builder, loc, pair, bytes, value);
    bytes = LLVM::ExtractValueOp::create(builder, loc, product, 0);
    Value wraps = LLVM::ExtractValueOp::create(builder, loc, product, 1);
    bytes = LLVM::SelectOp::create(builder, loc, wraps, most, bytes);
  }
  return bytes;
}

Value Placer::buildMemRef(memref::AllocOp alloc, Value pointer,
                          ArrayRef<Value> sizes) {
  Location loc = alloc.getLoc();
  auto descriptor = MemRefDescriptor::poison(
      builder, loc, converter.convertType(alloc.getType()));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setOffset(builder, loc, i64(loc, 0));
  Value stride = i64(loc, 1);
  for (unsigned i = sizes.size(); i-- > 0;) {
    descriptor.setSize(builder, loc, i, sizes[i]);
    descriptor.setStride(builder, loc, i, stride);
    stride = LLVM::MulOp::create(builder, loc, stride, sizes[i]);
  }
  return cast(loc, alloc.getType(), descriptor);
}

LogicalResult Placer::replaceAlloc(memref::AllocOp alloc) {
  if (!alloc.getType().getLayout().isIdentity())
    return alloc.emitError("scratch must have the identity layout");
  Location loc = alloc.getLoc();
  builder.setInsertionPoint(alloc);
  SmallVector<Value> sizes;
  Value bytes = computeBytes(alloc, sizes);
  Value pointer =
      onDevice
          ? createAllocateDevice(builder, loc, module, context, list, bytes)
          : createAllocateScratch(builder, loc, module, context, list, bytes);
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType);
  Value ok = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                  pointer, null);
  Value status =
      arith::ConstantIntOp::create(builder, loc, ATTN_ERROR_OUT_OF_MEMORY, 32);
  leaveUnless(alloc, ok, status);
  builder.setInsertionPoint(alloc);
  alloc.replaceAllUsesWith(buildMemRef(alloc, pointer, sizes));
  alloc.erase();
  return success();
}

void Placer::replaceDealloc(memref::DeallocOp dealloc) {
  Location loc = dealloc.getLoc();
  builder.setInsertionPoint(dealloc);
  Value memref = dealloc.getMemref();
  MemRefDescriptor descriptor(
      cast(loc, converter.convertType(memref.getType()), memref));
  Value pointer = descriptor.allocatedPtr(builder, loc);
  if (!onDevice)
    createFreeScratch(builder, loc, module, context, pointer);
  else if (list)
    createFreeDevice(builder, loc, module, context, list, pointer);
  dealloc.erase();
}

void Placer::leaveUnless(Operation *op, Value ok, Value status) {
  Block *block = op->getBlock();
  Block *next = block->splitBlock(op);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, op->getLoc(), ok, next, ValueRange(), exit,
                           getResultsOf(op->getLoc(), status));
}

/// What a function that fails returns: zeros and the status.
SmallVector<Value> Placer::getResultsOf(Location loc, Value status) {
  SmallVector<Value> results;
  for (Type type : ArrayRef(func.getResultTypes()).drop_back())
    results.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  results.push_back(status);
  return results;
}

void Placer::leaveIfFailed(func::CallOp marker) {
  builder.setInsertionPoint(marker);
  Value status = marker.getOperand(0);
  Value zero = arith::ConstantIntOp::create(builder, marker.getLoc(), 0, 32);
  Value ok = arith::CmpIOp::create(builder, marker.getLoc(),
                                   arith::CmpIPredicate::eq, status, zero);
  leaveUnless(marker, ok, status);
  marker.erase();
}

/// The comparison that an assertion is about: of alternatives the last one.
static arith::CmpIOp getComparison(cf::AssertOp assertion) {
  if (assertion->hasAttr(kNotedAttr))
    return {};
  Value condition = assertion.getArg();
  while (auto either = condition.getDefiningOp<arith::OrIOp>())
    condition = either.getRhs();
  return condition.getDefiningOp<arith::CmpIOp>();
}

/// Whoever reads that a comparison failed wants to know of what.
void Placer::reportAssertion(cf::AssertOp assertion) {
  Location loc = assertion.getLoc();
  arith::CmpIOp compare = getComparison(assertion);
  Type type = compare ? compare.getLhs().getType() : Type();
  if (!type || !type.isIntOrIndex() || type.isInteger(1)) {
    createReportError(builder, loc, module, context,
                      createText(builder, loc, module, assertion.getMsg()));
    return;
  }
  auto widen = [&](Value number) -> Value {
    Type i64 = builder.getI64Type();
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, i64, number);
    if (type.getIntOrFloatBitWidth() < 64)
      return arith::ExtSIOp::create(builder, loc, i64, number);
    return number;
  };
  createReportErrorOfNumbers(
      builder, loc, module, context,
      createText(builder, loc, module, assertion.getMsg()),
      widen(compare.getLhs()), widen(compare.getRhs()));
}

void Placer::leaveIfFalse(cf::AssertOp assertion) {
  Location loc = assertion.getLoc();
  Block *block = assertion->getBlock();
  Block *next = block->splitBlock(assertion);
  Block *failed = builder.createBlock(next);
  reportAssertion(assertion);
  auto given = assertion->getAttrOfType<IntegerAttr>(kStatusAttr);
  Value status = arith::ConstantIntOp::create(
      builder, loc, given ? given.getInt() : ATTN_ERROR_ASSERTION, 32);
  cf::BranchOp::create(builder, loc, exit, getResultsOf(loc, status));
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, assertion.getArg(), next, failed);
  assertion.erase();
}

LogicalResult Placer::placeInContext() {
  SmallVector<memref::AllocOp> allocs;
  SmallVector<memref::DeallocOp> deallocs;
  func.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  func.walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
  if (!allocs.empty())
    createList();
  createExit();
  for (memref::DeallocOp op : deallocs)
    replaceDealloc(op);
  for (memref::AllocOp op : allocs)
    if (failed(replaceAlloc(op)))
      return failure();
  return success();
}

LogicalResult Placer::run() {
  if (failed(checkSizes()))
    return failure();
  if (onDevice)
    moveOffStack();
  remarkScratch(onDevice ? 0 : placeOnStack());
  if (failed(placeInContext()))
    return failure();
  SmallVector<func::CallOp> markers;
  SmallVector<cf::AssertOp> assertions;
  func.walk([&](func::CallOp op) {
    if (op.getCallee() == kReturnIfFailed)
      markers.push_back(op);
  });
  func.walk([&](cf::AssertOp op) { assertions.push_back(op); });
  for (func::CallOp op : markers)
    leaveIfFailed(op);
  for (cf::AssertOp op : assertions)
    leaveIfFalse(op);
  return success();
}

bool needsPlacement(func::FuncOp func) {
  return func
      .walk([](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        bool needed = isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
                          cf::AssertOp>(op) ||
                      (call && call.getCallee() == kReturnIfFailed);
        return needed ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct PlaceScratchPass : impl::PlaceScratchPassBase<PlaceScratchPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool onDevice = readTarget(module).gpu.has_value();
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!needsPlacement(func))
        continue;
      FailureOr<Value> context = getContextArgument(func);
      if (failed(context) || failed(Placer(func, *context, onDevice).run()))
        return signalPassFailure();
    }
    if (auto marker = module.lookupSymbol<func::FuncOp>(kReturnIfFailed))
      marker.erase();
  }
};

} // namespace
} // namespace attn
