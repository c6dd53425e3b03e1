//===- Passes.td - Passes that explain a model -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_PASSES_TD
#define ATTN_ANALYSIS_PASSES_TD

include "mlir/Pass/PassBase.td"

/// Where the reports of a pass go; "-" is standard output. Without any of them
/// the text goes to standard error.
defvar Attn_ReportOptions = [
  Option<"text", "text", "std::string", /*default=*/"\"\"",
         "file for the report as text, - for standard output">,
  Option<"json", "json", "std::string", /*default=*/"\"\"",
         "file for the report as JSON, - for standard output">,
  Option<"html", "html", "std::string", /*default=*/"\"\"",
         "file for the report as one HTML page, - for standard output">
];

/// What parts of composite ops are made of.
defvar Attn_PartDialects = [
  "::attn::AttnDialect", "::mlir::arith::ArithDialect",
  "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
  "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect"];

//===----------------------------------------------------------------------===//
// Entropy of the weights
//===----------------------------------------------------------------------===//

def AnalyzeEntropyPass : Pass<"attn-analyze-entropy", "::mlir::ModuleOp"> {
  let summary = "Report how scale policies let the entropy of weights grow with n";
  let description = [{
    Input: any module. Each `attn.attention`, `attn.multi_head_attention` and
    `attn.softmax` is looked at with its own scale policy and with the
    alternatives `policies` (by default the usual ones of its similarity); with
    `policies` and none of these ops in the module, the policies alone are, for
    the head dimension `head-dim`. The d of an `attn.softmax` is its `head_dim`,
    or that of the product that its scores are; constants that stand between
    the two multiply its own lambda, and alternatives stand for them, too.

    For random rows of unit variance a score has the standard deviation
    alpha = lambda sqrt(d) (`dot`), or the distribution of a cosine times lambda.
    For every length n = `from`, 2 `from`, ... up to `to`, with lambda at that n,
    the report has the mean entropy H of a row's weights, in nats, in four ways:

    | column | H |
    |---|---|
    | expected | the mean over rows of n independent scores, an integral solved to all digits printed; beyond an alpha of 64, or a lambda of 2048 for cosines, it is taken to fall with the inverse of that |
    | formula | log n + log g(a) - a g'(a) / g(a), g the moment generating function of one score: sums replaced by their expectations |
    | published | log n - 0.24 lambda d, an approximation for scores lambda d cos of rows of length sqrt(d), which fits lambda of 1 to 2 only |
    | measured | the mean over rows of sampled scores, from Philox with the seed `seed`, `samples` scores for each n, and its standard error |

    and lambda, with how much each grows over the range. No column is
    constant under any policy; the report says by how much. JSON has sum p^2 of
    the sampled rows, too, and the page draws its inverse: the keys that count.

    Output: the same module and the reports. Numerics: unchanged.

    ```
    attn-opt model.mlir --attn-analyze-entropy="from=64 to=1024 html=entropy.html"
    attn-opt empty.mlir --attn-analyze-entropy="head-dim=64 policies=inv_sqrt_dim;log_length<base=512.0,n=keys>"
    ```
  }];
  let options = !listconcat(Attn_ReportOptions, [
    Option<"policies", "policies", "std::string", /*default=*/"\"\"",
           "scale policies to compare, without #attn., separated by ;">,
    Option<"from", "from", "int64_t", /*default=*/"64", "smallest length">,
    Option<"to", "to", "int64_t", /*default=*/"16384", "largest length">,
    Option<"headDim", "head-dim", "int64_t", /*default=*/"64",
           "head dimension where no op says it">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0", "seed of the samples">,
    Option<"samples", "samples", "int64_t", /*default=*/"262144",
           "sampled scores for each length">
  ]);
}

//===----------------------------------------------------------------------===//
// Mean and second moment of values
//===----------------------------------------------------------------------===//

