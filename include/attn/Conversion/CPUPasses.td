//===- CPUPasses.td - From loops to the LLVM dialect -------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_CPUPASSES_TD
#define ATTN_CONVERSION_CPUPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"attn-expand-math"> {
  let summary = "Expand exponentials and logarithms into arithmetic";
  let description = [{
    Input: `math.exp`, `exp2`, `expm1`, `log`, `log2`, `log1p`, `tanh`, `erf`,
    `erfc`, `cbrt`, `asinh`, `acosh` and `atanh` on f16, bf16, f32, f64 or
    vectors of them, `isinf`, `isnormal` and `clampf`.

    Each becomes a polynomial with a bit trick for the exponent, so that it
    vectorises and no library function is called. Products that are gelu,
    x/2 (1 + erf(x / sqrt 2)) or the same with erfc, become one function where
    they are f32 or narrower: half as many instructions, and no cancellation.
    Where the error function is marked `afn`, and the target has AVX-512, whole
    registers of them look up polynomials instead: that is less accurate below
    -5, and gives 0 below -7.6. In f32, log1p(exp(-|x|)), which is softplus but
    for a maximum, and 1 + exp(y), which is the denominator of sigmoid and silu,
    become one function, too: neither needs all of the range of its parts.
    On a GPU, which has no C library, `sin`, `cos`,
    `tan`, `sinh`, `cosh`, `log10` and `powf` are computed in f64.
    Powers with a small constant exponent become products and roots, those of a
    constant base above 0 an exponential. Other math ops stay. `arith.truncf` of f32 to bf16 becomes arithmetic on integers,
    which stays in vectors.

    Output: none of the ops named above is left.
    Numerics: full range, with NaN and both infinities; denormal inputs and
    results count as zero. Largest errors in ulp are in
    attn/Conversion/ExpandMath.h. Only `contract` is used, so the last bit
    depends on whether the target has fused multiply-add, and with `afn` on
    whether it has AVX-512.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    // becomes arith.mulf, addf, bitcast, shli, addi, select, ...
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect"
  ];
}

