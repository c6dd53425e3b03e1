// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=text=- 2>/dev/null | FileCheck %s --check-prefix=MOMENTS
// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=json=%t.json 2>&1 | grep -o "warning: .*" | FileCheck %s --check-prefix=WARN --implicit-check-not=warning
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=1024 policies=log_length<base=512.0,n=keys> text=-" | FileCheck %s --check-prefix=ENTROPY
// RUN: attn-opt %s --attn-lint="entropy-from=64 entropy-to=1024 ignore=attn-w101" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINT --implicit-check-not=attn-w
// RUN: attn-opt %s --attn-lint="fix entropy-to=1024 ignore=attn-w101" -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint="entropy-to=1024 ignore=attn-w101" -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir
// A softmax between two products is reported as an attention is.

// Without a factor the weights are one-hot. linalg.softmax has the same scores,
// and so has one that is spelled out; only the first has a policy to compare.
// CHECK-LABEL: @missing
// MOMENTS-LABEL: Moments of @missing
// MOMENTS: scores of variance variance in a row scale keys seen sum of p sum of p^2
// MOMENTS-NEXT: %{{[0-9]+}} 64 64 1 48 1 0.7253
// MOMENTS-NEXT: %{{[0-9]+}} 64 64 1 48 1 0.7253
// MOMENTS-NEXT: %{{[0-9]+}} 64 64 1 48 1 0.7253
// MOMENTS: warning: attn.softmax at {{.*}}: scores have variance 64 along a row, above 9: weights are nearly one-hot; scale(#attn.inv_sqrt_dim) makes it 1
// MOMENTS: warning: linalg.softmax at {{.*}}: scores have variance 64 along a row, above 9: weights are nearly one-hot; 1/sqrt(d) behind the product divides it by d
// MOMENTS: warning: arith.divf at {{.*}}: scores have variance 64 along a row, above 9: weights are nearly one-hot; 1/sqrt(d) behind the product divides it by d
// WARN-COUNT-3: warning: [attn-w204] scores have variance 64 along a row, above 9
// ENTROPY: attn.softmax in @missing at {{.*}}, d = 64, dot product
// ENTROPY-NEXT: #attn.none (its own)
// ENTROPY-NEXT: n lambda expected formula published measured
// ENTROPY-NEXT: 64 1.00000
// ENTROPY: #attn.log_length<base = 5.120000e+02, n = keys>
// ENTROPY: 64 0.08333 3.943
// ENTROPY: it grows by 2.374
func.func @missing(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %v: tensor<4x48x64xf32>) -> (tensor<4x48x64xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x48x48xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<4x48x48xf32>) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %f = tensor.empty() : tensor<4x48x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%f : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x48x48xf32>, tensor<4x48x64xf32>) outs(%o0 : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  %u = linalg.softmax dimension(2) ins(%s : tensor<4x48x48xf32>) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %r = tensor.empty() : tensor<4x48xf32>
  %r0 = linalg.fill ins(%low : f32) outs(%r : tensor<4x48xf32>) -> tensor<4x48xf32>
  %max = linalg.reduce ins(%s : tensor<4x48x48xf32>) outs(%r0 : tensor<4x48xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      linalg.yield %m : f32
    }
  %maxes = linalg.broadcast ins(%max : tensor<4x48xf32>) outs(%e : tensor<4x48x48xf32>) dimensions = [2]
  %d = arith.subf %s, %maxes : tensor<4x48x48xf32>
  %x = math.exp %d : tensor<4x48x48xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r : tensor<4x48xf32>) -> tensor<4x48xf32>
  %sum = linalg.reduce ins(%x : tensor<4x48x48xf32>) outs(%r1 : tensor<4x48xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    }
  %sums = linalg.broadcast ins(%sum : tensor<4x48xf32>) outs(%e : tensor<4x48x48xf32>) dimensions = [2]
  %w = arith.divf %x, %sums : tensor<4x48x48xf32>
  return %o, %u, %w : tensor<4x48x64xf32>, tensor<4x48x48xf32>, tensor<4x48x48xf32>
}

