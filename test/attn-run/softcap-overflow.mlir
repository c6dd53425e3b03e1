// Similarities that f32 has no number for, under a softcap: +-c by the sign that
// their sum has in f64, whatever a part of it would be. Rows of normal size
// stand beside them, and a row in which two numbers are much larger than the others.
// Tiles, a decoding step, and bf16.

// RUN: %python -c "import numpy as np; r = np.random.default_rng(3); a = {f'arg{i}': r.standard_normal(s) for i, s in enumerate([(2, 50, 16), (2, 70, 16), (2, 70, 8), (4, 1, 16), (4, 600, 16), (4, 600, 8)])}; [a[k].__imul__(10.0 ** np.resize([0, 25, 37, 0, 19], a[k].shape[:2] + (1,))) for k in ('arg0', 'arg1', 'arg3', 'arg4')]; a['arg3'][2, 0] = [3e38, -3e38] + [1] * 14; np.savez(r'%t.npz', **{k: (np.clip(v, -3.3e38, 3.3e38).astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32) for k, v in a.items()})"
// RUN: attn-run %s --inputs=%t.npz --check --remarks | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: attn-run %s --inputs=%t.npz --portable --check | FileCheck %s
// CHECK-COUNT-4: match
// FAST-COUNT-3: fast path:

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#p = affine_map<(h, m, n, d, e) -> (h, m)>
func.func @main(%q: tensor<2x50x16xf32>, %k: tensor<2x70x16xf32>, %v: tensor<2x70x8xf32>,
                %q1: tensor<4x1x16xf32>, %k1: tensor<4x600x16xf32>, %v1: tensor<4x600x8xf32>)
    -> (tensor<2x50x8xf32>, tensor<2x50xf32>, tensor<4x1x8xf32>, tensor<2x50x8xbf16>) {
  %e = tensor.empty() : tensor<2x50x8xf32>
  %ep = tensor.empty() : tensor<2x50xf32>
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) softcap(3.0) probes [#attn.probe<half_gradient_norm>]
      indexing_maps [#q, #k, #v, #o, #p] ins(%q, %k, %v : tensor<2x50x16xf32>, tensor<2x70x16xf32>, tensor<2x70x8xf32>)
      outs(%e, %ep : tensor<2x50x8xf32>, tensor<2x50xf32>) -> tensor<2x50x8xf32>, tensor<2x50xf32>
  %e1 = tensor.empty() : tensor<4x1x8xf32>
  %1 = attn.attention scale(#attn.constant<-0.2>) softmax(#attn.softmax) softcap(2.0)
      ins(%q1, %k1, %v1 : tensor<4x1x16xf32>, tensor<4x600x16xf32>, tensor<4x600x8xf32>) outs(%e1 : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %qb = arith.truncf %q : tensor<2x50x16xf32> to tensor<2x50x16xbf16>
  %kb = arith.truncf %k : tensor<2x70x16xf32> to tensor<2x70x16xbf16>
  %vb = arith.truncf %v : tensor<2x70x8xf32> to tensor<2x70x8xbf16>
  %eb = tensor.empty() : tensor<2x50x8xbf16>
  %2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(3.0)
      ins(%qb, %kb, %vb : tensor<2x50x16xbf16>, tensor<2x70x16xbf16>, tensor<2x70x8xbf16>) outs(%eb : tensor<2x50x8xbf16>) -> tensor<2x50x8xbf16>
  return %0#0, %0#1, %1, %2 : tensor<2x50x8xf32>, tensor<2x50xf32>, tensor<4x1x8xf32>, tensor<2x50x8xbf16>
}
