//===- Passes.td - Passes that lower attn to loops and to LLVM -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_PASSES_TD
#define ATTN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// EntryABI: from a function on tensors to a C function on DLTensors
//===----------------------------------------------------------------------===//

def RecordSizesPass : Pass<"attn-record-sizes", "mlir::ModuleOp"> {
  let summary = "Record which sizes of a function's arguments must be equal";
  let description = [{
    Input: public functions on tensors, before ops are tiled.

    Structured ops, attn ops, casts and reshapes force dimensions to be equal to
    each other or to a constant. What follows for the arguments is recorded on
    them: `attn.dim_classes` has one number per dimension, equal numbers for
    equal sizes, `attn.dim_sizes` the constant or -1. Ops inside regions are not
    looked at, because they may not run.

    Output: the same functions; `attn-emit-entry` checks what was recorded.
    Numerics: unchanged.

    ```mlir
    func.func @f(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>) { linalg.matmul ... }
    // becomes
    func.func @f(
      %a: tensor<?x8xf32> {attn.dim_classes = array<i64: 0, 1>, attn.dim_sizes = array<i64: -1, 8>},
      %b: tensor<?x?xf32> {attn.dim_classes = array<i64: 1, 2>, attn.dim_sizes = array<i64: 8, -1>})
    ```
  }];
}