// With 1/sqrt(d) all is well but for the growth of the entropy, over a range
// that is asked for. The mend gives the op its d.
// CHECK-LABEL: @scaled
// CHECK: attn.softmax scale(#attn.log_length<base = 5.120000e+02, n = keys>) softmax(#attn.softmax) head_dim(64)
// MOMENTS-LABEL: Moments of @scaled
// MOMENTS: %{{[0-9]+}} 1 1 0.125 48 1
// ENTROPY: attn.softmax in @scaled at {{.*}}, d = 64, dot product
// ENTROPY: it grows by 2.749
// LINT: [attn-w107] attn.softmax: from 64 to 1024 keys the expected entropy of the weights grows by 2.749 with #attn.constant<1.250000e-01>, by 2.374 with #attn.log_length<base = 5.120000e+02, n = keys>
// LINT-NEXT: %p =
// LINT: note: mend it by scale(#attn.log_length<base = 5.120000e+02, n = keys>)
func.func @scaled(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %v: tensor<4x48x64xf32>) -> tensor<4x48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x48x48xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %p = attn.softmax scale(#attn.constant<0.125>) softmax(#attn.softmax) ins(%s : tensor<4x48x48xf32>) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %f = tensor.empty() : tensor<4x48x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%f : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x48x48xf32>, tensor<4x48x64xf32>) outs(%o0 : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  return %o : tensor<4x48x64xf32>
}

// A factor before the softmax is a part of its own lambda, and an alternative
// stands for both. Cosines are compared with policies for cosines. Scores that
// are given have the d that the op states, and lint asks nothing of them.
// CHECK-LABEL: @others
// CHECK: attn.softmax scale(#attn.none)
// CHECK: attn.softmax scale(#attn.gradient_max_fit<scores = cosine, n = keys>)
// CHECK: attn.softmax scale(#attn.inv_sqrt_dim)
// LINT: [attn-w107] attn.softmax: from 64 to 1024 keys the expected entropy of the weights grows by 1.403 with #attn.gradient_max<scores = cosine, n = keys>, by 1.311 with #attn.gradient_max_fit<scores = cosine, n = keys>
// ENTROPY: attn.softmax in @others at {{.*}}, d = 64, dot product times 0.125
// ENTROPY-NEXT: #attn.none (its own)
// ENTROPY-NEXT: n lambda
// ENTROPY-NEXT: 64 0.12500 3.685
// ENTROPY: #attn.log_length
// ENTROPY-NEXT: n lambda
// ENTROPY-NEXT: 64 0.08333 3.943
// ENTROPY: attn.softmax in @others at {{.*}}, d = 64, cosine
// ENTROPY: attn.softmax in @others at {{.*}}, d = 16, dot product
func.func @others(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %x: tensor<48x64xf32>, %s: tensor<48x48xf32>) -> (tensor<4x48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant dense<0.125> : tensor<4x48x48xf32>
  %e = tensor.empty() : tensor<4x48x48xf32>
  %e2 = tensor.empty() : tensor<48x48xf32>
  %ex = tensor.empty() : tensor<48x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s1 = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s2 = arith.mulf %s1, %factor : tensor<4x48x48xf32>
  %a = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s2 : tensor<4x48x48xf32>) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %n = attn.norm l2 axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%ex : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s3 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(i, j, a) -> (i, a)>, affine_map<(i, j, a) -> (j, a)>, affine_map<(i, j, a) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%n, %n : tensor<48x64xf32>, tensor<48x64xf32>) outs(%s3 : tensor<48x48xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %m = arith.mulf %l, %r : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<48x48xf32>
  %b = attn.softmax scale(#attn.gradient_max<scores = cosine, n = keys>) softmax(#attn.softmax) head_dim(64) ins(%s4 : tensor<48x48xf32>) outs(%e2 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %c = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(16) ins(%s : tensor<48x48xf32>) outs(%e2 : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %a, %b, %c : tensor<4x48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>
}
