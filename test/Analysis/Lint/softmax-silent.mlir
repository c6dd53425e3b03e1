// The twins of softmax.mlir: the factor is there, or the scores are no product
// of whole rows. None is warned of.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// 1/sqrt(d) as a policy, as a constant, as an op before it, and in the queries.
func.func @scaled(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %i: tensor<4x48x48xf32>) -> (tensor<4x48x48xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant dense<0.125> : tensor<4x48x48xf32>
  %factors = arith.constant dense<0.125> : tensor<4x48x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %a = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(64) ins(%s : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %b = attn.softmax scale(#attn.constant<0.125>) softmax(#attn.softmax) ins(%s : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %t = arith.mulf %s, %factor : tensor<4x48x48xf32>
  %c = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%t : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %h = arith.mulf %q, %factors : tensor<4x48x64xf32>
  %u = linalg.batch_matmul ins(%h, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %d = linalg.softmax dimension(2) ins(%u : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  return %a, %b, %c, %d : tensor<4x48x48xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>
}

// Weights of a layer have the factor: logits of a classifier.
func.func @logits(%x: tensor<48x64xf32>, %w: tensor<64x100xf32>, %i: tensor<48x100xf32>) -> tensor<48x100xf32> {
  %s = attn.linear ins(%x, %w : tensor<48x64xf32>, tensor<64x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<48x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  return %p : tensor<48x100xf32>
}

// Class vectors of unit variance under 1/sqrt(d): the weights are right, though
// the layer has no factor of its own.
func.func @classes(%x: tensor<48x64xf32>, %seed: i64, %i: tensor<48x100xf32>) -> tensor<48x100xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %w = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  %s = attn.linear ins(%x, %w : tensor<48x64xf32>, tensor<64x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  %p = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(64) ins(%s : tensor<48x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  return %p : tensor<48x100xf32>
}

// A classifier by cosines, by norms that are ops and with a temperature of 30,
// which is meant.
func.func @cosines(%x: tensor<48x64xf32>, %y: tensor<100x64xf32>, %ex: tensor<48x64xf32>, %ey: tensor<100x64xf32>, %i: tensor<48x100xf32>) -> tensor<48x100xf32> {
  %zero = arith.constant 0.0 : f32
  %xn = attn.norm l2 axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%ex : tensor<48x64xf32>) -> tensor<48x64xf32>
  %yn = attn.norm l2 axes [1] eps(1.0e-06) ins(%y : tensor<100x64xf32>) outs(%ey : tensor<100x64xf32>) -> tensor<100x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, a) -> (i, a)>, affine_map<(i, j, a) -> (j, a)>, affine_map<(i, j, a) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%xn, %yn : tensor<48x64xf32>, tensor<100x64xf32>) outs(%s0 : tensor<48x100xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %sum, %m : f32
    linalg.yield %n : f32
  } -> tensor<48x100xf32>
  %p = attn.softmax scale(#attn.constant<30.0>) softmax(#attn.softmax) ins(%s : tensor<48x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  return %p : tensor<48x100xf32>
}

// Large scores that are given, or that a norm or an activation makes, are no
// product without a factor; a trained factor may be anything.
func.func @others(%s: tensor<48x64xf32> {attn.moments = array<f64: 0.0, 100.0>}, %x: tensor<48x64xf32>, %w: tensor<64x64xf32>, %lambda: tensor<f32>, %i: tensor<48x64xf32>) -> (tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) {
  %gain = arith.constant dense<4.0> : tensor<64xf32>
  %zero = arith.constant 0.0 : f32
  %a = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<48x64xf32>) outs(%i : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x64xf32>) -> tensor<48x64xf32>
  %t = linalg.matmul ins(%x, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%s0 : tensor<48x64xf32>) -> tensor<48x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%t : tensor<48x64xf32>) gamma(%gain : tensor<64xf32>) outs(%i : tensor<48x64xf32>) -> tensor<48x64xf32>
  %b = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%n : tensor<48x64xf32>) outs(%i : tensor<48x64xf32>) -> tensor<48x64xf32>
  %c = attn.softmax scale(#attn.operand) softmax(#attn.softmax) ins(%x : tensor<48x64xf32>) params(%lambda : tensor<f32>) outs(%i : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %a, %b, %c : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>
}
