//===- AttnNVOps.td - Matrix instructions of four warps ----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTNNV_IR_ATTNNVOPS_TD
#define ATTN_DIALECT_ATTNNV_IR_ATTNNVOPS_TD

include "mlir/IR/OpBase.td"

def AttnNV_Dialect : Dialect {
  let name = "attn_nv";
  let cppNamespace = "::attn::attn_nv";
  let summary = "Matrix instructions of four warps, which nobody waits for";
  let description = [{
    What NVIDIA's sm_90a has and the `nvvm` dialect cannot say: `wgmma` with its
    lhs in registers, with sums that begin at 0, and with sums and operands that
    are in flight between an instruction and the wait for it. Each op becomes
    one piece of inline assembly.

    A warpgroup, four warps side by side, executes these ops together. A thread
    holds two rows of the sums, as a vector of f32 each: those of row t and of
    row t + 8 of its warp's 16 rows, in the order of columns.

    ```mlir
    %q, %k = ... : i64                      // descriptors of shared memory
    attn_nv.wgmma_fence
    %s:2 = attn_nv.wgmma bf16(%q), %k
        : (i64), vector<32xf32>, vector<32xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %sums:2 = attn_nv.wgmma_wait 0(%s#0, %s#1 : vector<32xf32>, vector<32xf32>)
    ```
  }];
}

/// A row of sums.
def AttnNV_Sums : VectorOfRankAndType<[1], [F32]>;
/// Registers of a thread: a row of sums, or a part of a lhs.
def AttnNV_Registers
    : AnyTypeOf<[AttnNV_Sums, I32], "registers">;

class AttnNV_Op<string mnemonic, list<Trait> traits = []>
    : Op<AttnNV_Dialect, mnemonic, traits>;

def AttnNV_WgmmaOp : AttnNV_Op<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "Multiply tiles of 16 terms and add to sums";
  let description = [{
    Starts D = A B + C for 64 rows and 16 terms. A lies in shared memory, as an
    i64 that describes it, or in four i32 registers of each thread; B lies in
    shared memory. Elements are f16 or bf16. With `lhs_transposed` or
    `rhs_transposed` the rows, or columns, of the matrix are contiguous in
    memory, and else its terms. Without accumulators sums begin at 0, and what
    their registers hold is not read.

    Results may be used by `attn_nv.wgmma` of the same shape, and by
    `attn_nv.wgmma_wait`, after which they are numbers.
  }];
  let arguments = (ins TypeAttrOf<AnyTypeOf<[F16, BF16]>>:$element,
                       Variadic<AnyTypeOf<[I32, I64]>>:$lhs, I64:$rhs,
                       Variadic<AttnNV_Sums>:$accumulators,
                       UnitAttr:$lhs_transposed, UnitAttr:$rhs_transposed);
  let results = (outs Variadic<AttnNV_Sums>:$sums);
  let assemblyFormat = [{
    $element `(` $lhs `)` `,` $rhs (`plus` $accumulators^)?
    (`lhs_transposed` $lhs_transposed^)? (`rhs_transposed` $rhs_transposed^)?
    attr-dict `:` `(` type($lhs) `)` (`plus` type($accumulators)^ `->`)?
    type($sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of the product, the n of m64nNk16.
    int64_t getColumns();
    bool hasLhsInRegisters() { return getLhs().size() > 1; }
  }];
}

/// An op that gives back the registers that it touches.
class AttnNV_TiedOp<string mnemonic, list<Trait> traits = []>
    : AttnNV_Op<mnemonic, !listconcat(traits, [
        RangedTypesMatchWith<"results are the values", "results", "values",
                             "$_self">])> {
  let results = (outs Variadic<AttnNV_Registers>:$results);
}

def AttnNV_WgmmaFenceOp : AttnNV_TiedOp<"wgmma_fence"> {
  let summary = "Order writes of registers before products that use them";
  let description = [{
    Gives its values back. Accumulators and lhs registers that other
    instructions have written go through a fence before the first product that
    uses them; without values it is a fence before sums that begin at 0.
  }];
  let arguments = (ins Variadic<AttnNV_Registers>:$values);
  let assemblyFormat = "(`(` $values^ `:` type($results) `)`)? attr-dict";
  let builders = [OpBuilder<(ins "mlir::ValueRange":$values), [{
    build($_builder, $_state, values.getTypes(), values);
  }]>];
}

def AttnNV_WgmmaWaitOp
    : AttnNV_TiedOp<"wgmma_wait", [AttrSizedOperandSegments]> {
  let summary = "Wait for all but the last groups of products";
  let description = [{
    Waits until at most `pending` committed groups of products are under way,
    and gives back the sums of those that are over. `reading` are lhs registers
    of products that are over then: they stay as they are until here.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$pending,
                       Variadic<AttnNV_Registers>:$values,
                       Variadic<I32>:$reading);
  let assemblyFormat = [{
    $pending (`(` $values^ `:` type($results) `)`)? (`reading` $reading^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "int64_t":$pending, "mlir::ValueRange":$values,
                                 "mlir::ValueRange":$reading), [{
    build($_builder, $_state, values.getTypes(),
          $_builder.getI64IntegerAttr(pending), values, reading);
  }]>];
}

#endif // ATTN_DIALECT_ATTNNV_IR_ATTNNVOPS_TD
