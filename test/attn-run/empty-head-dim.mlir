// Rows of query and key without elements have scores of 0, whatever the scale makes of
// d: the output is the mean of the values. Values without elements leave the lse.
// RUN: attn-run %s --entry=no_elements --check --remarks | FileCheck %s --check-prefixes=CHECK,REMARK
// RUN: attn-run %s --entry=no_elements_few_rows --check --remarks | FileCheck %s --check-prefixes=CHECK,REMARK
// RUN: attn-run %s --entry=no_values --check --remarks | FileCheck %s --check-prefixes=CHECK,REMARK
// RUN: attn-run %s --entry=dynamic --shape=0:1x2x9x0 --shape=1:1x1x70x0 --check | FileCheck %s
// RUN: attn-run %s --entry=dynamic --shape=0:1x2x9x5 --shape=1:1x1x70x5 --check | FileCheck %s
// RUN: attn-run %s --entry=cosine --shape=0:1x2x9x0 --shape=1:1x1x70x0 --check | FileCheck %s
// CHECK: out0 against f64 reference: match

// NaN would match NaN: here the output is the mean of the values indeed.
// RUN: %python -c "import numpy as np; v = np.random.default_rng(1).standard_normal((1, 1, 70, 8), np.float32); np.savez('%t.npz', arg0=np.zeros((1, 2, 9, 0), np.float32), arg1=np.zeros((1, 1, 70, 0), np.float32), arg2=v, out0=np.broadcast_to(v.mean(2, keepdims=True), (1, 2, 9, 8)))"
// RUN: attn-run %s --entry=dynamic --inputs=%t.npz --expect=%t.npz | FileCheck %s --check-prefix=MEAN
// RUN: attn-run %s --entry=cosine --inputs=%t.npz --expect=%t.npz | FileCheck %s --check-prefix=MEAN
// MEAN: out0 against expected values: match
// REMARK: [attn-r216] portable path: the head or value dimension is 0

func.func @no_elements(%q: tensor<1x2x9x0xf32>, %k: tensor<1x1x90x0xf32>, %v: tensor<1x1x90x8xf32>) -> (tensor<1x2x9x8xf32>, tensor<1x2x9xf32>) {
  %e = tensor.empty() : tensor<1x2x9x8xf32>
  %r = tensor.empty() : tensor<1x2x9xf32>
  %o:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) probes [#attn.probe<half_gradient_norm>]
      ins(%q, %k, %v : tensor<1x2x9x0xf32>, tensor<1x1x90x0xf32>, tensor<1x1x90x8xf32>)
      outs(%e, %r : tensor<1x2x9x8xf32>, tensor<1x2x9xf32>) -> tensor<1x2x9x8xf32>, tensor<1x2x9xf32>
  return %o#0, %o#1 : tensor<1x2x9x8xf32>, tensor<1x2x9xf32>
}

func.func @no_elements_few_rows(%q: tensor<1x2x1x0xbf16>, %k: tensor<1x1x90x0xbf16>, %v: tensor<1x1x90x8xbf16>) -> tensor<1x2x1x8xbf16> {
  %e = tensor.empty() : tensor<1x2x1x8xbf16>
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x1x0xbf16>, tensor<1x1x90x0xbf16>, tensor<1x1x90x8xbf16>)
      outs(%e : tensor<1x2x1x8xbf16>) -> tensor<1x2x1x8xbf16>
  return %o : tensor<1x2x1x8xbf16>
}

func.func @no_values(%q: tensor<1x2x9x4xf32>, %k: tensor<1x1x90x4xf32>, %v: tensor<1x1x90x0xf32>) -> (tensor<1x2x9xf32>, tensor<1x2x9x0xf32>) {
  %e = tensor.empty() : tensor<1x2x9x0xf32>
  %l = tensor.empty() : tensor<1x2x9xf32>
  %o:2 = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x9x4xf32>, tensor<1x1x90x4xf32>, tensor<1x1x90x0xf32>)
      outs(%e, %l : tensor<1x2x9x0xf32>, tensor<1x2x9xf32>) -> tensor<1x2x9x0xf32>, tensor<1x2x9xf32>
  return %o#1, %o#0 : tensor<1x2x9xf32>, tensor<1x2x9x0xf32>
}

func.func @dynamic(%q: tensor<1x2x9x?xf32>, %k: tensor<1x1x70x?xf32>, %v: tensor<1x1x70x8xf32>) -> tensor<1x2x9x8xf32> {
  %e = tensor.empty() : tensor<1x2x9x8xf32>
  %o = attn.attention scale(#attn.entropy_invariant<kappa = 2.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x9x?xf32>, tensor<1x1x70x?xf32>, tensor<1x1x70x8xf32>)
      outs(%e : tensor<1x2x9x8xf32>) -> tensor<1x2x9x8xf32>
  return %o : tensor<1x2x9x8xf32>
}

func.func @cosine(%q: tensor<1x2x9x?xf32>, %k: tensor<1x1x70x?xf32>, %v: tensor<1x1x70x8xf32>) -> tensor<1x2x9x8xf32> {
  %e = tensor.empty() : tensor<1x2x9x8xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x9x?xf32>, tensor<1x1x70x?xf32>, tensor<1x1x70x8xf32>)
      outs(%e : tensor<1x2x9x8xf32>) -> tensor<1x2x9x8xf32>
  return %o : tensor<1x2x9x8xf32>
}
