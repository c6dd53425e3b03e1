//===- LaunchRecords.cpp - What kernels are launched with -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"
#include "attn/Conversion/Host/LaunchRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

/// On a GPU module: an array of dictionaries, one for each launch.
static constexpr StringLiteral kLaunchesAttr = "attn.launches";
static constexpr StringLiteral kUnknown = "?";
/// Longer formulas tell nobody anything.
static constexpr size_t kLongest = 200;

static std::string format(Value value);

static std::string formatInfix(Operation *op, StringRef sign) {
  return "(" + format(op->getOperand(0)) + " " + sign.str() + " " +
         format(op->getOperand(1)) + ")";
}

static std::string formatCall(Operation *op, StringRef name, StringRef sign) {
  return name.str() + "(" + format(op->getOperand(0)) + sign.str() + " " +
         format(op->getOperand(1)) + ")";
}

/// A size of an argument of the entry; the first argument is the context.
static std::string formatDim(memref::DimOp dim) {
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!argument || !argument.getOwner()->isEntryBlock() || !index)
    return kUnknown.str();
  return "size(" + std::to_string(argument.getArgNumber() - 1) + "," +
         std::to_string(*index) + ")";
}

static std::string formatOp(Operation *op) {
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return formatDim(dim);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp,
          arith::ExtUIOp, arith::ExtSIOp>(op))
    return format(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return formatInfix(op, "+");
  if (isa<arith::SubIOp>(op))
    return formatInfix(op, "-");
  if (isa<arith::MulIOp>(op))
    return formatInfix(op, "*");
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return formatInfix(op, "%");
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return formatCall(op, "ceil", " /");
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return formatCall(op, "floor", " /");
  if (isa<arith::MaxUIOp, arith::MaxSIOp>(op))
    return formatCall(op, "max", ",");
  if (isa<arith::MinUIOp, arith::MinSIOp>(op))
    return formatCall(op, "min", ",");
  return kUnknown.str();
}

static std::string format(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return std::to_string(*number);
  Operation *op = value.getDefiningOp();
  return op ? formatOp(op) : kUnknown.str();
}

/// The formula of a size, without the brackets around all of it.
static std::string formatSize(Value value) {
  std::string text = format(value);
  if (StringRef(text).contains(kUnknown) || text.size() > kLongest)
    return kUnknown.str();
  if (text.front() == '(')
    return text.substr(1, text.size() - 2);
  return text;
}

static std::string formatParameter(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return "pointer";
  if (isa<nvgpu::TensorMapDescriptorType>(type))
    return "tensor_map";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text == "index" ? "i64" : text;
}

SmallVector<int32_t> attn::getCluster(gpu::LaunchFuncOp launch) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  auto cluster = kernel ? kernel->getAttrOfType<DenseI32ArrayAttr>(
                              NVVM::NVVMDialect::getClusterDimAttrName())
                        : DenseI32ArrayAttr();
  if (!cluster)
    return {1, 1, 1};
  return SmallVector<int32_t>(cluster.asArrayRef());
}

void attn::recordLaunch(gpu::LaunchFuncOp launch) {
  auto module = launch->getParentOfType<ModuleOp>();
  auto kernels =
      module.lookupSymbol<gpu::GPUModuleOp>(launch.getKernelModuleName());
  if (!kernels)
    return;
  Builder b(launch.getContext());
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 threads = launch.getBlockSizeOperandValues();
  SmallVector<std::string> blocks, parameters;
  SmallVector<int64_t> block;
  for (Value size : {grid.x, grid.y, grid.z})
    blocks.push_back(formatSize(size));
  for (Value size : {threads.x, threads.y, threads.z})
    block.push_back(getConstantIntValue(size).value_or(0));
  for (Value operand : launch.getKernelOperands())
    parameters.push_back(formatParameter(operand.getType()));
  auto toAttr = [&](ArrayRef<std::string> texts) {
    return b.getStrArrayAttr(SmallVector<StringRef>(texts));
  };
  Value shared = launch.getDynamicSharedMemorySize();
  auto entry = launch->getParentOfType<SymbolOpInterface>();
  SmallVector<Attribute> records;
  if (auto before = kernels->getAttrOfType<ArrayAttr>(kLaunchesAttr))
    llvm::append_range(records, before);
  records.push_back(b.getDictionaryAttr(
      {b.getNamedAttr("block", b.getDenseI64ArrayAttr(block)),
       b.getNamedAttr("cluster", b.getDenseI32ArrayAttr(getCluster(launch))),
       b.getNamedAttr("entry", entry.getNameAttr()),
       b.getNamedAttr("grid", toAttr(blocks)),
       b.getNamedAttr("kernel", launch.getKernelName()),
       b.getNamedAttr("parameters", toAttr(parameters)),
       b.getNamedAttr("shared",
                      b.getStringAttr(shared ? formatSize(shared) : "0"))}));
  kernels->setAttr(kLaunchesAttr, b.getArrayAttr(records));
}

static std::vector<std::string> readTexts(DictionaryAttr record,
                                          StringRef name) {
  std::vector<std::string> texts;
  for (auto text : record.getAs<ArrayAttr>(name).getAsRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

std::vector<LaunchRecord> attn::getLaunchRecords(Operation *gpuModule) {
  std::vector<LaunchRecord> result;
  auto records = gpuModule->getAttrOfType<ArrayAttr>(kLaunchesAttr);
  if (!records)
    return result;
  for (auto record : records.getAsRange<DictionaryAttr>())
    result.push_back({record.getAs<StringAttr>("entry").str(),
                      record.getAs<StringAttr>("kernel").str(),
                      readTexts(record, "grid"),
                      record.getAs<DenseI64ArrayAttr>("block").asArrayRef(),
                      record.getAs<DenseI32ArrayAttr>("cluster").asArrayRef(),
                      record.getAs<StringAttr>("shared").str(),
                      readTexts(record, "parameters")});
  return result;
}
