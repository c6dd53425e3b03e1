// Scores that are NaN or +inf make output and lse of their row NaN, also where
// no other score is there to be the maximum and where a sink of +inf takes all
// the weight; other rows do not see them. Tiles, split keys and their merge, and
// the portable path.
// RUN: %python %S/Inputs/nan-scores.py write %t.npz 48
// RUN: attn-run %s --entry=tile --inputs=%t.npz --output=%t.out.npz
// RUN: %python %S/Inputs/nan-scores.py check %t.out.npz | FileCheck %s --check-prefixes=CHECK,TILE
// RUN: attn-run %s --entry=tile --inputs=%t.npz --target=cpu:x86-64-v3 --output=%t.out.npz
// RUN: %python %S/Inputs/nan-scores.py check %t.out.npz | FileCheck %s --check-prefixes=CHECK,TILE
// RUN: attn-run %s --entry=tile --inputs=%t.npz --portable --output=%t.out.npz
// RUN: %python %S/Inputs/nan-scores.py check %t.out.npz | FileCheck %s --check-prefixes=CHECK,TILE
// RUN: %python %S/Inputs/nan-scores.py write %t.npz 3
// RUN: attn-run %s --entry=few --inputs=%t.npz --output=%t.out.npz
// RUN: %python %S/Inputs/nan-scores.py check %t.out.npz | FileCheck %s --check-prefixes=CHECK,FEW
// CHECK: o {{\[\[}}0, 0], [0, 1], [1, 2]] of 3
// CHECK-NEXT: lse {{\[\[}}0, 0], [0, 1], [1, 2]]
// TILE-SAME: finite 46 infinite 47
// FEW-SAME: finite 1 infinite 2

// REQUIRES: avx2

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#s = affine_map<(h, m, n, d, e) -> (h)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#l = affine_map<(h, m, n, d, e) -> (h, m)>

func.func @tile(%q: tensor<2x48x16xf32>, %k: tensor<2x1100x16xf32>, %v: tensor<2x1100x16xf32>,
                %s: tensor<2xf32>) -> (tensor<2x48x16xf32>, tensor<2x48xf32>) {
  %init = tensor.empty() : tensor<2x48x16xf32>
  %lse_init = tensor.empty() : tensor<2x48xf32>
  %o, %lse = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      indexing_maps [#q, #k, #v, #s, #o, #l]
      ins(%q, %k, %v : tensor<2x48x16xf32>, tensor<2x1100x16xf32>, tensor<2x1100x16xf32>)
      params(%s : tensor<2xf32>)
      outs(%init, %lse_init : tensor<2x48x16xf32>, tensor<2x48xf32>) -> tensor<2x48x16xf32>, tensor<2x48xf32>
  return %o, %lse : tensor<2x48x16xf32>, tensor<2x48xf32>
}

func.func @few(%q: tensor<2x3x16xf32>, %k: tensor<2x1100x16xf32>, %v: tensor<2x1100x16xf32>,
               %s: tensor<2xf32>) -> (tensor<2x3x16xf32>, tensor<2x3xf32>) {
  %init = tensor.empty() : tensor<2x3x16xf32>
  %lse_init = tensor.empty() : tensor<2x3xf32>
  %o, %lse = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      indexing_maps [#q, #k, #v, #s, #o, #l]
      ins(%q, %k, %v : tensor<2x3x16xf32>, tensor<2x1100x16xf32>, tensor<2x1100x16xf32>)
      params(%s : tensor<2xf32>)
      outs(%init, %lse_init : tensor<2x3x16xf32>, tensor<2x3xf32>) -> tensor<2x3x16xf32>, tensor<2x3xf32>
  return %o, %lse : tensor<2x3x16xf32>, tensor<2x3xf32>
}