def AnalyzeMomentsPass : Pass<"attn-analyze-moments", "::mlir::ModuleOp"> {
  let summary = "Report mean and second moment of every value at initialisation";
  let description = [{
    Input: any module of functions on tensors: attn, linalg, tensor, arith and
    math ops, `scf.for`, calls. Raise first: an attention in one op is followed
    more closely than one spelled out. Functions are followed where they are
    called, through 8192 calls in all, composite ops as their parts, loops
    iteration by iteration; one of an unknown number of iterations, or of more
    than 512, until what it carries settles.

    For each floating-point value: the mean and the second moment of its
    elements over random data and random weights, op by op. docs/Analyses.md has
    the rules. What the arguments are is read off their uses and reported:

    | role | numbers |
    |---|---|
    | stated | the argument's attribute `attn.moments = array<f64: mean, second>` |
    | weight (right operand of a linear layer or product) | mean 0, variance 1 / fan in, or 1 for `parameterisation(ntk)`, or 0 for the last one of a `fixup` branch |
    | bias, beta, alpha of a residual | 0 |
    | gain (gamma, the operand of a scale policy and other factors) | 1 |
    | activation (the rest) | `input-mean`, `input-second-moment` |

    The report has the scores of each attention and softmax (variance along a row, sum of
    squared weights), for each residual stream what part of it is owed to its
    input and to each branch, the values that were not followed and why, and
    every assumption that was made.

    A warning is emitted where a second moment leaves [`vanish-below`,
    `explode-above`] first, also after some iterations of a loop or some calls
    of a function, or where the scores of an attention, or of
    a softmax, leave
    [`min-score-variance`, `max-score-variance`], with the number and what would
    mend it. A second moment above the square of the largest number of its type
    is listed as `overflows`, as is what has no numbers because of it (in JSON
    `"overflows": true`); a warning names the op where that begins.

    Output: the same module and the reports. Numerics: unchanged.

    ```
    attn-opt model.mlir --attn-raise-pipeline --attn-analyze-moments="html=moments.html"
    ```
  }];
  let options = !listconcat(Attn_ReportOptions, [
    Option<"inputMean", "input-mean", "double", /*default=*/"0.0",
           "mean of arguments that are activations">,
    Option<"inputSecondMoment", "input-second-moment", "double",
           /*default=*/"1.0",
           "second moment of arguments that are activations">,
    Option<"unknownSize", "unknown-size", "int64_t", /*default=*/"512",
           "size of dimensions that are not known">,
    Option<"vanishBelow", "vanish-below", "double", /*default=*/"1e-4",
           "warn of second moments below">,
    Option<"explodeAbove", "explode-above", "double", /*default=*/"1e4",
           "warn of second moments above">,
    Option<"minScoreVariance", "min-score-variance", "double",
           /*default=*/"1e-2", "warn of attention scores that vary less">,
    Option<"maxScoreVariance", "max-score-variance", "double",
           /*default=*/"9.0", "warn of attention scores that vary more">
  ]);
}

//===----------------------------------------------------------------------===//
// Parameters, operations and bytes
//===----------------------------------------------------------------------===//

def AnalyzeWorkPass : Pass<"attn-analyze-work", "::mlir::ModuleOp"> {
  let summary = "Report parameters, floating-point operations and bytes of each op";
  let description = [{
    Input: any module; attn, linalg, elementwise arith and math ops are counted,
    others on tensors are named as not counted.

    | column | counts |
    |---|---|
    | parameters | elements of an op's weights: weight and bias of `attn.linear`, gamma and beta of `attn.norm`, alpha, trained params of policies; of linalg and arith ops what is named below; a weight counts where it is read first |
    | flops | multiplications and additions of contractions, 2 each pair of them; for the rest one for each arithmetic operation, functions such as exp included, of each element |
    | bytes | the tensors an op reads and writes, each once |

    Parameters of linalg ops are results of `attn.init` and constants of more
    than one number, but for masks of scores, and the function's arguments that
    attn ops would name: the matrix of a contraction, one number for each term
    and column, unless a softmax lies between that and another product (keys and
    values); what is added or multiplied as one number for each column (biases,
    gamma, beta), masks of scores left out; the alpha of a ReZero sum. A model
    that is raised, expanded or fused has as many as before.

    An attention has 2 (d + dv) flops for each pair that causal and window masks
    leave visible. Views (slices, reshapes, casts) of a weight are that weight.
    Ops in loops count once. `attn.multi_head_attention` and `attn.feed_forward`
    count as the sum of their parts, those that `attn-expand-blocks` makes of
    them. A size that is not known is taken for `unknown-size`, and the report
    says so. A count of what is no tensor is a `?` (absent from JSON), and so is
    every sum that it is part of.

    Output: the same module and the reports, with totals for each function.
    Numerics: unchanged.

    ```
    attn-opt model.mlir --attn-analyze-work="json=work.json"
    ```
  }];
  let options = !listconcat(Attn_ReportOptions, [
    Option<"unknownSize", "unknown-size", "int64_t", /*default=*/"512",
           "size of dimensions that are not known">
  ]);
  let dependentDialects = Attn_PartDialects;
}

//===----------------------------------------------------------------------===//
// What raising left
//===----------------------------------------------------------------------===//

def RemarkLeftPass : Pass<"attn-remark-left", "::mlir::func::FuncOp"> {
  let summary = "Remark the shares of loops that were not raised";
  let description = [{
    Input: a function behind raising. Each chain of left-over ops with a product,
    an exponential or a root that no pass has said anything about has one remark
    (attn-r181). Each structured op that is left (linalg, but for fills) is
    remarked (attn-r311) with its share of the flops and bytes of the function,
    counted as `attn-analyze-work` does. A size that is not known is taken for
    512; the share of an op that has no count is a `?`.

    Output: the same function. Numerics: unchanged.

    `attn-opt --attn-raise-report` has the same shares with what they belong to
    and why they are left.
  }];
  let dependentDialects = Attn_PartDialects;
}

