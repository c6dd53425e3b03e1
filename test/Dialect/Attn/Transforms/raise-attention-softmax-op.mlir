// An attention whose weights are an attn.softmax: that op by its formula.
// RUN: attn-opt %s --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=plain --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=scaled --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_dim --check --remarks | FileCheck %s --check-prefix=STAYS
// MATCH: f64 reference: match
// MATCH: [attn-r101] raised to attn.attention
// STAYS: f64 reference: match
// STAYS-NOT: attn-r101

#lhs = affine_map<(b, i, j, d) -> (b, i, d)>
#rhs = affine_map<(b, i, j, d) -> (b, j, d)>
#out = affine_map<(b, i, j, d) -> (b, i, j)>

// Scores as they are.
// CHECK-LABEL: @plain
// CHECK-NOT: attn.softmax
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax)
// CHECK-NOT: attn.softmax
// CHECK: return
func.func @plain(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zs = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %fs = linalg.fill ins(%zs : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax)
      ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%zo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// A scale and an e0 that are numbers.
// CHECK-LABEL: @scaled
// CHECK-NOT: attn.softmax
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
// CHECK-NOT: attn.softmax
// CHECK: return
func.func @scaled(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zs = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %fs = linalg.fill ins(%zs : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) head_dim(16)
      ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%zo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// Weights of a column sum to 1: no attention.
// CHECK-LABEL: @other_dim
// CHECK-NOT: attn.attention
// CHECK: attn.softmax
// CHECK: return
func.func @other_dim(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zs = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %fs = linalg.fill ins(%zs : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(1)
      ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%zo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// An e0 of a param is not read.
// CHECK-LABEL: @with_sink
// CHECK-NOT: attn.attention
// CHECK: attn.softmax
// CHECK: return
func.func @with_sink(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %sink: tensor<2xf32>) -> tensor<2x8x16xf32> {
  %zs = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %fs = linalg.fill ins(%zs : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.sink)
      ins(%s : tensor<2x8x8xf32>) params(%sink : tensor<2xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%zo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}
