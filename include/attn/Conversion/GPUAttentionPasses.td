//===- GPUAttentionPasses.td - Attention as a kernel -------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_GPUATTENTIONPASSES_TD
#define ATTN_CONVERSION_GPUATTENTIONPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerAttentionToGPUPass : Pass<"attn-lower-attention-to-gpu"> {
  let summary = "Lower scheduled attention on memrefs to launches of kernels";
  let description = [{
    Input: `attn.attention` on memrefs with `#attn.gpu_attention`.

    Each becomes a gpu.launch with a linear grid: a block for each tile of query
    rows of each head. Products of f16 and bf16 are matrix instructions of a
    warp on fragments in registers, those of f32 and f64 fused multiply-adds,
    with keys and values in shared memory; a thread holds the scores of some keys of a row, on which the score emitter
    works as on any lanes. Tiles of keys that every row sees have a loop of
    their own, without masks. Where rows do not lie at multiples of 16 bytes, a
    second form of the kernel, which the host chooses, loads single elements.
    With roles in the schedule there is another kernel in front of these two,
    which the host chooses where the copy engine takes all operands: one thread
    copies whole tiles ahead, as barriers in shared memory say that there is
    room, and groups of four warps multiply them by `attn_nv.wgmma`.
    Where the schedule splits keys, a block is one range of keys of a tile. It
    writes the states of its rows to scratch memory, and a second launch merges
    them: a warp a row.

    Output: none of these ops is left, or an error that says why.
    Numerics: sums are f32 (f64 for f64), weights are rounded to the type of the values, as
    the matrix instructions want it; the order of summation is fixed by the
    schedule. Hidden keys and values are never multiplied into the result: a
    tile in which both masks and numbers that are not finite occur takes sums
    with selections.

    ```mlir
    attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
      ins(%q, %k, %v : memref<...>, memref<...>, memref<...>) outs(%o : memref<...>)
    // becomes
    gpu.launch blocks(%b, ...) in (%bx = %blocks, ...) threads(%t, ...) ... {
      scf.for ... { nvvm.cp.async..., nvvm.ldmatrix, nvvm.mma.sync, ... }
    }
    ```
  }];
  let dependentDialects = [
    "attn::attn_nv::AttnNVDialect",
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

#endif // ATTN_CONVERSION_GPUATTENTIONPASSES_TD