//===----------------------------------------------------------------------===//
// Lint
//===----------------------------------------------------------------------===//

def LintPass : Pass<"attn-lint", "::mlir::ModuleOp"> {
  let summary = "Warn of faults that computed moments show, and mend them";
  let description = [{
    Input: a module whose attention was raised (`--attn-raise-pipeline`).
    What is warned of was computed, with the moments of `attn-analyze-moments`,
    from the weights, scales and norms that are there, so that the same factor
    elsewhere (in the initial weights, in a product before, in a norm) is as
    good.

    A function is looked at as it runs: each call in its place, each iteration
    of a loop with constant bounds, `attn.multi_head_attention` and
    `attn.feed_forward` as their parts, epilogues as ops behind their layer.
    Functions that the module calls are looked at where they are called only. A
    stream is x + F(x) in whatever ops: `attn.residual`, or a sum of which one
    side is computed from the other by layers, behind a norm (Pre) or before one
    (Post). A constant factor in front of F(x) is a part of the branch, wherever
    it stands. A sigmoid, tanh or softplus that is spelled out counts, too.

    Scores are those of an attention, and of a softmax that stands alone
    (`attn.softmax`, `linalg.softmax`, exponentials divided by their sum) behind
    a product, with factors, masks and biases between them. Where the softmax
    has no policy, or something is added before it, 1/sqrt(d) goes behind the
    product.

    | id | warns of | mended by |
    |---|---|---|
    | attn-w101 | scores without 1/sqrt(d), of a predicted variance above 3 | `scale(#attn.inv_sqrt_dim)`, or the factor behind the product |
    | attn-w102 | a Pre Norm stream that ends without a norm | an `attn.norm` behind it |
    | attn-w103 | sigmoid, tanh or softplus between layers, whose loss of second moment no weight makes up for | `unit_moment` |
    | attn-w104 | a Post Norm stream whose input has less than 1/16 of the second moment | `pre`, and a norm behind it |
    | attn-w105 | NTK parameterisation with weights scaled by their fan | the variance of `attn.init`, or the parameterisation |
    | attn-w106 | standard parameterisation with weights of unit variance | the same |
    | attn-w107 | a scale policy whose entropy grows more from `entropy-from` to `entropy-to` keys than that of `entropy-alternative`; only if `entropy-to` is given | `scale` of the alternative |
    | attn-w108 | scores of a variance below 1/12: scaled twice, by 1/d, cosines without a temperature | `scale` with the policy that fits |
    | attn-w109 | a policy or a temperature that leaves a row few keys | the same |
    | attn-w110 | scores that could not be followed, and what is in the way | |
    | attn-w111 | sums without a norm or a factor whose stream grows by more than 64 | |
    | attn-w112 | fixup or ReZero whose branches do not start silent | `variance(zero)` of the last `attn.init` |
    | attn-w113 | weights of LeCun or Xavier behind a function that loses second moment | `variance(he)` or `variance(solved)` |
    | attn-w114 | a scale whose n counts keys that a mask hides | `n = seen` |

    Each warning is a diagnostic at the op with its id and the numbers; a note
    says what mends it. With `fix` it is done, once where an op runs in several
    places: a final norm goes behind the loop or the last call whose result is
    read. The module has no warning afterwards, but for those whose note says
    why the mend would be wrong: the op runs in several places and is right in
    some of them, or there is no attribute to set. These are left as they are.
    The reference page Warnings.md has the texts.

    Output: the same module; with `fix` the ops named above are changed.
    Numerics: unchanged without `fix`; with it the model is another one.

    ```
    attn-opt model.mlir --attn-raise-pipeline --attn-lint
    attn-opt model.mlir --attn-lint="fix json=warnings.json entropy-to=4096"
    ```
  }];
  let options = [
    Option<"fix", "fix", "bool", /*default=*/"false",
           "change the module so that it has no warning">,
    ListOption<"ignore", "ignore", "std::string",
               "ids of warnings that are not asked for">,
    Option<"json", "json", "std::string", /*default=*/"\"\"",
           "file for the warnings as JSON, - for standard output">,
    Option<"entropyFrom", "entropy-from", "int64_t", /*default=*/"64",
           "smallest number of keys">,
    Option<"entropyTo", "entropy-to", "int64_t", /*default=*/"0",
           "largest number of keys, 0 to leave entropies alone">,
    Option<"entropyAlternative", "entropy-alternative", "std::string",
           /*default=*/"\"\"",
           "scale policy to compare with, without #attn.; by default log_length "
           "for dot products, gradient_max_fit for cosines">,
    Option<"unknownSize", "unknown-size", "int64_t", /*default=*/"512",
           "what a dynamic size is taken for">
  ];
  let dependentDialects = Attn_PartDialects;
}

#endif // ATTN_ANALYSIS_PASSES_TD
