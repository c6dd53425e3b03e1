// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=cache_and_row --check --shape=1:2x2x700x40 --shape=2:2x2x700x40 | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=cache_and_row --check --shape=1:2x2x1x40 --shape=2:2x2x1x40 | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=cache_and_row --check --shape=1:2x2x0x40 --shape=2:2x2x0x40 | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=with_positions --check --shape=1:1x601x2x40 --shape=2:1x601x2x40 --threads=2 | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=other_parts --check | FileCheck %s --check-prefix=NUMBERS
// REQUIRES: avx2

// NUMBERS: out0 against f64 reference: match
// REMARK-COUNT-2: [attn-r206] keys and values are read in 2 parts, where they lie
// REMARK-NOT: attn-r206

// A cache and the row behind it: each range of keys reads what it has of both.
// CHECK-LABEL: @cache_and_row(
// CHECK-SAME: %[[Q:.*]]: tensor<2x8x1x40xf32>, %[[K:.*]]: tensor<2x2x?x40xf32>, %[[V:.*]]: tensor<2x2x?x40xf32>, %[[NEW:.*]]: tensor<2x2x1x40xf32>)
// CHECK-NOT: tensor.concat
// CHECK: scf.forall
// CHECK: tensor.extract_slice %[[K]][
// CHECK: tensor.extract_slice %[[V]][
// CHECK: attn.online_attention
// CHECK: tensor.extract_slice %[[NEW]][
// CHECK: attn.online_attention
// CHECK-NOT: attn.online_attention
// CHECK: attn.finalize
func.func @cache_and_row(%q: tensor<2x8x1x40xf32>, %keys: tensor<2x2x?x40xf32>, %values: tensor<2x2x?x40xf32>, %new: tensor<2x2x1x40xf32>) -> tensor<2x8x1x40xf32> {
  %k = tensor.concat dim(2) %keys, %new : (tensor<2x2x?x40xf32>, tensor<2x2x1x40xf32>) -> tensor<2x2x?x40xf32>
  %v = tensor.concat dim(2) %values, %new : (tensor<2x2x?x40xf32>, tensor<2x2x1x40xf32>) -> tensor<2x2x?x40xf32>
  %e = tensor.empty() : tensor<2x8x1x40xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      ins(%q, %k, %v : tensor<2x8x1x40xf32>, tensor<2x2x?x40xf32>, tensor<2x2x?x40xf32>) outs(%e : tensor<2x8x1x40xf32>) -> tensor<2x8x1x40xf32>
  return %o : tensor<2x8x1x40xf32>
}

// Positions are those of all keys: in a window, in ALiBi, and in a bias.
// CHECK-LABEL: @with_positions(
// CHECK-NOT: tensor.concat
// CHECK-COUNT-2: attn.online_attention
func.func @with_positions(%q: tensor<1x2x8x40xf32>, %keys: tensor<1x?x2x40xf32>, %values: tensor<1x?x2x40xf32>, %new: tensor<1x2x2x40xf32>,
                          %b: tensor<1x8x2x603xf32>) -> tensor<1x2x8x40xf32> {
  %k = tensor.concat dim(1) %keys, %new : (tensor<1x?x2x40xf32>, tensor<1x2x2x40xf32>) -> tensor<1x?x2x40xf32>
  %v = tensor.concat dim(1) %values, %new : (tensor<1x?x2x40xf32>, tensor<1x2x2x40xf32>) -> tensor<1x?x2x40xf32>
  %e = tensor.empty() : tensor<1x2x8x40xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      indexing_maps [affine_map<(b, h, i, j, d, v) -> (b, i, h, d)>, affine_map<(b, h, i, j, d, v) -> (b, j, h floordiv 4, d)>,
        affine_map<(b, h, i, j, d, v) -> (b, j, h floordiv 4, v)>, affine_map<(b, h, i, j, d, v) -> (b, h, i, j)>, affine_map<(b, h, i, j, d, v) -> (b, i, h, v)>]
      align(bottom_right) bias [#attn.alibi, #attn.dense_bias] masks [#attn.causal, #attn.window<left = 400, right = 0>]
      ins(%q, %k, %v : tensor<1x2x8x40xf32>, tensor<1x?x2x40xf32>, tensor<1x?x2x40xf32>) params(%b : tensor<1x8x2x603xf32>)
      outs(%e : tensor<1x2x8x40xf32>) -> tensor<1x2x8x40xf32>
  return %o : tensor<1x2x8x40xf32>
}

// The values are cut at another place.
// CHECK-LABEL: @other_parts(
// CHECK-COUNT-2: tensor.concat
// CHECK: attn.online_attention
// CHECK-NOT: attn.online_attention
// CHECK: return
func.func @other_parts(%q: tensor<1x2x1x40xf32>, %a: tensor<1x2x30x40xf32>, %b: tensor<1x2x3x40xf32>) -> tensor<1x2x1x40xf32> {
  %k = tensor.concat dim(2) %a, %b : (tensor<1x2x30x40xf32>, tensor<1x2x3x40xf32>) -> tensor<1x2x33x40xf32>
  %v = tensor.concat dim(2) %b, %a : (tensor<1x2x3x40xf32>, tensor<1x2x30x40xf32>) -> tensor<1x2x33x40xf32>
  %e = tensor.empty() : tensor<1x2x1x40xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x1x40xf32>, tensor<1x2x33x40xf32>, tensor<1x2x33x40xf32>) outs(%e : tensor<1x2x1x40xf32>) -> tensor<1x2x1x40xf32>
  return %o : tensor<1x2x1x40xf32>
}

// Keys are put together along their elements, not along the rows.
// CHECK-LABEL: @halves_of_rows(
// CHECK: tensor.concat
// CHECK: return
func.func @halves_of_rows(%q: tensor<1x2x1x40xf32>, %a: tensor<1x2x33x20xf32>) -> tensor<1x2x1x40xf32> {
  %k = tensor.concat dim(3) %a, %a : (tensor<1x2x33x20xf32>, tensor<1x2x33x20xf32>) -> tensor<1x2x33x40xf32>
  %e = tensor.empty() : tensor<1x2x1x40xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x40xf32>, tensor<1x2x33x40xf32>, tensor<1x2x33x40xf32>) outs(%e : tensor<1x2x1x40xf32>) -> tensor<1x2x1x40xf32>
  return %o : tensor<1x2x1x40xf32>
}