def ShareKernelsPass : Pass<"attn-share-kernels", "mlir::ModuleOp"> {
  let summary = "Compile what a module does several times once";
  let description = [{
    Input: bufferized functions with a context as first argument and an `i32`
    status as last result, loops and structured ops in them.

    Ops with regions and without results that are equal but for the values they
    use from outside become calls of one private function
    `NAME__sharedK(context, values...) -> status`: those of equal layers, which
    have other weights, and those of one layer. Equal are names, types (with
    them all static sizes and strides), attributes and constants; of values from
    outside, those must be the same that are the same in the other op. Locations
    do not count. A loop or condition that has no equal is searched for ops that
    have; a parallel loop is not.

    Output: calls, and of each kernel one.
    Numerics: unchanged.

    ```mlir
    scf.forall (%i) in (%n) { ... %a ... }
    scf.forall (%i) in (%n) { ... %b ... }
    // becomes
    %s0 = call @NAME__shared0(%ctx, %n, %a)
    %s1 = call @NAME__shared0(%ctx, %n, %b)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect"
  ];
}

def ConfigureTilesPass : Pass<"attn-configure-tiles", "mlir::ModuleOp"> {
  let summary = "Configure the tile unit around what uses it";
  let description = [{
    Input: functions with `scf.forall`, and with LLVM's intrinsics of the tile
    unit, on registers by number.

    Where the body of a parallel loop uses tiles, `llvm.x86.ldtilecfg` stands
    before the first of its ops that do, and `llvm.x86.tilerelease` behind the
    last one: all tiles have one shape, and the unit is in use no longer than it
    has to be. In a function the same holds for what stands between calls and
    parallel loops, as a task on the same thread leaves the unit released.

    Output: each use of a tile has a configuration, and none outlives its
    function.
    Numerics: no effect.

    ```mlir
    scf.forall (%i) in (%n) { scf.for ... { llvm.call_intrinsic "llvm.x86.tdpbf16ps"(...) } }
    // becomes
    scf.forall (%i) in (%n) {
      llvm.call_intrinsic "llvm.x86.ldtilecfg"(%configuration)
      scf.for ... { llvm.call_intrinsic "llvm.x86.tdpbf16ps"(...) }
      llvm.call_intrinsic "llvm.x86.tilerelease"()
    }
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def OutlineParallelPass : Pass<"attn-outline-parallel", "mlir::ModuleOp"> {
  let summary = "Outline parallel loops and run them through the context";
  let description = [{
    Input: bufferized functions with a context as first argument and an `i32`
    status as last result; `scf.forall` without results.

    The body of each outermost `scf.forall` becomes a private function
    `NAME__bodyK(context, i, captures...) -> status`. Constants are cloned into
    it; other captured values travel in a struct on the parent's stack, memrefs
    as descriptors by value. `NAME__taskK(data, i)` unpacks the struct, calls the
    body with the thread's denormals flushed, and stores a status other than 0
    in the struct. The parent hands the task to `ctx->parallel_for`, or loops
    itself where that is null, and returns early if a task failed. Nested loops
    become serial inside the body.

    Output: no `scf.forall`.
    Numerics: denormals count as zero inside bodies. The order of iterations is
    free, and the result must not depend on it.

    ```mlir
    scf.forall (%i) in (%n) { ... }
    // becomes
    llvm.call @attn.run_parallel(%ctx, %task, %shared, %n)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"
  ];
}

def FuseElementwisePass : Pass<"attn-fuse-elementwise"> {
  let summary = "Fuse chains of elementwise linalg ops";
  let description = [{
    Input: linalg on tensors, after raising: fusion would hide spelled-out
    attention.

    An elementwise producer moves into its only consumer if both have loop nests
    of the same depth, so that nothing is computed twice and contractions, which
    have one loop more, stay bare.

    Output: fewer temporary tensors.
    Numerics: unchanged.

    ```mlir
    %1 = linalg.generic ... ins(%0) { arith.subf }
    %2 = linalg.generic ... ins(%1) { math.exp }
    // becomes
    %2 = linalg.generic ... ins(%0) { arith.subf, math.exp }
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def TileRowsPass : Pass<"attn-tile-rows"> {
  let summary = "Take steps over rows one row after the other";
  let description = [{
    Input: structured ops on tensors.

    Looks for a `linalg.generic` that ends several steps over rows: it reads the
    result of a reduction along the last loop, as the quotient of a softmax reads
    its sum, or what follows from it, as the factor of a norm. It is tiled by
    single rows, and what only it needs moves into the loops, so that a row comes
    from memory once. Reductions of rows that others need as well become further
    results of the loops. Tensors that the second-level cache holds stay as they
    are, and chains of more than 12 steps.

    Output: parallel loops with structured ops on rows, for `attn-group-rows`;
    sequential ones outside of kernels and inside of other parallel loops.
    Numerics: unchanged; every row is computed as before.

    ```mlir
    %s = linalg.generic ... iterator_types = ["parallel", "reduction"] ins(%x) outs(%zeros)
    %y = linalg.generic ... iterator_types = ["parallel", "parallel"] ins(%x, %s) outs(%e)
    // becomes
    %y = scf.forall (%i) in (%rows) shared_outs(%all = %e) {
      %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1]
      %s = linalg.generic ... ins(%row)
      %z = linalg.generic ... ins(%row, %s)
      tensor.parallel_insert_slice %z into %all[%i, 0] [1, %n] [1, 1]
    } {attn.rows}
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def GroupRowsPass : Pass<"attn-group-rows"> {
  let summary = "Make work items of several rows";
  let description = [{
    Input: the parallel loops over rows of `attn-tile-rows`, on memrefs.

    Each becomes a parallel loop over blocks of about 65536 elements, and a
    sequential one over the rows of a block. A size that is not known is taken
    for 64.

    Output: `scf.forall` over blocks.
    Numerics: unchanged.

    ```mlir
    scf.forall (%i) in (%rows) { ... } {attn.rows}
    // becomes
    scf.forall (%block) in (%blocks) {
      scf.for %i = %begin to %end step %c1 { ... }
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"
  ];
}

def VectorizeElementwisePass : Pass<"attn-vectorize-elementwise"> {
  let summary = "Compute elementwise linalg ops on vectors along rows";
  let description = [{
    Input: `linalg.generic` on memrefs.

    An op is elementwise if its last loop is parallel: then lanes have nothing to
    do with each other, also where an outer loop is a reduction. Where the rows
    of each operand (those along the last loop) are contiguous, or one element
    serves a whole row, the op becomes loops with vectors of the machine's width,
    and one masked vector for the rest of a row. Bodies are ops that each lane
    may do by itself, `linalg.index` among them. Other ops stay: those with
    transposed operands, booleans in memory, or with ops that must not run for
    lanes that do not exist, such as integer divisions.

    Rows of bf16 whose numbers are widened to f32 and rounded in the end are
    taken two numbers a word: those at even places as one vector and those at odd
    ones as another, which takes no shuffles; where they are few ops, memory is
    asked for 1024 bytes ahead.

    In a kernel, outer loops that are parallel become work items of about 65536
    elements, unless all of them together are less than two. A result of at least
    eight times the second-level cache is written past the caches, where its rows
    are aligned, and nothing else in the op or in the loop over rows around it
    lies there; then inputs are asked for 4 KiB ahead. Who is the last to go over
    the rows of such a loop asks for the next one.

    Output: loops, or the op as it was.
    Numerics: unchanged; each lane does what the scalar loop did.

    ```mlir
    linalg.generic ... ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) { math.exp }
    // becomes
    scf.for %i = %c0 to %full step %c16 {
      %v = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
      %e = math.exp %v : vector<16xf32>
      vector.store %e, %y[%i] : memref<?xf32>, vector<16xf32>
    }
    scf.for %i = %full to %n step %c16 { vector.maskedload, math.exp, vector.maskedstore }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def VectorizeReductionsPass : Pass<"attn-vectorize-reductions"> {
  let summary = "Reduce rows on vectors";
  let description = [{
    Input: `linalg.generic` on memrefs whose last loop is a reduction.

    Where the rows of each operand are contiguous, or one element serves a whole
    row, and each result is the result so far combined with something else by
    one op with a neutral element (sums, products, maxima, minima, bits; or a
    comparison and a select that keep the larger or smaller one), each lane
    reduces its own elements. Small bodies go on four vectors at a time. The
    accumulators live in registers over all of the innermost reductions; at the
    end vectors and then lanes are combined as a tree, and last comes what was in
    memory. Other reductions stay as they are. Work items and next rows are as in
    `attn-vectorize-elementwise`; no sum is shared by two items.

    Output: loops, or the op as it was.
    Numerics: sums are taken in another order, which is fixed for one target; a
    sum of n elements has about n / (4 lanes) roundings in a row instead of n.

    ```mlir
    linalg.generic ... ins(%x : memref<?xf32>) outs(%y : memref<f32>) { arith.addf }
    // becomes
    %s = scf.for %i = %c0 to %full step %c16 iter_args(%a = %zeros) {
      %v = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
      %b = arith.addf %v, %a : vector<16xf32>
      scf.yield %b : vector<16xf32>
    }
    scf.for %i = %full to %n step %c16 { vector.maskedload, arith.addf, arith.select }
    // a tree of vector.shuffle and arith.addf, and %y[] + its lane 0
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def ExpandCopiesPass : Pass<"attn-expand-copies"> {
  let summary = "Rewrite strided copies as structured ops";
  let description = [{
    Input: `memref.copy` between ranked memrefs.

    Where one of the two is not known to be contiguous, the copy becomes a
    `linalg.generic`, because the LLVM lowering would call a function of the
    MLIR runtime that kernels do not have.

    Output: each `memref.copy` left is between contiguous memrefs.
    Numerics: unchanged.

    ```mlir
    memref.copy %a, %b : memref<4x4xf32, strided<[?, 1]>> to memref<4x4xf32>
    // becomes
    linalg.generic ... ins(%a) outs(%b) { linalg.yield %in }
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def BooleansToBytesPass : Pass<"attn-booleans-to-bytes", "mlir::ModuleOp"> {
  let summary = "Store booleans as bytes";
  let description = [{
    Input: functions on memrefs; loads and stores are `memref.load`, `store`,
    `vector.load` and `store`.

    Each memref of i1, at function boundaries and inside, becomes one of i8. A
    loaded byte is true unless it is 0; true is stored as 1. Otherwise
    `vector.load` would read packed bits, and a byte other than 0 or 1 from a
    host would be undefined.

    Output: no memref of i1.
    Numerics: unchanged.

    ```mlir
    %b = vector.load %m[%i] : memref<?xi1>, vector<16xi1>
    // becomes
    %0 = vector.load %m[%i] : memref<?xi8>, vector<16xi8>
    %b = arith.cmpi ne, %0, %zero : vector<16xi8>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def OrderConstantsPass : Pass<"attn-order-constants", "mlir::ModuleOp"> {
  let summary = "Name and order constants by their first uses";
  let description = [{
    Input: a module after bufferization, whose constant tensors are private
    `memref.global` ops.

    Bufferization goes over functions in an order that differs from run to run,
    and names and places constants as it meets them. Here they move to the
    beginning of the module, in the order in which functions use them first, and
    are named after it: so the same input gives the same bytes.

    Output: the same constants; those that nothing uses, and public ones, stay
    where they are.
    Numerics: unchanged.

    ```mlir
    memref.global "private" constant @__constant_2xf32 : memref<2xf32> = dense<[1.0, 2.0]>
    func.func @f() { %0 = memref.get_global @__constant_2xf32 : memref<2xf32> ... }
    // becomes
    memref.global "private" constant @constant : memref<2xf32> = dense<[1.0, 2.0]>
    func.func @f() { %0 = memref.get_global @constant : memref<2xf32> ... }
    ```
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
}

def VerifyKernelPass : Pass<"attn-verify-kernel"> {
  let summary = "Check that kernels hold nothing slow or unlowered";
  let description = [{
    Input: functions on memrefs with their parallel loops still in place, after
    `attn-lower-to-vector` and `attn-expand-math`.

    It is an error if an attn op is left, if an allocation or a copy stands in a
    loop of a parallel body, if a vector of more than one dimension is used, or
    if an exponential is left that would become a call of the C library. All of
    these would be silent and slow, or fail later without saying where.

    Output: unchanged.
    Numerics: unchanged.

    ```mlir
    scf.forall (%i) in (%n) { scf.for ... { %0 = memref.alloc() : memref<4xf32> } }
    // error: 'memref.alloc' op allocates inside a loop of a parallel body
    ```
  }];
}

#endif // ATTN_CONVERSION_CPUPASSES_TD
