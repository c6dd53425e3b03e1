// A tile of a query by hand, in plain loops: its rows are fewer than the tile
// holds, and the last of them fills it.

// RUN: attn-run %s --shape=0:5x16 --check --portable | FileCheck %s
// RUN: attn-run %s --shape=0:9x16 --check --portable | FileCheck %s
// RUN: attn-run %s --shape=0:5x16 --check | FileCheck %s
// RUN: not attn-run %s --shape=0:0x16 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: (code 5): f: pack-query.mlir:{{[0-9]+}}: 'attn.pack_query': dimension 0 of input 0 must be at least 1 (0 against 1)
// CHECK: out0 against f64 reference: match
// CHECK: out1 against f64 reference: match
#md = affine_map<(b, h, m, n, d, e) -> (m, d)>
#dm = affine_map<(b, h, m, n, d, e) -> (d, m)>
#m = affine_map<(b, h, m, n, d, e) -> (m)>
func.func @f(%q: tensor<?x16xf32>) -> (tensor<16x9xf32>, tensor<9xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %out = tensor.empty() : tensor<16x9xf32>
  %scales = tensor.empty() : tensor<9xf32>
  %0:2 = attn.pack_query scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left)
      indexing_maps [#md, #dm, #m] origin(%c0, %c0, %c3, %c0, %c0, %c0) sizes(%c40, %c40, %c40, %c40, %c16, %c16)
      ins(%q : tensor<?x16xf32>) outs(%out, %scales : tensor<16x9xf32>, tensor<9xf32>) -> tensor<16x9xf32>, tensor<9xf32>
  return %0#0, %0#1 : tensor<16x9xf32>, tensor<9xf32>
}
