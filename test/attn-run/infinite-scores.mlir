// Similarities in which infinities meet: +inf minus +inf is NaN on every path, with a softcap, too, and so is the row.
// An infinity alone is +inf, whose row is NaN without a softcap and finite with one. Rows of numbers stay numbers.

// RUN: %python -c "import numpy as np; r = np.random.default_rng(5); q, k, v = (r.standard_normal(s).astype('f') for s in [(2, 20, 16), (2, 30, 16), (2, 30, 8)]); q[0, 3, :2] = np.inf; q[1, 7, 5] = np.inf; k[:, :, :2] = np.abs(k[:, :, :2]); k[0, 11, 1] *= -1; np.savez(r'%t.npz', arg0=q, arg1=k, arg2=v)"
// RUN: attn-run %s --inputs=%t.npz --check --output=%t.fast.npz --remarks | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: attn-run %s --inputs=%t.npz --check --output=%t.plain.npz --portable | FileCheck %s
// CHECK-COUNT-2: match
// FAST-COUNT-2: fast path:
// RUN: %python -c "import numpy as np; fs = [np.load(p) for p in (r'%t.fast.npz', r'%t.plain.npz')]; rows = lambda a: {tuple(map(int, i)) for i in np.argwhere(np.isnan(a).any(-1))}; assert all(rows(f['out0']) == {(0, 3), (1, 7)} and rows(f['out1']) == {(0, 3)} and np.isnan(f['out1'][0, 3]).all() for f in fs), [[rows(f[n]) for n in ('out0', 'out1')] for f in fs]"

func.func @f(%q: tensor<2x20x16xf32>, %k: tensor<2x30x16xf32>, %v: tensor<2x30x8xf32>) -> (tensor<2x20x8xf32>, tensor<2x20x8xf32>) {
  %e = tensor.empty() : tensor<2x20x8xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<2x20x16xf32>, tensor<2x30x16xf32>, tensor<2x30x8xf32>) outs(%e : tensor<2x20x8xf32>) -> tensor<2x20x8xf32>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(3.0)
      ins(%q, %k, %v : tensor<2x20x16xf32>, tensor<2x30x16xf32>, tensor<2x30x8xf32>) outs(%e : tensor<2x20x8xf32>) -> tensor<2x20x8xf32>
  return %0, %1 : tensor<2x20x8xf32>, tensor<2x20x8xf32>
}