def ResultsToDestinationsPass
    : Pass<"attn-results-to-destinations", "mlir::ModuleOp"> {
  let summary = "Give public functions memref arguments, destinations and a status";
  let description = [{
    Input: public functions with a body on tensors and scalars, calls to them
    already inlined.

    Each public function gets a leading `!llvm.ptr` (the kernel's context), one
    memref per argument, one trailing memref per result and an `i32` status
    result. Tensor arguments are read with `bufferization.to_tensor restrict`,
    results are tied to their memref with
    `bufferization.materialize_in_destination`. Scalars become memrefs of rank
    0. The memrefs carry fully dynamic strides except for the innermost, which
    is 1; `attn-unit-inner-strides` makes that true for every host.

    Beside each function `NAME` lies a private `NAME__dims` that computes the
    sizes of all results from the sizes of all arguments.

    Output: one-shot bufferization of each function allocates no result.
    Numerics: unchanged.

    ```mlir
    func.func @f(%a: tensor<?xf32>) -> tensor<?xf32>
    // becomes
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>,
                 %out: memref<?xf32, strided<[1], offset: ?>>) -> i32
    func.func private @f__dims(%a0: index) -> index
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect"
  ];
}

def SeparateDestinationsPass
    : Pass<"attn-separate-destinations", "mlir::func::FuncOp"> {
  let summary = "Let no two results begin in the same tensor.empty";
  let description = [{
    Input: tensors whose results are tied to memrefs, after the last common
    subexpression elimination before bufferization.

    A result's buffer takes the place of the `tensor.empty` in which the
    computation of the result begins. Where another result begins there, too,
    or goes on from a value in between, that buffer would hold the other result
    when it is due, and ties to memrefs are no reads that bufferization would
    respect. Therefore each use of a `tensor.empty`, and each destination that
    is a `linalg.fill` of one, gets its own. A computation with a value in
    between that has several uses begins in a `bufferization.alloc_tensor`
    instead and is copied at its end. Results take effect all at once: a result
    that may be part of an argument's old value is saved before that argument
    takes over its new one (`attn.inout`), and a new value that does not go on
    from the old one is computed elsewhere.

    Output: as the input, safe for `eliminate-empty-tensors`.
    Numerics: unchanged.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %e0 = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %e1 = tensor.empty() : tensor<4xf32>
    %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::tensor::TensorDialect"
  ];
}

def UnitInnerStridesPass : Pass<"attn-unit-inner-strides", "mlir::ModuleOp"> {
  let summary = "Let hosts give tensors with any strides";
  let description = [{
    Input: bufferized entries whose memref arguments have dynamic strides, but a
    contiguous innermost dimension.

    Vector loads need contiguous rows, and hosts may have tensors without them.
    The function is renamed to `NAME__unit`; a new `NAME` takes memrefs with any
    strides, passes on those with contiguous rows as they are, and copies the
    others into scratch and, for outputs, back. The scratch is freed on return,
    see `attn-place-scratch`.

    Output: entries whose memref arguments have only dynamic strides.
    Numerics: unchanged.

    ```mlir
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>) -> i32
    // becomes
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[?], offset: ?>>) -> i32
    func.func private @f__unit(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>) -> i32
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def EmitEntryPass : Pass<"attn-emit-entry", "mlir::ModuleOp"> {
  let summary = "Emit the C functions that hosts call";
  let description = [{
    Input: what `attn-results-to-destinations` made of each public function,
    bufferized; the body may be lowered as far as the LLVM dialect.

    `NAME` becomes private as `NAME__kernel`. Two C functions are added, see
    attn-runtime/attn_runtime.h: `NAME(ctx, tensors...)` checks the context, each
    DLTensor (null pointers, rank, element type, sizes, device, strides) and
    that no output overlaps another argument, and calls the kernel with the
    thread's denormals flushed; `NAME__shapes(ctx, inputs..., dims)` stores the
    sizes of the outputs. A failed check returns a code and copies a constant
    text that names the argument and what was expected.

    Output: LLVM functions that call functions on memrefs.
    Numerics: denormals count as zero inside the kernel; the caller's mode is
    restored.

    ```mlir
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>,
                 %out: memref<?xf32, strided<[1], offset: ?>>) -> i32
    // gains
    llvm.func @f(%ctx: !llvm.ptr, %a: !llvm.ptr, %out: !llvm.ptr) -> i32
    llvm.func @f__shapes(%ctx: !llvm.ptr, %a: !llvm.ptr, %dims: !llvm.ptr) -> i32
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides how denormals are flushed">];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

//===----------------------------------------------------------------------===//
// AttnToLinalg: the portable path
//===----------------------------------------------------------------------===//

def DecomposePass : Pass<"attn-decompose"> {
  let summary = "Rewrite attn ops on tensors as plain linalg";
  let description = [{
    Input: attn ops on tensors, with any policies, layouts and sizes. Ops on
    memrefs are left alone.

    Each op becomes structured ops, one per step: norms (for cosine
    similarity), similarities, which keys are visible, scores, the running
    maximum, weights, their sum, the product with the values, and the end of
    the rows with the normaliser's extra term. All scores of an op exist at
    once, so this is for targets and combinations without a fast path. A scale
    that depends on n is computed once per row. Operands keep their layouts and
    head groups through indexing maps. With `keep-tiles` only attn.attention is
    rewritten, and ops on tiles are left for a machine lowering, as are norms
    with a schedule.

    A norm becomes sums over its axes and elementwise ops; its variance is a
    second sum, around the mean.

    Output: no attn op on tensors (with `keep-tiles`: no attn.attention), or an
    error that says why.
    Numerics: scores, weights, sums and accumulators have the compute type
    (f32, or f64 for f64), summed in the order of the loops; operands are
    widened when read and results rounded once. Scores stay in natural units
    (on tiles, in log2 units), and exponentials are relative to the row's
    maximum. A hidden key's score is replaced before the exponential and its
    value before the product, so NaN may stand there.

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x6x16xf32>, tensor<4x6x16xf32>)
        outs(%init : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    // becomes
    %s = linalg.generic ... ins(%q, %k) outs(%zeros : tensor<4x8x6xf32>) { mulf, addf }
    %t = linalg.generic ... outs(%s) { mulf }
    %m = linalg.generic ... ins(%t) outs(%infinities : tensor<4x8xf32>) { cmpf, select }
    %p = linalg.generic ... ins(%m) outs(%t) { subf, exp }
    ...
    ```
  }];
  let options = [Option<"keepTiles", "keep-tiles", "bool", "false",
                        "Leave ops on tiles for a machine lowering">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TileToVector: tile ops on memrefs become vector loops
//===----------------------------------------------------------------------===//

def LowerToVectorPass : Pass<"attn-lower-to-vector"> {
  let summary = "Lower attn tile ops on memrefs to vector loops";
  let description = [{
    Input: `attn.pack_query`, `attn.online_attention` and `attn.finalize` on
    memrefs, with a schedule, and operands that are 2-D tiles: the number of
    query rows and keys is dynamic up to the schedule's bound, head and value
    dimension are static, states are contiguous.

    Queries lie in the lanes. Both products become loops over register tiles of
    `mr` broadcast elements by `nr` vectors, with the accumulators carried by
    the innermost loop; the softmax is vertical. Masks and biases are emitted by
    the score emitter, in ops that carry them only. Scores of one tile of keys
    live in a scratch at the start of the function or parallel body.

    Output: none of these ops is left, or an error that says why. No call, no
    allocation inside loops.
    Keys and values in another type than the schedule's `operands` are
    converted into scratch first, once for all rows of the tile.
    Numerics: f32 throughout (f64 for f64); narrower inputs are widened exactly
    and results rounded to nearest even once. Weights 2^x have an error of 2 ulp; very
    small ones are 0 (on AVX-512 when the kernel flushes denormals). Hidden keys and values are never multiplied
    into the result, so NaN may stand there. The order of summation is fixed by
    the schedule.

    ```mlir
    attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) ...
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32>, memref<?x64xf32>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
    // becomes scf.for over keys { scf.for over d iter_args(24 x vector<16xf32>) }, ...
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides how exponentials are computed">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def LowerContractionsPass : Pass<"attn-lower-contractions"> {
  let summary = "Lower matrix products on memrefs to vector loops";
  let description = [{
    Input: `attn.linear` on memrefs, with a schedule, and structured ops on
    memrefs that multiply and add (matmul, batch_matmul, matvec, generic ops of
    that form) with one loop each for rows, columns and terms, any number of
    batch loops, and contiguous rows of the right operand and the output.
    Layouts, transposed operands included, are strides; sizes may be dynamic.

    Blocks of rows by groups of columns become an scf.forall. A block goes over
    the terms in steps: it packs its part of the right operand into panels, in
    the type of the sums, copies the rows of one register tile next to each
    other, and runs that tile over all panels, with the accumulators carried by
    the innermost loop. Sums of one step wait in the output, or, where it is
    narrower, in scratch. A factor, a bias, the epilogue and the rounding to the
    output's type are applied to a tile before it is stored. With a schedule of 0
    panels the right operand is read where it lies.

    Output: none of these ops is left; other structured ops that multiply and
    add get a remark. On targets without fast vectors only linear layers are
    looked at, which then have no schedule.
    Numerics: sums are f32 (f64 for f64) whatever the operands, rounded once, in
    an order that depends on the schedule only.

    ```mlir
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
    // becomes
    scf.forall (%batch, %i, %j) in (1, %blocks, 2) {
      ... // pack 64 x 48 elements of %b
      scf.for %row ... { scf.for %k ... iter_args(24 x vector<16xf32>) }
    }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides the blocks of structured ops">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// CPU: from memrefs and loops to what the LLVM dialect can express
//===----------------------------------------------------------------------===//

def ExpandMathPass : Pass<"attn-expand-math"> {
  let summary = "Expand exponentials and logarithms into arithmetic";
  let description = [{
    Input: `math.exp`, `exp2`, `expm1`, `log`, `log2`, `log1p` and `tanh` on
    f16, bf16, f32, f64 or vectors of them.

    Each becomes a polynomial with a bit trick for the exponent, so that it
    vectorises and no library function is called. Powers with a small constant
    exponent become products and roots. Other math ops stay. `arith.truncf` of
    f32 to bf16 becomes arithmetic on integers, which stays in vectors.

    Output: none of the ops named above is left.
    Numerics: full range, with NaN and both infinities; denormal inputs and
    results count as zero. Largest errors in ulp are in
    attn/Conversion/ExpandMath.h. Only `contract` is used, so the last bit
    depends on whether the target has fused multiply-add.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    // becomes arith.mulf, addf, bitcast, shli, addi, select, ...
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def OutlineParallelPass : Pass<"attn-outline-parallel", "mlir::ModuleOp"> {
  let summary = "Outline parallel loops and run them through the context";
  let description = [{
    Input: bufferized functions with a context as first argument and an `i32`
    status as result; `scf.forall` without results.

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
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides how denormals are flushed">];
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
    its sum. It is tiled by single rows, and what only it needs moves into the
    loops, so that a row comes from memory once. Reductions of rows that others
    need as well become further results of the loops. Tensors that the
    second-level cache holds stay as they are, and chains of more than 12 steps.

    Output: loops with structured ops on rows.
    Numerics: unchanged; every row is computed as before.

    ```mlir
    %s = linalg.generic ... iterator_types = ["parallel", "reduction"] ins(%x) outs(%zeros)
    %y = linalg.generic ... iterator_types = ["parallel", "parallel"] ins(%x, %s) outs(%e)
    // becomes
    %y = scf.for %i = %c0 to %rows step %c1 iter_args(%all = %e) {
      %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1]
      %s = linalg.generic ... ins(%row)
      %z = linalg.generic ... ins(%row, %s)
      tensor.insert_slice %z into %all[%i, 0] [1, %n] [1, 1]
    }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, whose cache decides what is worth it">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
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
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides how wide vectors are">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
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
    memory. Other reductions stay as they are.

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
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "Target, which decides how wide vectors are">];
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

#endif // ATTN_CONVERSION_PASSES_TD
