//===- TMTensorOps.td - What torch-mlir leaves beside linalg -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_TMTENSOR_TMTENSOROPS_TD
#define ATTN_DIALECT_TMTENSOR_TMTENSOROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::attn::tm_tensor";
  let summary = "Scans, scatters and sorts as torch-mlir exports them";
  let description = [{
    The ops on tensors that torch-mlir's linalg output has beside linalg's own,
    in its syntax, so that exported files are read as they are. Nothing but
    attn-lower-tm-tensor knows them: it turns them into loops on tensors.
  }];
}

class TMTensor_Op<string mnemonic>
    : Op<TMTensor_Dialect, mnemonic,
         [AttrSizedOperandSegments, Pure,
          SingleBlockImplicitTerminator<"::attn::tm_tensor::YieldOp">]> {
  let hasVerifier = 1;
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
}

def TMTensor_ScanOp : TMTensor_Op<"scan"> {
  let summary = "Combinations of all elements up to each position";
  let description = [{
    Along `dimension`: the first result at position i is the region's value of
    the result at i - 1 and of the input at i, and at 0 it is the input's. With
    `inclusive(false)` the input is taken at i - 1, and the result at 0 is the
    second output's. The second result is the first one's last position.

    ```mlir
    %sums:2 = tm_tensor.scan dimension(1) inclusive(true)
        ins(%x : tensor<3x17xf32>)
        outs(%out, %last : tensor<3x17xf32>, tensor<3xf32>) {
    ^bb0(%before: f32, %element: f32):
      %sum = arith.addf %before, %element : f32
      tm_tensor.yield %sum : f32
    } -> tensor<3x17xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension, BoolAttr:$inclusive);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` $region
    (`->` type($results)^)?
  }];
}

def TMTensor_ScatterOp : TMTensor_Op<"scatter"> {
  let summary = "Updates written at positions that are data";
  let description = [{
    The inputs are updates, of shape U x slice, and indices, of shape U x D. In
    turn each update's slice is combined with a slice of the output by the
    region, whose arguments are the update's element and the present one. The
    slice lies in the last dimensions of the output; index d is added to
    dimension `dimension_map`[d].

    ```mlir
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
        ins(%rows, %positions : tensor<2x8xf32>, tensor<2x1xi64>)
        outs(%cache : tensor<16x8xf32>) {
    ^bb0(%update: f32, %present: f32):
      tm_tensor.yield %update : f32
    } -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region
    (`->` type($results)^)?
  }];
}

def TMTensor_SortOp : TMTensor_Op<"sort"> {
  let summary = "Tensors sorted along a dimension";
  let description = [{
    All outputs are brought into the same order. The region gets the elements
    of each output at two positions, a pair for each output, and says whether
    the first of them may stay in front.

    ```mlir
    %r:2 = tm_tensor.sort dimension(1)
        outs(%x, %numbers : tensor<4x9xf32>, tensor<4x9xi64>) {
    ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
      %keep = arith.cmpf ole, %a, %b : f32
      tm_tensor.yield %keep : i1
    } -> tensor<4x9xf32>, tensor<4x9xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region
    (`->` type($results)^)?
  }];
}

def TMTensor_TopkOp : TMTensor_Op<"topk"> {
  let summary = "The first elements of an order, with their positions";
  let description = [{
    Along `dimension` the elements of the input are put in turn into the
    outputs, values and positions, which keep the first ones of the order. The
    region says whether its first argument, a new element, comes in front of
    its second, one that is kept. A second input has the positions; without it
    they are counted.

    ```mlir
    %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<4x9xf32>)
        outs(%lowest, %zeros : tensor<4x2xf32>, tensor<4x2xi64>) {
    ^bb0(%element: f32, %kept: f32):
      %larger = arith.cmpf ogt, %element, %kept : f32
      tm_tensor.yield %larger : i1
    } -> tensor<4x2xf32>, tensor<4x2xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` $region
    (`->` type($results)^)?
  }];
}

def TMTensor_YieldOp
    : Op<TMTensor_Dialect, "yield", [Pure, ReturnLike, Terminator]> {
  let summary = "What a region of this dialect gives";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // ATTN_DIALECT_TMTENSOR_TMTENSOROPS_TD
