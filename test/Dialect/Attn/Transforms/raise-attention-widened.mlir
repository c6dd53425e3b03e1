// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=computed --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=kept_wide --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=narrow_scores --check --remarks | FileCheck %s --check-prefixes=MATCH,RAISED
// RUN: attn-run %s --entry=narrow_result --check | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match
// RAISED: [attn-r101] raised to attn.attention

// torch-mlir widens query, key and value in ops of their own.

#id = affine_map<(h, m, n) -> (h, m, n)>

// The query is computed in bf16 and widened then: the attention is one of bf16.
// CHECK-LABEL: @computed
// CHECK: %[[Q:.*]] = linalg.mul {{.*}} -> tensor<2x4x8xbf16>
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%[[Q]], %arg1, %arg2 : tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) {{.*}} -> tensor<2x4x8xbf16>
// CHECK-NOT: linalg.
// CHECK: return
func.func @computed(%x: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16> {
  %e = tensor.empty() : tensor<2x4x8xbf16>
  %q = linalg.mul ins(%x, %x : tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) outs(%e : tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %wide = call @attend(%q, %k, %v) : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide : tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8xbf16>
  return %y : tensor<2x4x8xbf16>
}

// The result stays in f32: no attention of bf16 has that.
// CHECK-LABEL: @kept_wide
// CHECK-NOT: attn.attention {{.*}}xbf16
// CHECK: return
func.func @kept_wide(%x: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>) -> tensor<2x4x8xf32> {
  %y = call @attend(%x, %k, %v) : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// JAX's einsum of query and key in bf16, with a softmax in f32 that meets a wide value: the attention is one of f32.
// CHECK-LABEL: @narrow_scores
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) {{.*}} -> tensor<2x4x8xf32>
// CHECK: return
func.func @narrow_scores(%q: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>) -> tensor<2x4x8xf32> {
  %s = call @narrow_dot(%q, %k) : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x4xf32>
  %v32 = call @widen(%v) : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %y = call @weighted(%s, %v32) : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// A query of f32 is no operand of an attention of bf16.
// CHECK-LABEL: @narrow_result
// CHECK-NOT: attn.attention
// CHECK: return
func.func @narrow_result(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x4x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<2x4x8xf32>, tensor<2x4x8xf32>) outs(%zs : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x4x4xf32>) outs(%es : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %ep = tensor.empty() : tensor<2x4x4xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x4x4xf32>) outs(%ep : tensor<2x4x4xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x4xbf16>
  %none = arith.constant 0.0 : bf16
  %eo = tensor.empty() : tensor<2x4x8xbf16>
  %zo = linalg.fill ins(%none : bf16) outs(%eo : tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %o = linalg.batch_matmul ins(%narrow, %v : tensor<2x4x4xbf16>, tensor<2x4x8xbf16>) outs(%zo : tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  return %o : tensor<2x4x8xbf16>
}

func.func private @narrow_dot(%q: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>) -> tensor<2x4x4xf32> {
  %zero = arith.constant 0.0 : bf16
  %es = tensor.empty() : tensor<2x4x4xbf16>
  %zs = linalg.fill ins(%zero : bf16) outs(%es : tensor<2x4x4xbf16>) -> tensor<2x4x4xbf16>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) outs(%zs : tensor<2x4x4xbf16>) -> tensor<2x4x4xbf16>
  %ew = tensor.empty() : tensor<2x4x4xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x4xbf16>) outs(%ew : tensor<2x4x4xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<2x4x4xf32>
  return %w : tensor<2x4x4xf32>
}

func.func private @weighted(%s: tensor<2x4x4xf32>, %v: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x4x4xf32>) outs(%es : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x4xf32>, tensor<2x4x8xf32>) outs(%zo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

func.func private @widen(%x: tensor<2x4x8xbf16>) -> tensor<2x4x8xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x4x8xbf16>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

func.func private @attend(%q: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %q32 = call @widen(%q) : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %k32 = call @widen(%k) : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %v32 = call @widen(%v) : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %es = tensor.empty() : tensor<2x4x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q32, %k32 : tensor<2x4x8xf32>, tensor<2x4x8xf32>) outs(%zs : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x4x4xf32>) outs(%es : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %o = linalg.batch_matmul ins(%p, %v32 : tensor<2x4x4xf32>, tensor<2x4x8xf32>) outs(%zo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}
