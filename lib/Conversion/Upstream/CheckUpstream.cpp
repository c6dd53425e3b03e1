//===- CheckUpstream.cpp - What cannot be compiled is refused by name -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/IndexingMaps.h"
#include "attn/Remarks/InputError.h"
#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace attn {
#define GEN_PASS_DEF_CHECKUPSTREAMPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// An op, or all ops whose names begin so, and what to do about it.
struct Refusal {
  StringLiteral name;
  StringLiteral advice;
};

constexpr StringLiteral kOnTensors =
    "kernels are compiled from ops on tensors: write tensor.empty where memory "
    "is allocated, and attn.inout on an argument that is updated in place";

constexpr StringLiteral kInParts =
    "write the real and the imaginary part as two tensors";

constexpr Refusal kRefusals[] = {
    {"affine.for", "write scf.for"},
    {"affine.if", "write scf.if"},
    {"affine.load", kOnTensors},
    {"affine.parallel", "write linalg.reduce, or scf.for"},
    {"affine.prefetch", kOnTensors},
    {"affine.store", kOnTensors},
    {"affine.vector_", kOnTensors},
    {"arith.scaling_", "scale with arith.mulf"},
    {"bufferization.alloc_tensor",
     "write tensor.empty, and linalg.copy for its copy"},
    {"bufferization.clone", kOnTensors},
    {"bufferization.dealloc", kOnTensors},
    {"complex.", kInParts},
    {"linalg.pack",
     "write tensor.pad, tensor.expand_shape and linalg.transpose"},
    {"linalg.softmax",
     "write attn.softmax, with one type for input and output"},
    {"linalg.unpack",
     "write linalg.transpose, tensor.collapse_shape and tensor.extract_slice"},
    {"linalg.winograd_", "write the convolution itself"},
    {"llvm.call_intrinsic",
     "nothing says what it reads and writes; write an op of arith or math, or "
     "llvm.intr.NAME"},
    {"math.fpowi", "write math.powf, and arith.sitofp of the exponent"},
    {"math.ipowi", "write products, with a constant exponent"},
    {"memref.alloc", kOnTensors},
    {"memref.atomic_rmw", kOnTensors},
    {"memref.dealloc", kOnTensors},
    {"memref.dma_", kOnTensors},
    {"memref.generic_atomic_rmw", kOnTensors},
    {"memref.realloc", kOnTensors},
    {"tensor.bitcast", "give its integers no sign (i32, not si32 or ui32)"},
    {"tensor.scatter", "write scf.for with tensor.insert_slice"},
    {"ub.poison", "it has no value: write arith.constant"},
};

/// Some are lowered under a condition that has been met.
bool isAccepted(Operation *op) {
  if (isa<math::FPowIOp, math::IPowIOp>(op))
    return matchPattern(op->getOperand(1), m_Constant());
  // What no element of a vector is filled up with.
  if (isa<ub::PoisonOp>(op))
    return llvm::all_of(op->getUsers(), llvm::IsaPred<vector::TransferReadOp>);
  // Its name begins as that of memref.alloc does.
  return isa<memref::AllocaOp, memref::AllocaScopeOp,
             memref::AllocaScopeReturnOp>(op);
}

StringRef findAdvice(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (const Refusal &refusal : kRefusals)
    if (name.starts_with(refusal.name) && !isAccepted(op))
      return refusal.advice;
  return "";
}

/// f80 and f128 are left to LLVM.
bool isComputed(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return !element || element.isF16() || element.isBF16() ||
         element.getWidth() >= 32;
}

bool isNested(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() > 1;
}

bool isAddressable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrIndexOrFloat())
    return true;
  unsigned bits =
      tensor.getElementType().isIndex() ? 64 : tensor.getElementTypeBitWidth();
  return countBytes(tensor.getShape(), llvm::divideCeil(bits, 8)) <=
         kAddressableBytes;
}

/// Refuses the function's ops.
class Checker {
public:
  LogicalResult check(Operation *op);

private:
  InFlightDiagnostic refuse(Operation *op) {
    return emitInputError(op) << '\'' << op->getName() << "' ";
  }
  LogicalResult checkTypes(Operation *op);
  LogicalResult checkReads(Operation *op);
  LogicalResult checkMaps(Operation *op);
  LogicalResult checkBody(Operation *op);
};

LogicalResult Checker::checkTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (isa<ComplexType>(getElementTypeOrSelf(type)))
      return refuse(op) << "has complex numbers, which kernels do not compute "
                           "with: "
                        << kInParts;
    if (!isComputed(type))
      return refuse(op) << "has numbers of type " << getElementTypeOrSelf(type)
                        << ", which kernels do not compute with: convert them "
                           "to f16, bf16, f32 or f64 outside of the kernel";
    if (isNested(type))
      return refuse(op) << "works on a vector of several dimensions, which no "
                           "kernel does: write it on tensors";
  }
  for (Type type : op->getResultTypes())
    if (!isAddressable(type)) {
      auto tensor = cast<RankedTensorType>(type);
      return refuse(op) << "makes a tensor of "
                        << printBytes(tensor.getShape(),
                                      llvm::divideCeil(
                                          tensor.getElementTypeBitWidth(), 8))
                        << " bytes, more than the " << kAddressableBytes
                        << " that a process can address";
    }
  return success();
}

/// A tensor.empty, or a view of one.
static bool isEmpty(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::EmptyOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// What is in a tensor.empty is anything, from run to run.
LogicalResult Checker::checkReads(Operation *op) {
  if (llvm::none_of(op->getOperands(), isEmpty))
    return success();
  bool reads =
      isa<tensor::ExtractOp>(op) || OpTrait::hasElementwiseMappableTraits(op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      reads |= isEmpty(operand.get()) &&
               structured.payloadUsesValueFromOperand(&operand);
  if (!reads)
    return success();
  return refuse(op) << "reads a tensor.empty, which holds anything: write "
                       "linalg.fill, or tensor.splat, before";
}

LogicalResult Checker::checkMaps(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (AffineMap map : structured.getIndexingMapsArray())
      if (StringRef fault = findIndexingFault(map); !fault.empty())
        return refuse(op) << fault;
  for (NamedAttribute attribute : op->getAttrs())
    if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
      for (AffineExpr divisor : getDivisors(map.getValue()))
        if (auto constant = dyn_cast<AffineConstantExpr>(divisor))
          if (constant.getValue() < 1)
            return refuse(op) << "divides by a number below 1";
  return success();
}

/// The body of a structured op computes with elements.
LogicalResult Checker::checkBody(Operation *op) {
  if (!op->getParentOfType<linalg::LinalgOp>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return success();
  auto dim = dyn_cast<tensor::DimOp>(op);
  if ((dim && !dim.getConstantIndex()) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
    return refuse(op)
           << "stands in the body of a structured op, which computes "
              "with numbers: write tensor.extract there, or a loop "
              "of scf around it";
  return success();
}

LogicalResult Checker::check(Operation *op) {
  // Ours are checked where they are lowered.
  if (isa<AttnDialect>(op->getDialect()))
    return success();
  StringRef advice = findAdvice(op);
  if (!advice.empty())
    return refuse(op) << "is not compiled: " << advice;
  return success(succeeded(checkTypes(op)) && succeeded(checkReads(op)) &&
                 succeeded(checkMaps(op)) && succeeded(checkBody(op)));
}

struct CheckUpstreamPass : impl::CheckUpstreamPassBase<CheckUpstreamPass> {
  void runOnOperation() override {
    Checker checker;
    auto result = getOperation().walk([&](Operation *op) {
      return op != getOperation() && failed(checker.check(op))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace attn
