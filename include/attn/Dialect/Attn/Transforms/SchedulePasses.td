//===- SchedulePasses.td - Which route an op takes ---------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_SCHEDULEPASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_SCHEDULEPASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"attn-set-target", "::mlir::ModuleOp"> {
  let summary = "say what the module is compiled for";
  let description = [{
    Input contract: any module.

    Writes `attn.target`, which passes that depend on the machine read: the
    features of its instructions, vector registers, caches and threads. What the
    module said before is replaced. In a module without the attribute, a pass
    takes the machine that it runs on, as for the name `cpu`.

    Output contract: the same ops. An unknown name is an error.
    No effect on numerics.

    Example (target=cpu:x86-64):

    ```mlir
    module {}
    // becomes
    module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64",
        triple = "x86_64-unknown-linux-gnu",
        features = ["cmov", "cx8", "fxsr", "mmx", "sse", "sse2"],
        vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Target as attn-run spells it: cpu, cpu:x86-64, cpu:x86-64-v3, "
           "cpu:x86-64-v4, cpu:x86-64-v4-bf16, cpu:x86-64-v4-amx, "
           "cpu:x86-64-v4-amx-fp16, cpu:aarch64, cpu:aarch64-sve2, "
           "nvptx:sm_80, ...">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads that share the work; 0 if that is not known. Results do not "
           "depend on it">
  ];
  let dependentDialects = ["::attn::AttnDialect"];
}

def SetProductsPass : Pass<"attn-set-products", "::mlir::func::FuncOp"> {
  let summary = "allow products in parts of bf16";
  let description = [{
    Input contract: attn.attention, attn.linear and structured products, as
    raising and the expansion of blocks leave them.

    Gives `products(...)` to every attention of f32 or f16 that does not say
    anything itself, and `attn.products` to other products of these types: what a
    model as exported cannot say. Only a processor with a tile unit for bf16 makes
    use of it.

    Output contract: the same ops. An unknown name is an error.
    Effect on numerics: that of the attribute. With `bf16x3` the error of a
    product is some 2^-17 of it, with `bf16x6` that of f32.

    Example (products=bf16x3):

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>) ...
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x3)
        ins(%q, %k, %v : tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>) ...
    ```
  }];
  let options = [
    Option<"products", "products", "std::string", "\"bf16x3\"",
           "bf16x3 or bf16x6">
  ];
}

def OrderKeysPass : Pass<"attn-order-keys", "::mlir::func::FuncOp"> {
  let summary = "lay the keys of biases and masks side by side";
  let description = [{
    Input contract: attn.attention on tensors.

    A bias or mask whose keys are not its last dimension is read number by
    number. Tables of relative positions come so: [row, key, head]. Here it gets
    batch and heads in front, then rows, then keys. An elementwise op that only
    makes this operand writes it in that order; any other is transposed.

    Output contract: the last dimension of every operand that belongs to a bias,
    a mask or the score region and has keys are the keys, or those behind them
    have size 1. No effect on numerics.

    Example:

    ```mlir
    %o = attn.attention ... masks [#attn.additive_mask]
        indexing_maps [..., affine_map<(h, m, n, d, e) -> (m, n, h)>, ...]
        ... params(%bias : tensor<512x512x12xf32>) ...
    // becomes
    %t = linalg.transpose ins(%bias : tensor<512x512x12xf32>)
        outs(%init : tensor<12x512x512xf32>) permutation = [2, 0, 1]
    %o = attn.attention ... masks [#attn.additive_mask]
        indexing_maps [..., affine_map<(h, m, n, d, e) -> (h, m, n)>, ...]
        ... params(%t : tensor<12x512x512xf32>) ...
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SelectSchedulePass : Pass<"attn-select-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose a schedule for each op that a fast route covers";
  let description = [{
    Input contract: attn.attention on tensors.

    Sets `#attn.schedule` on every attn.attention that the fast CPU route covers
    on the module's target: rows and keys of a tile, lanes of a vector and the
    register tile. Each attention gets a remark: the schedule, or the reason why
    the fast route does not apply, in which case it is left to attn-decompose.
    Linear layers, norms, softmax, statistics, rotary and sinusoidal positions get
    schedules of their own. Fusion comes after this pass and asks the schedules; an
    op that it makes chooses its own. An op that has a schedule keeps it.

    Output contract: the same ops; nothing but the schedule attribute changes.
    No effect on numerics.

    Example (for `cpu:x86-64-v4`):

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>)
        outs(%init : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) ...
    ```
  }];
}

def ScheduleContractionsPass
    : Pass<"attn-schedule-contractions", "::mlir::func::FuncOp"> {
  let summary = "choose blocks for structured ops that are matrix products";
  let description = [{
    Input contract: structured ops on tensors, fused as far as they will be.

    An op that multiplies and adds (matmul, batch_matmul, matvec, generic ops of
    that form) is a product of matrices, one for each step of a batch: it gets
    `attn.contraction`, the schedule that attn-lower-contractions computes it by.
    Of several loops for rows, columns or terms, those that lie side by side in
    all tensors become one, by reshapes. Further ones for rows and columns are
    steps of the batch. Where terms lie apart, or the last dimension of the output
    or of the operand with the columns is a batch, a tensor is copied in another
    order. An op that multiplies and adds, but is no such product, gets a remark
    that says why. On targets without fast vectors nothing has a schedule.

    Output contract: products with the attribute, which may have fewer loops than
    before, with reshapes and transposes around them.
    Effect on numerics: the order of a sum over several loops may change.

    Example (for `cpu:x86-64-v4`):

    ```mlir
    %y = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>)
        outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
    // becomes
    %y = linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 512,
        depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>} ins(%a, %b : ...) ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_SCHEDULEPASSES_TD
