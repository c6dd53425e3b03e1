// Probes whose values are known: 8 equal scores, so that p = 1/8 each.
// RUN: mkdir -p %t
// RUN: %python -c "import numpy as np; a = {f'arg{i}': np.zeros((1, n, 4), np.float32) for i, n in enumerate((2, 8, 8))}; np.savez(r'%t/in.npz', **a)"
// RUN: attn-run %s --inputs=%t/in.npz --output=%t/out.npz --check
// RUN: %python -c "import numpy as np; z = np.load(r'%t/out.npz'); print(*(f'{z[f\"out{i}\"][0, 1]:.5f}' for i in range(1, 6)))" | FileCheck %s

// log 8; 1; 1/8; alpha = lambda sqrt(d) = 2 * 2, times (1 - 1/8); 0.
// CHECK: 2.07944 1.00000 0.12500 3.50000 0.00000

func.func @equal(%q: tensor<1x2x4xf32>, %k: tensor<1x8x4xf32>, %v: tensor<1x8x4xf32>)
    -> (tensor<1x2x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %o = tensor.empty() : tensor<1x2x4xf32>
  %r = tensor.empty() : tensor<1x2xf32>
  %0:6 = attn.attention scale(#attn.constant<2.0>) softmax(#attn.softmax)
      probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<half_gradient_norm>, #attn.probe<max_logit>]
      ins(%q, %k, %v : tensor<1x2x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>)
      outs(%o, %r, %r, %r, %r, %r : tensor<1x2x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
      -> tensor<1x2x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5
      : tensor<1x2x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}
