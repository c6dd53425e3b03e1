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
    `keys` a multiple of 16, the sizes of the matrix instructions. A thread has as
    many registers as a multiprocessor leaves it that holds `blocks` blocks.

    With `splitKeys` keys are cut into ranges of at least so many until there are
    `items` blocks to work side by side; a second launch merges their states. Then
    a tile has the rows of all query heads that share a key head, where these are
    one distance apart: keys are read once for all of them.

    With several stages warps have roles, on a target that has `wgmma`: groups of
    four warps multiply 64 rows each, and one more warp does
    nothing but start copies, as many tiles ahead as there are stages. `blocks`
    is 1 then. Operands that the copy engine does not take have a kernel of one
    stage.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys, "int64_t":$warps,
                        DefaultValuedParameter<"int64_t", "1">:$blocks,
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
    passes; without, it is read again in each pass. A thread takes `width`
    neighbouring elements at once.

    With `strided` a row is a column in memory: 32 neighbouring rows belong to
    the lanes of a warp, and `rowWarps` warps share their elements. With `chunk`
    a row is cut into parts of at most so many elements, each of a block; a
    second launch merges what they have found, in order.
  }];
  let parameters = (ins "int64_t":$rowWarps, "int64_t":$blockWarps,
                        DefaultValuedParameter<"int64_t", "0">:$pieces,
                        DefaultValuedParameter<"int64_t", "1">:$width,
                        DefaultValuedParameter<"bool", "false">:$strided,
                        DefaultValuedParameter<"int64_t", "0">:$chunk);
}

def Attn_GPUProductAttr : Attn_GPUSchedule<"GPUProduct", "gpu_product"> {
  let summary = "tile sizes of a matrix product";
  let description = [{
    A block of `rowWarps` x `columnWarps` warps computes a tile of `rows` x
    `columns` results, an equal part of it each warp. It goes over the depth in
    steps of `depth` elements, whose operands lie in shared memory, `stages`
    steps of them at a time. A warp's part and `depth` are multiples of 16, the
    sizes of the matrix instructions.

    Where a GPU has matrix instructions of four warps, a schedule may be for them:
    16-bit operands, a `depth` of 64, and warps side by side that have 16 rows and
    all columns each. Then four warps more are there, one of which brings the
    operands through the copy engine while the others multiply, if the engine can
    reach them. `cluster` blocks of neighbouring rows then share the right
    operand: each brings a part of it to all of them.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
                        "int64_t":$rowWarps, "int64_t":$columnWarps,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
}

def Attn_GPUDotsAttr : Attn_GPUSchedule<"GPUDots", "gpu_dots"> {
  let summary = "who computes the results of a matrix product of few rows";
  let description = [{
    A warp computes `columns` columns of `rows` rows: its lanes share the depth,
    `width` neighbouring elements each at once, and add up their sums at the
    end. A block has `blockWarps` warps.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "int64_t":$blockWarps,
                        DefaultValuedParameter<"int64_t", "1">:$width);
}

#endif // ATTN_DIALECT_ATTN_IR_GPUSCHEDULES_TD
