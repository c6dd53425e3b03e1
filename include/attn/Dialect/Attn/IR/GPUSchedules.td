//===- GPUSchedules.td - How kernels on a GPU compute an op -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_GPUSCHEDULES_TD
#define ATTN_DIALECT_ATTN_IR_GPUSCHEDULES_TD

include "attn/Dialect/Attn/IR/AttnAttrBase.td"

/// How the fast path of a GPU computes an op.
class Attn_GPUSchedule<string name, string attrMnemonic, list<Trait> traits = []>
    : Attn_Attr<name, attrMnemonic,
                !listconcat([Attn_ScheduleAttrInterface], traits)> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::attn::TargetKind getMachine() const { return ::attn::TargetKind::NVPTX; }
    ::llvm::LogicalResult verifyOn(::mlir::Operation *op) const;
  }];
}

def Attn_GPUAttentionAttr
    : Attn_GPUSchedule<"GPUAttention", "gpu_attention",
                       [Attn_AttentionScheduleAttrInterface]> {
  let summary = "tile sizes of an attention kernel";
  let description = [{
    A block of `warps` warps computes `rows` query rows, a share of them each
    warp, and goes over the keys in tiles of `keys`, which lie in shared memory,
    `stages` of them at a time. `rows` is a multiple of 16 for each warp and
    `keys` a multiple of 16, the sizes of the matrix instructions.

    With `splitKeys` keys are cut into ranges of at least so many until there are
    `items` blocks to work side by side; a second launch merges their states.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys, "int64_t":$warps,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "0">:$splitKeys,
                        DefaultValuedParameter<"int64_t", "1">:$items);
}

def Attn_GPURowsAttr : Attn_GPUSchedule<"GPURows", "gpu_rows"> {
  let summary = "who computes a row in a kernel of rows";
  let description = [{
    `rowWarps` warps, a power of two, compute a row, and a block has `blockWarps`
    of them. Where a row has more than one warp, it has a block of its own, and
    its sums meet in shared memory. With `pieces`, a row has at most so many
    elements for each of its threads, which stay in registers between its
    passes; without, it is read again in each pass.
  }];
  let parameters = (ins "int64_t":$rowWarps, "int64_t":$blockWarps,
                        DefaultValuedParameter<"int64_t", "0">:$pieces);
}

#endif // ATTN_DIALECT_ATTN_IR_GPUSCHEDULES_TD
