//===- MomentPasses.td - The pass of the moment analysis -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_MOMENTPASSES_TD
#define ATTN_ANALYSIS_MOMENTPASSES_TD

include "mlir/Pass/PassBase.td"

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
  let options = [
    Option<"text", "text", "std::string", /*default=*/"\"\"",
           "file for the report as text, - for standard output">,
    Option<"json", "json", "std::string", /*default=*/"\"\"",
           "file for the report as JSON, - for standard output">,
    Option<"html", "html", "std::string", /*default=*/"\"\"",
           "file for the report as one HTML page, - for standard output">,
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
  ];
}

#endif // ATTN_ANALYSIS_MOMENTPASSES_TD
