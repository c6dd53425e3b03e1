//===- BlockOpBase.td - Shared pieces of the block's ops -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_BLOCKOPBASE_TD
#define ATTN_DIALECT_ATTN_IR_BLOCKOPBASE_TD

include "attn/Dialect/Attn/IR/AttnAttributes.td"
include "attn/Dialect/Attn/IR/BlockOpInterface.td"
include "attn/Dialect/Attn/IR/ScheduledOpInterface.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op on tensors or memrefs that writes one destination, `output`, and on
/// tensors has it as `result`.
class Attn_DestinationOp<string opMnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, opMnemonic, !listconcat(traits, [
        DestinationStyleOpInterface, Attn_ScheduledOpInterface,
        DeclareOpInterfaceMethods<Attn_BlockOpInterface, ["getShapedMaps"]>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
          ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
  code destinationDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
  }];
  let extraClassDeclaration = destinationDeclaration;
}

#endif // ATTN_DIALECT_ATTN_IR_BLOCKOPBASE_TD
