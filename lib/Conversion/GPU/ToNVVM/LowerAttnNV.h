//===- LowerAttnNV.h - wgmma as inline assembly --------------- -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_TONVVM_LOWERATTNNV_H
#define ATTN_LIB_CONVERSION_GPU_TONVVM_LOWERATTNNV_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Patterns that turn each op of attn_nv into one piece of inline assembly.
void populateAttnNVToLLVMPatterns(mlir::LLVMTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_TONVVM_LOWERATTNNV_H
