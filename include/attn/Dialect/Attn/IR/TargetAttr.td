//===- TargetAttr.td - What a module is compiled for -------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_TARGETATTR_TD
#define ATTN_DIALECT_ATTN_IR_TARGETATTR_TD

include "attn/Dialect/Attn/IR/AttnAttrBase.td"

def Attn_TargetAttr : Attn_Attr<"Target", "target"> {
  let summary = "the machine that a module is compiled for";
  let description = [{
    A module holds it as `attn.target`; `attn-set-target` writes it, and every
    pass that depends on the machine reads it. In a module without it, such a
    pass takes the machine that it runs on, which is what the name `cpu` stands
    for.

    `name` is what the user called the target, and `triple` and `features` are
    LLVM's. There are `registers` vector registers of `vectorBits` bits, caches of
    `l1` and `l2` bytes for each core, and `threads` threads that share the work,
    0 where their number is not known. Of a GPU, `features` names the
    architecture, from which all of its sizes follow.

    Example:

    ```mlir
    module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64",
        triple = "x86_64-unknown-linux-gnu", features = ["sse", "sse2"],
        vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {}
    ```
  }];
  let parameters = (ins EnumParameter<Attn_TargetKind>:$kind,
                        StringRefParameter<"what the user called it">:$name,
                        StringRefParameter<"as LLVM knows it">:$triple,
                        "::mlir::ArrayAttr":$features,
                        "int64_t":$vectorBits, "int64_t":$registers,
                        "int64_t":$l1, "int64_t":$l2,
                        DefaultValuedParameter<"int64_t", "0">:$threads);
  let assemblyFormat = [{
    `<` $kind `,` struct($name, $triple, $features, $vectorBits, $registers, $l1,
                         $l2, $threads) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // ATTN_DIALECT_ATTN_IR_TARGETATTR_TD
