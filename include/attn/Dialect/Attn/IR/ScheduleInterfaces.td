//===- ScheduleInterfaces.td - Schedules and who has them --*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCHEDULEINTERFACES_TD
#define ATTN_DIALECT_ATTN_IR_SCHEDULEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Attn_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let description = [{
    How the fast path of one kind of machine computes an op: sizes of blocks, of
    vectors, and what else that machine's lowering asks for. An op without one
    takes the portable path.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"The kind of machine that it is for.",
      "::attn::TargetKind", "getMachine">,
    InterfaceMethod<[{Checks it against the op that carries it, whose other
      constraints hold. Fails with a diagnostic.}],
      "::llvm::LogicalResult", "verifyOn", (ins "::mlir::Operation *":$op)>
  ];
}

def Attn_AttentionScheduleAttrInterface
    : AttrInterface<"AttentionScheduleAttrInterface", [Attn_ScheduleAttrInterface]> {
  let description = [{
    What the schedules of an attention share, whatever the machine: a tile of
    query rows by keys. With `splitKeys` keys are cut into ranges of at least so
    many, until there are `items` of them to work on side by side.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"Query rows of a tile; with splitKeys, of a group of heads.",
      "int64_t", "getRows">,
    InterfaceMethod<"Keys of a tile.", "int64_t", "getKeys">,
    InterfaceMethod<"Keys of a range at least, 0 where they are not cut.",
      "int64_t", "getSplitKeys">,
    InterfaceMethod<"Ranges of keys wanted.", "int64_t", "getItems">
  ];
}

#endif // ATTN_DIALECT_ATTN_IR_SCHEDULEINTERFACES_TD
