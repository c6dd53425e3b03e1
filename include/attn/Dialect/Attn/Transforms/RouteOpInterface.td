//===- RouteOpInterface.td - Who chooses an op's schedule --*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_ROUTEOPINTERFACE_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_ROUTEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Attn_RouteOpInterface : OpInterface<"RouteOpInterface"> {
  let description = [{
    An op on tensors that chooses how it is computed on a target. Ops get it from
    `registerRouteOpInterfaceExternalModels`: choosing needs analyses and remarks,
    which the dialect does not link.
  }];
  let cppNamespace = "::attn";
  let methods = [
    InterfaceMethod<[{The fast route on `target`, or the portable one. The op has
      results.}],
      "::attn::Route", "selectRoute",
      (ins "const ::attn::TargetDescription &":$target)>
  ];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_ROUTEOPINTERFACE_TD
