//===- RaisePasses.td - What frameworks spell out ----------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISEPASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISEPASSES_TD

include "mlir/Pass/PassBase.td"

def SimplifySizesPass : Pass<"attn-simplify-sizes", "::mlir::func::FuncOp"> {
  let summary = "bring sizes computed at run time to sizes of tensors";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.
    A function without dynamic sizes stays as it is.

    Exported programs of dynamic sizes compute them in i64, assert what is known
    of them, reshape to lists of numbers, and extract single elements where a size
    may be 1. Here arithmetic on sizes becomes that of indices, and upstream's
    ranges of integers fold it; sizes in bodies move in front of their op.
    Sizes are compared as polynomials of the sizes of arguments: what the program
    asserts, and what its structured ops rest on, holds.

    * tensor.reshape to listed sizes becomes a collapse and an expansion, where
      products of sizes say which dimensions belong together.
    * The element of a tensor of dynamic sizes that a body extracts at its loops'
      own indices becomes an operand: the tensor, or, where the loops may be
      shorter, a slice of it.
    * An index select(size == 1, 0, i) is i. Where the size does not provably equal
      the extent of the loop, the program asserts that it does.

    Output contract: the same program, whose assertions on sizes stay, but for
    those that hold. It fails, with a message, where a dynamic size is 1 and was
    broadcast; torch.export makes such a size static.

    Effect on numerics: none.

    Example:

    ```mlir
    %1 = linalg.generic ... outs(%e : tensor<?x64xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %is1 = arith.cmpi eq, %n, %c1 : index
      %k = arith.select %is1, %c0, %i : index
      %v = tensor.extract %x[%k, %j] : tensor<?x64xf32>
      linalg.yield %v : f32
    } -> tensor<?x64xf32>
    // becomes, where nothing says that %x and %e have equal sizes,
    %same = arith.cmpi eq, %n, %m : index
    cf.assert %same, "a dynamic dimension of size 1 is not broadcast: it needs the static size 1"
    // and %x for %1
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

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
    guards of fully masked rows, sinks as a column that is dropped later) does not
    matter. Weights that are the sum of several softmaxes are one attention each.
    Nothing changes before all of it is understood; otherwise the contraction keeps
    a remark with the reason.

    Output contract: where it matched, one attn.attention on the original
    tensors, whose layout is in the indexing maps. Where query, key and value are
    slices of the transpose of one packed tensor, or of its copy in another order,
    the operands are slices of that tensor itself, if its elements along the last
    dimension stay side by side; otherwise the copy stays. The spelled-out ops are
    dead and fall to canonicalisation. A causal mask, a window, chunks, or a
    prefix of each batch is an attribute.

    Effect on numerics: refinement. Equal within tolerance wherever the source is
    finite. A NaN from avoidable overflow may become finite, and a row without a
    visible key gives 0. A constant scale gets the name inv_sqrt_dim, none or
    inv_dim within 4 ulp of f32; another one stays `constant` with a remark. A
    finite fill of hidden scores (such as -1e9) becomes a mask where every row
    provably keeps a key. Otherwise the score region selects the fill. Where the
    mask skips keys and one fill hides all keys of a row, rows that saw no key,
    which their lse says, get the mean of the values.

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
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RaiseSoftmaxPass : Pass<"attn-raise-softmax", "::mlir::func::FuncOp"> {
  let summary = "recognise a spelled-out softmax as attn.softmax";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.
    Runs after attn-raise-attention, which looks for a softmax and the sum of
    values that it weights.

    Starts from each exponential and each linalg.softmax, and looks for a tensor s
    before it and a tensor p of the same type after it such that an element of p
    is exp(c s_j) / (sum_j exp(c s_j) + e0) along one dimension. e0 is 0, a number,
    or the exponential of a sink; c is a number, or has one for each row or head,
    and is part of the op. How the framework spells it (the shift by the maximum,
    exp of a log softmax, steps apart or in one body, broadcasts, a row without a
    visible score set to 0) does not matter. A log softmax itself is left alone:
    the logarithm of a weight that underflows is lost. The ops keep a remark with
    the reason where the denominator is not that of a softmax, where steps are in
    f64 and the tensor is not, and where something else uses a step, because that
    would be computed twice.

    Output contract: where it matched, one attn.softmax on s. The ops that spelled
    it are gone.

    Effect on numerics: refinement. Sums are f32 (f64 for f64), wherever the
    source had them in another type. A row of scores that are all -inf gives 0
    instead of NaN.

    Example:

    ```mlir
    // maximum along the row, subtract, exp, sum along the row, divide
    // becomes
    %p = attn.softmax scale(#attn.none) softmax(#attn.softmax)
        ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>)
        -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseStatisticsPass : Pass<"attn-raise-statistics", "::mlir::func::FuncOp"> {
  let summary = "recognise a spelled-out kurtosis or infinity norm as attn.statistics";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.
    Runs before attn-raise-norm, which would take the standardised numbers of a
    kurtosis for a norm.

    Starts from each reduction, and looks for a tensor x before it and a result
    after it such that an element of the result is, over some dimensions of a
    known size, max |x|, or mean (x - mu)^4 / (mean (x - mu)^2)^2 with mu the mean
    of x. How the framework spells it (a variance to the power of 2, standardised
    numbers to the power of 4, sums over counts, steps apart or in one body) does
    not matter. An unbiased variance, or an eps beside it, is another number and
    stays, and so does what -3 is added to.

    Output contract: where it matched, one attn.statistics on x. The ops that
    spelled it are gone where nothing else uses them.

    Effect on numerics: refinement. Sums are f64. A NaN among the elements makes
    the result NaN, also where the source's maximum dropped it.

    Example: test/Dialect/Attn/Transforms/raise-statistics.mlir.
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseNormPass : Pass<"attn-raise-norm", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out layer, rms, l2, group and instance norms as attn.norm";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Starts from each root of a sum, and looks for a tensor x before it and a
    tensor y of the same type after it such that an element of y is
    (x - mean x) / sqrt(v + eps) gamma + beta or x / sqrt(v + eps) gamma + beta.
    v is the mean of (x - mean x)^2 or of x^2, mean x^2 - (mean x)^2, or the sum
    of x^2; instead of eps under the root there may be the bound max(sqrt(v),
    eps). Any dimensions are normalised. gamma and beta are whatever has one number
    for each normalised element, or for each index of one other dimension, or of
    one of several that are normalised: a tensor is taken as it is, an expression
    such as 1 + g becomes one. How the framework spells it
    (sums and divisions apart or in one body, widening to f64, broadcasts, powers)
    does not matter. Where a root is not that of a norm, or eps, the count or the
    mean are not those of one, the ops keep a remark with the reason.

    Where factors and terms of single channels follow the reshape of a layer norm of
    whole groups, as PyTorch spells a group norm, they become its gamma and beta: it
    is one of the tensor with groups, and channels of a group, as dimensions. So is
    what Flax makes, where the mean and v of a group are repeated for its channels.

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
    value, because they have too many spellings: at some 37 thousand places, which
    are all exponents of f32, a grid from -40 to 40, the surroundings of each
    constant in the expression, where a branch may be, NaN and the infinities.
    All differences must be below 1e-6 of the function's value (1e-12 for f64),
    which is what constants of f32 explain: gelu and gelu_tanh differ by 5e-4. In
    f16 and bf16 constants are rounded, too: 2^-11 and 2^-9 are allowed, and the
    nearest function is taken. The 0 of relu, of its square, of leaky_relu, relu6,
    hard_swish and softsign is
    exact. A function that is near an activation keeps a remark
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

    A contraction of a tensor with a matrix becomes attn.linear where the matrix is
    a parameter: it comes from an argument or a constant, without a product on the
    way. Transposes and broadcasts of the matrix become its layout. It may have
    several dimensions of columns and of terms, which are reshaped to one each. A
    tensor whose terms are not last, or in another order than the matrix has them,
    is copied in that order, and so is a result that has columns before rows. Input
    and weight of f16 or bf16 are read before they are widened for the sum. Rows
    that were collapsed for the product stay apart, the vector
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
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RaiseRopePass : Pass<"attn-raise-rope", "::mlir::func::FuncOp"> {
  let summary = "recognise spelled-out rotary positions as attn.rope";
  let description = [{
    Input contract: linalg, tensor, arith and math ops on tensors, calls inlined.

    Looks at sums behind a concatenation of parts of rows (x cos + rotate(x) sin),
    and at concatenations of turned parts. For a tensor x before it that has its
    type, elements of the result are computed: from unit vectors for x follow the
    pairs, which are neighbours or halves of the whole row or of its beginning,
    and the angles of the first rows; from these the scale of the positions and
    the base, which is rounded to four digits where that is within 2^-20. Then
    rows have to agree for random numbers, to 2e-6 plus 2^-21 of the position,
    which is what angles in f32 lose: a few where angles are an affine function of
    the row's number or position, otherwise all of them, whose count must be known
    then, in all slices of a table that there are. A tensor of integers in the
    angles is one of positions, one for each row, read without batch or by the
    batch's own index. What is added to the rows' numbers or their positions
    becomes the offset: a whole number, or an integer, a tensor of one, or a
    tensor of one for each batch; or it is where slices of tables of cosines and
    sines start. Sums with such in less than 64 bits, which may wrap where
    attn.rope does not, are refused unless they are marked nsw, or constants,
    numbers of rows and widths of narrower integers bound them (that of a single
    row is 0). A single row turns by what is read for it.

    Where angles do not follow the formula, or come from elsewhere, cosines and
    sines are tables: the last tensors on the way to the result that do not depend
    on x. Each element of a row has to be its own times a number of one table, and
    its partner's times one of the other; which numbers these are is read off the
    indices: one for each element, or for each pair, in a tensor, in halves of it,
    or as parts of complex numbers. Tables lie along rows, and the first
    dimension. Where they do not, the ops keep a remark with the reason.

    Output contract: where it matched, one attn.rope on x, or before a transpose
    that gives x; attentions then read past that. The ops that spelled it are
    gone, but for those that something else uses.

    Effect on numerics: refinement. Angles are computed in f64.

    Example:

    ```mlir
    // slice, negate, concatenate; i * 10000^(-2t / d), cos, sin; x * c + r * s
    // becomes
    %y = attn.rope pairs(half_split) ins(%x : tensor<2x48x64xf32>)
        outs(%init : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"];
}

def RaiseCachePass : Pass<"attn-raise-cache", "::mlir::func::FuncOp"> {
  let summary = "recognise caches of keys and values, which are updated in place";
  let description = [{
    Input contract: attention is raised.

    A cache is a tensor argument of a public function whose new value, with some
    rows replaced, is a result, and keys or values of an attention. The argument
    gets attn.inout, so that a kernel writes these rows and no others: the result
    lies in the argument's memory. Rows are replaced by tensor.insert_slice, as
    dynamic_update_slice and slice assignments become, and by loops over such, as
    scatters and index_put do. An argument that JAX donates for the result needs
    no attention.

    The selection of a new row where a dimension's index equals a position, and of
    an argument's element elsewhere, becomes the insertion of the row. Each index
    of another dimension may have its own position. A position outside of the
    tensor changes nothing, as before.

    A scan over layers reads part i of an argument at turn i, and makes part i of
    a result. The result begins as the argument, and the part is read there; which
    is the same if the turns are all of them.

    Where the old value is read after rows were replaced, where it is a result
    too, or where the result has more rows than the argument, or all of them at
    other places, the result stays a tensor of its own, with a remark.

    Output contract: the same function. What its C entry does with a cache is that
    of attn.inout.

    Effect on numerics: none.

    Example:

    ```mlir
    func.func @step(..., %keys: tensor<1x2x64x40xf32>, ...) -> (..., tensor<1x2x64x40xf32>)
    // where the argument's new value is result 1, becomes
    func.func @step(..., %keys: tensor<1x2x64x40xf32> {attn.inout = 1 : index}, ...) -> ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISEPASSES_TD
