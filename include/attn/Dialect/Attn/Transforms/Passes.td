//===- Passes.td - Passes on attn ops over tensors -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Raise
//===----------------------------------------------------------------------===//

def RaiseAttentionPass : Pass<"attn-raise-attention", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out attention as attn.attention";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Starts from each contraction with weights that contain exponentials, reads
    what one element of the result is as an expression, and looks in it for
    sum_j (exp(s_ij) / Z_i) v_j with Z_i = sum_j exp(s_ij) + e0. From the score it
    reads scale, softcap, biases and masks, from Z the normaliser. How the
    framework spells it (transposes, reshapes, broadcasts, iota and comparisons
    for masks, shift by the row maximum, scaling before or after the product,
    guards of fully masked rows) does not matter. Nothing changes before all of
    it is understood; otherwise the contraction keeps a remark with the reason.

    Output contract: where it matched, one attn.attention on the original
    tensors, whose layout is in the indexing maps. The spelled-out ops are dead
    and fall to canonicalisation. A causal mask or a window is an attribute.

    Effect on numerics: refinement. Equal within tolerance wherever the source is
    finite. A NaN from avoidable overflow may become finite, and a row without a
    visible key gives 0. A constant scale gets the name inv_sqrt_dim, none or
    inv_dim within 4 ulp of f32; another one stays `constant` with a remark. A
    finite fill of hidden scores (such as -1e9) becomes a mask only if every row
    provably keeps a key.

    Example:

    ```mlir
    %s = linalg.batch_matmul_transpose_b ...  // q k^T
    // ... scale, row maximum, exp, row sum, division ...
    %o = linalg.batch_matmul ins(%p, %v : ...) ...
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x48x32xf32>, tensor<2x48x32xf32>, tensor<2x48x32xf32>)
        outs(%init : tensor<2x48x32xf32>) -> tensor<2x48x32xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseNormPass : Pass<"attn-raise-norm", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out layer, rms and l2 norms as attn.norm";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Starts from each root of a sum, and looks for a tensor x before it and a
    tensor y of the same type after it such that an element of y is
    (x - mean x) / sqrt(v + eps) gamma + beta or x / sqrt(v + eps) gamma + beta.
    v is the mean of (x - mean x)^2 or of x^2, mean x^2 - (mean x)^2, or the sum
    of x^2; instead of eps under the root there may be the bound max(sqrt(v),
    eps). The last dimension or the last few are normalised. gamma and beta are
    whatever has one number for each normalised element: a tensor is taken as it
    is, an expression such as 1 + g becomes one. How the framework spells it
    (sums and divisions apart or in one body, widening to f64, broadcasts, powers)
    does not matter. Where a root is not that of a norm, or eps, the count or the
    mean are not those of one, the ops keep a remark with the reason.

    Output contract: where it matched, one attn.norm on x. The ops that spelled
    it are gone, but for those that something else uses.

    Effect on numerics: refinement. Statistics are f32 (f64 for f64), wherever the
    source had them in another type; eps is the shortest number that is the
    source's in f32. Where the root is 0 the result is beta instead of NaN.

    Example:

    ```mlir
    // x * x, sum along the row, / 64, + 1.0e-05, rsqrt, * x, * gamma
    // becomes
    %y = attn.norm rms axes [2] eps(1.000000e-05) ins(%x : tensor<1x48x64xf32>)
        gamma(%gamma : tensor<64xf32>) outs(%init : tensor<1x48x64xf32>)
        -> tensor<1x48x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseActivationPass : Pass<"attn-raise-activation", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out activation functions as attn.activation";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Looks at each elementwise op, the last one first, and at the tensors before
    it: where an element of the result is a function of the element at the same
    place of one tensor of the same type, and of constants, and that function is
    one that attn.activation has, the op is replaced. Functions are compared by
    value, because they have too many spellings: at 481 places from -30 to 30, at
    powers of 2 up to 2^100 on both sides, and around each constant in the
    expression, where a branch may be. All differences must be below 1e-6 of the
    function's value plus 1e-7, which is what constants of f32 explain: gelu and
    gelu_tanh differ by 5e-4. A function that is near an activation keeps a remark
    with the largest difference.

    Output contract: where it matched, one attn.activation. The ops that spelled
    it are gone, but for those that something else uses.

    Effect on numerics: refinement. Constants are exact, f16 and bf16 are
    rounded once, and far out a NaN of the source may become finite.

    Example:

    ```mlir
    %y = linalg.generic ... ins(%x : tensor<4x8xf32>) ... {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      %e = math.exp %n : f32
      %d = arith.addf %e, %one : f32
      %s = arith.divf %in, %d : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    // becomes
    %y = attn.activation silu %x : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::attn::AttnDialect"];
}

def RaiseLinearPass : Pass<"attn-raise-linear", "::mlir::func::FuncOp"> {
  let summary = "recognise products with weights as attn.linear";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.
    Runs after attn-raise-attention, which looks for contractions.

    A contraction of a tensor's last dimension with a matrix becomes attn.linear
    where the matrix is a parameter: it comes from an argument or a constant,
    without a product on the way. Transposes and broadcasts of the matrix become
    its layout, rows that were collapsed for the product stay apart, the vector
    that is added to each row is the bias, and a division by the root of the
    fan-in the parameterisation ntk. Activations and residuals behind it are left
    to attn-fuse-epilogue. A product with such a matrix that has another form
    keeps a remark with the reason.

    Output contract: where it matched, one attn.linear. The ops that spelled it
    are gone, but for those that something else uses.

    Effect on numerics: refinement. Products of f16 and bf16 accumulate in f32,
    and are rounded once.

    Example:

    ```mlir
    // collapse x, transpose w, matmul, broadcast b, add, expand
    // becomes
    %y = attn.linear weight(out_in)
        ins(%x, %w, %b : tensor<1x48x64xf32>, tensor<256x64xf32>, tensor<256xf32>)
        outs(%init : tensor<1x48x256xf32>) -> tensor<1x48x256xf32>
    ```
  }];
  let dependentDialects = ["::attn::AttnDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseRopePass : Pass<"attn-raise-rope", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out rotary positions as attn.rope";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Looks at sums behind a concatenation of parts of rows (x cos + rotate(x)
    sin), and at concatenations of turned parts. For a tensor x before it that
    has its type, elements of the result are computed: from unit vectors for x
    follow the pairs, which are neighbours or halves of the whole row or of its
    beginning, and the angles of the first rows; from these the scale of the
    positions and the base, which is rounded to four digits where that is within
    1e-4. Then six rows, the last one among them, have to agree for random
    numbers, to 2e-6 plus 2^-21 of the position, which is what angles in f32
    lose. Angles may be computed in any way from the rows' numbers, or be
    constants. Where they come from an argument, or do not follow the formula,
    the ops keep a remark with the reason.

    Output contract: where it matched, one attn.rope on x. The ops that spelled
    it are gone, but for those that something else uses.

    Effect on numerics: refinement. Angles are computed in f64.

    Example:

    ```mlir
    // slice, negate, concatenate; i * 10000^(-2t / d), cos, sin; x * c + r * s
    // becomes
    %y = attn.rope pairs(half_split) ins(%x : tensor<2x48x64xf32>)
        outs(%init : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
    ```
  }];
  let dependentDialects = ["::attn::AttnDialect", "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Simplify
//===----------------------------------------------------------------------===//

def ExpandBlocksPass : Pass<"attn-expand-blocks", "::mlir::func::FuncOp"> {
  let summary = "replace the composite ops of a block by their parts";
  let description = [{
    Input contract: attn.multi_head_attention, attn.feed_forward and
    attn.residual on tensors, nested in any way.

    A multi-head attention becomes linear layers, norms of heads, rotations, one
    attn.attention and the last linear layer. Queries, keys, values and outputs
    stay as the projections give and take them, [batch..., rows, heads,
    dimension], and the attention's indexing maps say so: nothing is transposed.
    New rows for a cache are inserted into slices of it, which bufferises without
    a copy of the cache where its value is not used otherwise; that they fit is a
    cf.assert. With one past for all sequences the attention sees a slice of the
    cache, with one each it has the mask kv_lengths.

    A feed-forward layer becomes linear layers, an activation and, where it is
    gated, a product. The regions of a residual block move out of it, and the sum
    becomes arith.addf, or one structured op where the branch has a factor.

    Output contract: none of the three ops is left.

    Effect on numerics: none; it is how these ops are defined. Each part rounds
    its result to the element type.

    Example:

    ```mlir
    %y = attn.feed_forward gelu ins(%x : tensor<8x64xf32>)
        up(%u : tensor<64x256xf32>) down(%d : tensor<256x64xf32>)
        -> tensor<8x64xf32>
    // becomes
    %h = attn.linear ins(%x, %u : tensor<8x64xf32>, tensor<64x256xf32>)
        outs(%e : tensor<8x256xf32>) -> tensor<8x256xf32>
    %a = attn.activation gelu %h : tensor<8x256xf32>
    %y = attn.linear ins(%a, %d : tensor<8x256xf32>, tensor<256x64xf32>)
        outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Fuse
//===----------------------------------------------------------------------===//

def FuseResidualNormPass : Pass<"attn-fuse-residual-norm", "::mlir::func::FuncOp"> {
  let summary = "make residual additions part of the norms after them";
  let description = [{
    Input contract: attn.norm on tensors; additions as arith.addf on tensors,
    linalg.add or a linalg.generic whose body is one arith.addf.

    Where a norm's input is the elementwise sum of two tensors of its type, the
    norm takes one of them as its input and the other one as its residual. Where
    others use the sum too, all of them after the norm, it becomes the norm's
    second result. A sum that is used before the norm stays, with a remark.

    Output contract: the same ops; fused additions are gone.

    Effect on numerics: none. The sum is rounded to its type before it is
    normalised, as it was.

    Example:

    ```mlir
    %x = arith.addf %a, %b : tensor<8x64xf32>
    %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>)
        outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
    return %x, %y : tensor<8x64xf32>, tensor<8x64xf32>
    // becomes
    %y:2 = attn.norm rms axes [1] eps(1.0e-5) ins(%a : tensor<8x64xf32>)
        residual(%b : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>)
        sum(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>, tensor<8x64xf32>
    return %y#1, %y#0 : tensor<8x64xf32>, tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseEpiloguePass : Pass<"attn-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "make elementwise ops part of the linear layers before them";
  let description = [{
    Input contract: attn.linear on tensors; elementwise ops after it: activations
    and arith or math ops on tensors, structured ops whose loops are parallel.

    An elementwise op that alone uses the result of a linear layer, such as an
    activation, the addition of a residual or the product with a gate, becomes
    part of the layer's epilogue: its other operands are extras, numbers that are
    the same for all elements are constants of the region. Where two layers meet
    in one op, the later one takes it in. An op is left alone, with a remark,
    where the layer's result has other users, where an operand is not read at the
    place that is written, or where its body is not arithmetic on floats.

    Output contract: the same ops; fused ones are regions of linear layers.

    Effect on numerics: what was rounded to f16 or bf16 between the layer and the
    op is not rounded any more. None for f32 and f64.

    Example:

    ```mlir
    %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>)
        outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
    %z = arith.addf %r, %y : tensor<8x96xf32>
    // becomes
    %z = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>)
        extras(%r : tensor<8x96xf32>) outs(%init : tensor<8x96xf32>) epilogue {
    ^bb0(%sum: f32, %extra: f32):
      %e = arith.addf %extra, %sum : f32
      attn.yield %e : f32
    } -> tensor<8x96xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

class Attn_FuseRowsPass<string flag> : Pass<flag, "::mlir::func::FuncOp"> {
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Target as attn-run spells it: cpu, cpu:x86-64-v3, cpu:x86-64-v4">
  ];
}

def FuseRopePass : Attn_FuseRowsPass<"attn-fuse-rope"> {
  let summary = "rotate queries and keys when the attention loads them";
  let description = [{
    Input contract: attn.attention without a schedule and attn.rope, on tensors.

    Where the query or the key of an attention is the result of an attn.rope,
    whatever the layout of heads and rows, the attention reads the rope's input
    and rotates its rows when it loads them (`#attn.rotate` in `load_query` or
    `load_key`). Its param, sines and cosines of all rows, is computed once
    before it by attn.sinusoidal_positions; equal tables are one after CSE. A
    query row is loaded once, so its rotation is always fused. A key is loaded
    once for each query head that shares it and each block of query rows: it is
    fused where that is at most four times, as in decoding. A rotation whose result
    has other uses, such as an append to a cache, stays. Each rope gets a remark.

    Output contract: the same ops; fused rotations are gone.

    Effect on numerics: what was rounded to f16 or bf16 between the rotation and
    the attention is not rounded any more. None for f32 and f64.

    Example:

    ```mlir
    %r = attn.rope ins(%q : tensor<1x8x256x64xf32>)
        outs(%e : tensor<1x8x256x64xf32>) -> tensor<1x8x256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%r, %k, %v : ...) outs(%init : ...) -> tensor<1x8x256x64xf32>
    // becomes
    %t = attn.sinusoidal_positions pairs(half_split)
        outs(%f : tensor<256x64xf32>) -> tensor<256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        load_query [#attn.rotate<interleaved, dims = 64>]
        ins(%q, %k, %v : ...) params(%t : tensor<256x64xf32>)
        outs(%init : ...) -> tensor<1x8x256x64xf32>
    ```
  }];
}

def FuseQkNormPass : Attn_FuseRowsPass<"attn-fuse-qk-norm"> {
  let summary = "normalise queries and keys when the attention loads them";
  let description = [{
    Input contract: attn.attention without a schedule and attn.norm, on tensors.

    Where the query or the key of an attention is the result of an attn.norm over
    its last dimension (layer, rms or l2, gamma and beta along that dimension or
    also along the heads), the attention reads the norm's input and normalises
    its rows when it loads them (`#attn.row_norm`), before what it does to them
    already: run it after attn-fuse-rope, for rotations of normalised rows. Which
    norms are fused and which stay is as for attn-fuse-rope. Each norm gets a
    remark.

    Output contract: the same ops; fused norms are gone.

    Effect on numerics: what was rounded to f16 or bf16 between the norm and the
    attention is not rounded any more. None for f32 and f64 but the order of the
    sums.

    Example:

    ```mlir
    %n = attn.norm rms axes [3] eps(1.0e-06) ins(%q : tensor<1x8x256x64xf32>)
        gamma(%g : tensor<64xf32>) outs(%e : tensor<1x8x256x64xf32>)
        -> tensor<1x8x256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%n, %k, %v : ...) outs(%init : ...) -> tensor<1x8x256x64xf32>
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        load_query [#attn.row_norm<rms, eps = 1.0e-06, gamma>]
        ins(%q, %k, %v : ...) params(%g : tensor<64xf32>)
        outs(%init : ...) -> tensor<1x8x256x64xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def SelectSchedulePass : Pass<"attn-select-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose tile sizes for each attention the fast route covers";
  let description = [{
    Input contract: attn.attention on tensors.

    Sets `#attn.schedule` on every attn.attention that the fast CPU route covers
    on the given target: rows and keys of a tile, lanes of a vector and the
    register tile. Each attention gets a remark: the schedule, or the reason why
    the fast route does not apply, in which case it is left to attn-decompose.

    Output contract: the same ops; nothing but the schedule attribute changes.
    No effect on numerics.

    Example (target=cpu:x86-64-v4):

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>)
        outs(%init : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Target as attn-run spells it: cpu, cpu:x86-64-v3, cpu:x86-64-v4">
  ];
}

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

def TilePass : Pass<"attn-tile", "::mlir::func::FuncOp"> {
  let summary = "turn scheduled attentions into loops over tiles";
  let description = [{
    Input contract: attn.attention on tensors; those with a schedule are tiled.

    Each becomes an scf.forall over batch, head and blocks of rows. A block packs
    its query rows once (attn.pack_query), runs attn.online_attention over blocks
    of keys and finishes with attn.finalize. Keys outside the range that the
    masks leave to the block are skipped; the loop over the rest is split into an
    edge part (masks kept), a full part (range masks removed) and an edge part.

    Output contract: inside the forall only the three tile ops on tensors of
    static bounds (dynamic at the tails); nothing of size rows x keys of the whole
    problem exists.

    Effect on numerics: sums are taken block by block with a running maximum, in
    an order that depends on sizes and schedule only.

    Example:

    ```mlir
    %r = scf.forall (%b, %i) in (2, 2) shared_outs(%o = %init) -> (tensor<2x64x64xf32>) {
      %qt = attn.pack_query ...
      %s:3 = scf.for ... { attn.online_attention packed ... }
      %t = attn.finalize ...
      scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o ... }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD
