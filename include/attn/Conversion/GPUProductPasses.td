//===- GPUProductPasses.td - Matrix products as kernels ----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_GPUPRODUCTPASSES_TD
#define ATTN_CONVERSION_GPUPRODUCTPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerProductsToGPUPass
    : Pass<"attn-lower-products-to-gpu", "mlir::func::FuncOp"> {
  let summary = "Lower scheduled matrix products on memrefs to kernels";
  let description = [{
    Input: `attn.linear` and structured contractions on memrefs with
    `#attn.gpu_product` or `#attn.gpu_dots`.

    Each becomes a gpu.launch with a linear grid. With `#attn.gpu_product` a
    block has a tile of the results. It goes over the depth in steps, whose
    operands come into shared memory while the steps before are multiplied:
    f16 and bf16 by matrix instructions, other types by fused multiply-adds.
    Where the target has matrix instructions of four warps, and the schedule is
    for them, there is one kernel more, which the host takes where the copy
    engine reaches both operands: one warp brings them into a ring of stages
    through tensor maps, and groups of four warps multiply by `attn_nv.wgmma`.
    With `#attn.gpu_dots` the lanes of a warp share the terms of a few sums, and
    each element of the right operand is read once for all rows. Finished sums
    go through shared memory, so that bias, epilogue and store work on
    neighbours of a row. Where operands do not lie at multiples of 16 bytes, a
    second form of the kernel, which the host chooses, loads single elements.

    Output: none of these ops is left, or an error that says why. Structured ops
    whose operands have changed their form stay.
    Numerics: sums are f32 (f64 for f64 results), rounded once, to the type of
    the output; their order is fixed by the schedule.

    ```mlir
    attn.linear schedule(#attn.gpu_product<rows = 128, columns = 128, depth = 32,
                         rowWarps = 4, columnWarps = 2, stages = 3>)
        ins(%x, %w : memref<256x512xbf16>, memref<512x1024xbf16>)
        outs(%y : memref<256x1024xbf16>)
    // becomes
    gpu.launch blocks(%b, ...) in (%bx = %c16, ...) threads(%t, ...) in (%tx = %c256, ...) ... {
      scf.for ... { nvvm.cp.async..., nvvm.ldmatrix, nvvm.mma.sync, ... }
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::nvgpu::NVGPUDialect",
    "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

#endif // ATTN_CONVERSION_GPUPRODUCTPASSES_TD
