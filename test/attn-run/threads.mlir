// The number of threads changes no bit of the results: neither the fast path
// nor the portable one splits work by it.

// RUN: mkdir -p %t
// RUN: attn-run %s --threads=1 --output=%t/1.npz --check
// RUN: attn-run %s --threads=2 --output=%t/2.npz
// RUN: attn-run %s --threads=7 --output=%t/7.npz
// RUN: cmp %t/1.npz %t/2.npz
// RUN: cmp %t/1.npz %t/7.npz
// RUN: attn-run %s --threads=1 --portable --output=%t/p1.npz --check
// RUN: attn-run %s --threads=3 --portable --output=%t/p3.npz
// RUN: cmp %t/p1.npz %t/p3.npz

func.func @attention(%q: tensor<2x3x37x16xf32>, %k: tensor<2x3x53x16xf32>, %v: tensor<2x3x53x16xf32>)
    -> tensor<2x3x37x16xf32> {
  %init = tensor.empty() : tensor<2x3x37x16xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<2x3x37x16xf32>, tensor<2x3x53x16xf32>, tensor<2x3x53x16xf32>)
      outs(%init : tensor<2x3x37x16xf32>) -> tensor<2x3x37x16xf32>
  return %o : tensor<2x3x37x16xf32>
}
