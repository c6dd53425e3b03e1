//===- UpstreamPasses.td - Ops of other dialects -----------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_UPSTREAMPASSES_TD
#define ATTN_CONVERSION_UPSTREAMPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandUpstreamPass : Pass<"attn-expand-upstream", "::mlir::func::FuncOp"> {
  let summary = "Rewrite upstream ops that have no lowering of their own";
  let description = [{
    Input: a function on tensors.

    `linalg.softmax` becomes `attn.softmax`, `tensor.gather` a `linalg.generic`
    that reads its source element by element, `tensor.bitcast` of floats and
    signless integers one with `arith.bitcast`; `linalg.pack` and
    `linalg.unpack` become pads, reshapes, transpositions and slices. A
    `tensor.expand_shape` of one dimension to several of unknown sizes becomes
    a `tensor.reshape`. Shifts by more bits than there are leave none, or the
    sign.
    Output: none of these ops on tensors, but for what attn-check-upstream
    refuses: bitcasts of signed and unsigned integers, and packs with inner
    tiles of dynamic size.
    Numerics: a softmax sums in f32 (f64 for f64); a row of -inf gives 0.

    ```mlir
    %r = tensor.gather %x[%i] gather_dims([0])
        : (tensor<9x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
    // becomes
    %r = linalg.generic ... outs(%empty : tensor<3x6xf32>) { linalg.index, tensor.extract %i, tensor.extract %x }
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def OrderThreadsPass : Pass<"attn-order-threads", "::mlir::func::FuncOp"> {
  let summary = "Give an scf.forall one meaning for any order of its threads";
  let description = [{
    Input: a function on tensors, in which nothing has been simplified yet.

    Where the writes of two threads may meet, the loop becomes a nest of
    `scf.for`, in whose order the last write stays, and a remark says so. Writes
    are known not to meet where each result has one, and where for each
    induction variable the offset in some dimension is that variable times at
    least the extent of the slice, plus what all threads share. A body that
    writes memory is ordered, too.

    What a body reads of a result was there before the loop: but for the place
    that the thread writes itself, it is read from the tensor before.

    Output: each `scf.forall` writes each of its results once, in their order,
    and has the same results whatever the order of its threads.
    Numerics: none.

    ```mlir
    %r = scf.forall (%i) in (%n) shared_outs(%o = %c) -> tensor<?xf32> {
      %p = tensor.extract %at[%i] : tensor<?xindex>
      %s = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
      scf.forall.in_parallel { tensor.parallel_insert_slice %s into %o[%p] [1] [1] ... }
    }
    // becomes
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %c) -> tensor<?xf32> {
      ...
      %t = tensor.insert_slice %s into %o[%p] [1] [1] : tensor<1xf32> into tensor<?xf32>
      scf.yield %t : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def SplitComplexPass : Pass<"attn-split-complex", "::mlir::ModuleOp"> {
  let summary = "Make complex numbers two floats each";
  let description = [{
    Input: functions on tensors, without calls that take complex numbers.

    A complex number becomes its real and its imaginary part, a tensor of them
    two tensors, and arithmetic on them arithmetic on the parts. Where an
    argument or a result of a function is complex, the module stays as it is;
    where this does not know an op, tensors of complex numbers stay. Either is
    refused by name later.

    Output: no complex numbers otherwise.
    Numerics: a product is (a c - b d, a d + b c), each step rounded.

    ```mlir
    linalg.generic ... ins(%x, %w : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) { complex.mul }
    // becomes
    linalg.generic ... ins(%x_re, %x_im, %w_re, %w_im) outs(%re, %im) { arith.mulf, arith.subf, arith.addf }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::complex::ComplexDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def CheckUpstreamPass : Pass<"attn-check-upstream", "::mlir::func::FuncOp"> {
  let summary = "Refuse, by name, what cannot be compiled";
  let description = [{
    Input: a function on tensors, after attn-expand-upstream.

    An error names the first op that no pass lowers, and what to write instead:
    ops of a table, ops on numbers of other types than kernels compute with, on
    vectors of several dimensions, and on tensors that no process can address,
    ops that read a `tensor.empty`, ops on tensors in the body of a structured
    op, and maps that divide by a number below 1 or have one of 2^31 and more.
    Tools call it bad input, and ask for no report.

    Output: the same function.
    Numerics: none.

    ```mlir
    // error: 'tensor.scatter' is not compiled: write scf.for with tensor.insert_slice
    %r = tensor.scatter %b into %a[%i] scatter_dims([0]) unique ...
    ```
  }];
}

#endif // ATTN_CONVERSION_UPSTREAMPASSES_TD
