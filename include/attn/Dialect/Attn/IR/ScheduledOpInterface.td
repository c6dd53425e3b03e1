//===- ScheduledOpInterface.td - Ops with a fast path ------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCHEDULEDOPINTERFACE_TD
#define ATTN_DIALECT_ATTN_IR_SCHEDULEDOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_ScheduledOpInterface : OpInterface<"ScheduledOpInterface"> {
  let description = [{
    An op with a fast path, which a schedule describes. On tensors it may have
    one; on memrefs, where it writes its destinations and has no results, it does.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<"The schedule, or null.",
      "::attn::ScheduleAttrInterface", "getScheduleAttr">,
    InterfaceMethod<"", "void", "setScheduleAttr",
      (ins "::attn::ScheduleAttrInterface":$schedule)>,
    InterfaceMethod<[{Whether the op reads what `destination` held: otherwise
      nothing has to be copied into it.}],
      "bool", "readsDestination", (ins "::mlir::OpOperand &":$destination), "",
      "return false;">
  ];
}

#endif // ATTN_DIALECT_ATTN_IR_SCHEDULEDOPINTERFACE_TD
