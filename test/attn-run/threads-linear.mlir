// A linear layer is blocked for the threads that run it, and no bit of its result depends on that.

// RUN: mkdir -p %t
// RUN: attn-run %s --threads=1 --output=%t/1.npz --check
// RUN: attn-run %s --threads=2 --output=%t/2.npz --check
// RUN: attn-run %s --threads=7 --output=%t/7.npz --check
// RUN: cmp %t/1.npz %t/2.npz
// RUN: cmp %t/1.npz %t/7.npz

func.func @layer(%x: tensor<45x300xf32>, %w: tensor<300x580xf32>, %b: tensor<580xf32>, %r: tensor<45x580xf32>) -> tensor<45x580xf32> {
  %init = tensor.empty() : tensor<45x580xf32>
  %v = attn.linear ins(%x, %w, %b : tensor<45x300xf32>, tensor<300x580xf32>, tensor<580xf32>) outs(%init : tensor<45x580xf32>) -> tensor<45x580xf32>
  %y = attn.activation gelu %v : tensor<45x580xf32>
  %s = arith.addf %r, %y : tensor<45x580xf32>
  return %s : tensor<45x580xf32>
}
