//===- GPUPasses.td - From memrefs to kernels --------------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_GPUPASSES_TD
#define ATTN_CONVERSION_GPUPASSES_TD

include "mlir/Pass/PassBase.td"

def StructuredToGPUPass
    : Pass<"attn-structured-to-gpu", "mlir::func::FuncOp"> {
  let summary = "Make a kernel of every structured op";
  let description = [{
    Input: structured ops and copies on memrefs of device memory; loops around
    loads and stores.

    Each structured op becomes a `gpu.launch` with a thread for each element of
    its first result, neighbours in memory side by side in a warp. Dimensions
    that a result lacks are loops of the thread, and what they add up stays in
    registers. Where no dimension is left to loops, a thread has neighbours of 16
    bytes; a second launch takes tensors that the host finds not to be aligned.
    What is read across its rows goes through shared memory in squares, so that
    reads and writes are of neighbours. A copy is such an op. Loops with stores, and single
    stores, become kernels, too: a parallel loop with a thread for each
    iteration, others with one thread, which a remark tells.

    Output: nothing outside of kernels writes a memref.
    Numerics: unchanged; sums have the order of the loops.

    ```mlir
    linalg.generic ... iterator_types = ["parallel", "reduction"]
        ins(%x : memref<8x64xf32>) outs(%y : memref<8xf32>)
    // becomes
    gpu.launch blocks(...) in (%c1, ...) threads(...) in (%c32, ...) {
      %row = ...
      scf.if %inside {
        %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = ...) { ... }
        memref.store %sum, %y[%row]
      }
      gpu.terminator
    }
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def LowerRowsToGPUPass : Pass<"attn-lower-rows-to-gpu"> {
  let summary = "Make kernels of ops of rows";
  let description = [{
    Input: `attn.norm`, `attn.softmax`, `attn.statistics`, `attn.rope` and
    `attn.sinusoidal_positions` on memrefs with `#attn.gpu_rows`.

    Each becomes a `gpu.launch`, by the same algorithms as on the processor: some
    lanes, a warp or a block have a row, or, where rows are columns in memory,
    lanes have rows side by side. A row whose schedule has pieces is read once
    and stays in registers; another one is read in each pass, and what it keeps
    lies in scratch memory. Sums meet in shuffles, and in shared memory where a
    row has several warps. Where a schedule cuts rows, a second launch puts the
    parts together. Positions compute their sines and cosines once for several
    rows. A `width` of more than 1 makes two launches, between which the host
    chooses: vectors for rows that are aligned, and single elements.

    Output: none of these ops is left.
    Numerics: as on the portable path; the order of summation is fixed by the
    schedule.

    ```mlir
    attn.norm rms axes [1] eps(1.0e-05)
        schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 2>)
        ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
    // becomes
    gpu.launch blocks(%b, ...) in (%c2, ...) threads(%t, ...) in (%c128, ...) {
      memref.load ...
      nvvm.shfl.sync ...
      memref.store ...
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def OutlineKernelsPass : Pass<"attn-outline-kernels", "mlir::ModuleOp"> {
  let summary = "Move the bodies of launches into one GPU module";
  let description = [{
    Input: functions with `gpu.launch`.

    Each body becomes a kernel `FUNCTION__kernelK` of the gpu.module
    `attn_kernels`; bodies that are the same share one. What a body uses of the
    function travels as the kernel's arguments: a memref as the address of its
    first element and those sizes and strides that its type leaves open, numbers
    as they are. Constants move into the body, and so do constant tensors, which
    become data of the GPU module. A load whose memory nobody writes in between
    moves into the body, too, and what is computed of it, so that the host does
    not wait for it.

    Output: `gpu.launch_func` of pointers and numbers only.
    Numerics: unchanged.

    ```mlir
    gpu.launch ... { ... memref.store %x, %m[%i] : memref<?xf32> ... }
    // becomes
    gpu.launch_func @attn_kernels::@f__kernel0 ...
        args(%x : f32, %address : !llvm.ptr, %size : index)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"
  ];
}

def LaunchToCallsPass : Pass<"attn-launch-to-calls", "mlir::ModuleOp"> {
  let summary = "Launch kernels, and read device memory, through the context";
  let description = [{
    Input: functions with a context as first argument and an `i32` status as last
    result; `gpu.launch_func` of pointers and numbers; loads from device memory.

    A launch becomes a call of the context's `launch` (attn-runtime/attn_gpu.h)
    with a constant that describes the kernel; a load of a number that the host
    needs becomes a call of `read`, which waits for the device: a remark says so.
    A call that fails ends the function with its status.

    Output: no launch and no load outside of the GPU module.
    Numerics: unchanged.

    ```mlir
    gpu.launch_func @attn_kernels::@f__kernel0 blocks in (%n, %c1, %c1)
        threads in (%c256, %c1, %c1) args(%address : !llvm.ptr)
    // becomes
    %status = llvm.call %launch(%context, %kernel, %grid, %shared, %parameters)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"
  ];
}

def DeviceToLLVMPass : Pass<"attn-device-to-llvm", "mlir::gpu::GPUModuleOp"> {
  let summary = "Lower GPU modules to the LLVM and NVVM dialects";
  let description = [{
    Input: kernels of arithmetic, memrefs, vectors and unstructured control flow.

    Upstream's patterns for all of these dialects, at once. Functions of `math`
    that LLVM has no intrinsic for stay: libdevice is not there.

    Output: the LLVM and NVVM dialects, and casts between types that cancel.
    Numerics: unchanged.

    ```mlir
    gpu.func @k(%x: !llvm.ptr) kernel { %0 = gpu.thread_id x ... }
    // becomes
    llvm.func @k(%x: !llvm.ptr) attributes {nvvm.kernel} {
      %0 = nvvm.read.ptx.sreg.tid.x : i32
      ...
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::vector::VectorDialect"];
}

def VerifyDeviceCodePass
    : Pass<"attn-verify-device-code", "mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse what the code generator of the GPU cannot take";
  let description = [{
    Input: a GPU module in the LLVM and NVVM dialects.

    LLVM crashes on what is left of other dialects, and ptxas knows no functions
    of a library. Fails with a diagnostic for the first op that is neither LLVM's
    nor NVVM's, and for calls of functions without a body.

    Output: the same module.
    Numerics: unchanged.

    ```mlir
    gpu.module @attn_kernels { llvm.func @k() { %0 = math.sin %x : f32 ... } }
    // error: this op has no code on the GPU: math.sin
    ```
  }];
}

#endif // ATTN_CONVERSION_GPUPASSES_TD
