//===- TMTensor.h - What torch-mlir leaves beside linalg --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_TMTENSOR_TMTENSOR_H
#define ATTN_DIALECT_TMTENSOR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn/Dialect/TMTensor/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "attn/Dialect/TMTensor/TMTensorOps.h.inc"

#endif // ATTN_DIALECT_TMTENSOR_TMTENSOR_H
