//===- HostPasses.td - What an entry needs on any machine --*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_HOSTPASSES_TD
#define ATTN_CONVERSION_HOSTPASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceScratchPass : Pass<"attn-place-scratch", "mlir::ModuleOp"> {
  let summary = "Put temporary buffers on the stack or into the context's care";
  let description = [{
    Input: functions in control-flow form, `memref.alloc` balanced by
    `memref.dealloc` on the paths without error.

    Buffers of static shape move to the stack, 64-byte aligned, in the entry of
    their function, as long as they sum to at most 64 KiB. All others come from
    `ctx->alloc` and go back through `ctx->free`. When it has no memory, the
    function frees what it holds and returns ATTN_ERROR_OUT_OF_MEMORY. The early
    exits that outlined bodies ask for, and each `cf.assert`, become branches to
    the same exit.

    Output: no `memref.alloc`, `memref.dealloc`, `cf.assert`, and no
    `memref.alloca` of static shape outside entry blocks.
    Numerics: unchanged.

    ```mlir
    %0 = memref.alloc(%n) : memref<?xf32>
    // becomes
    %p = llvm.call @attn.allocate_scratch(%ctx, %bytes)
    cf.cond_br %ok, ^next, ^exit(%out_of_memory : i32)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def NameStepsPass : Pass<"attn-name-steps"> {
  let summary = "Note in locations what ops are";
  let description = [{
    Input: tensors, before ops are scheduled.

    The location of each op of this dialect and of linalg gets its name, so that
    attn-profile-steps knows what the loops compute that ops become.

    Output: the same.
    Numerics: unchanged.

    ```mlir
    %0 = attn.norm rms ... loc("model.mlir":7:3)
    // becomes
    %0 = attn.norm rms ... loc("attn.norm"("model.mlir":7:3))
    ```
  }];
}

def ProfileStepsPass : Pass<"attn-profile-steps", "mlir::ModuleOp"> {
  let summary = "Count the time and the runs of a kernel's steps";
  let description = [{
    Input: entries on memrefs, with loops and linalg ops, whose locations have
    what attn-name-steps wrote.

    Around each op with loops of its own, and each call of a shared kernel, in an
    entry, the processor's counter of ticks is read; a table has for each step
    the sum of the differences and the number of runs. Steps of one name and
    location are one. The table is one for all threads: kernels that count may
    run on any number of threads, but not several at once.

    Output: the same, and a function `attn_step_counts` that stores the address
    of the table where its argument points. `attn.steps` on the module has names
    and locations.
    Numerics: unchanged.

    ```mlir
    linalg.generic ... loc("attn.norm"("model.mlir":7:3))
    // becomes
    %0 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    linalg.generic ...
    %1 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    %2 = llvm.sub %1, %0 : i64
    ...
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def HostToLLVMPass : Pass<"attn-host-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower functions to the LLVM dialect";
  let description = [{
    Input: functions of arithmetic, math, memrefs without metadata ops, vectors
    of rank 1 in memory, and unstructured control flow. Modules of kernels may
    stand beside them and stay as they are.

    Upstream's patterns for all of these dialects, at once. A function of `math`
    that LLVM has no intrinsic for becomes a call of the C library.

    Output: the LLVM dialect, and casts between types that cancel. Fails with a
    diagnostic for the first op that has no conversion.
    Numerics: unchanged.

    ```mlir
    func.func @f(%x: memref<8xf32>, %i: index) -> f32 {
      %0 = memref.load %x[%i] : memref<8xf32>
      return %0 : f32
    }
    // becomes
    llvm.func @f(%base: !llvm.ptr, %aligned: !llvm.ptr, ..., %i: i64) -> f32 {
      %0 = llvm.getelementptr inbounds|nuw %aligned[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %1 = llvm.load %0 : !llvm.ptr -> f32
      llvm.return %1 : f32
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::vector::VectorDialect"
  ];
}

#endif // ATTN_CONVERSION_HOSTPASSES_TD
