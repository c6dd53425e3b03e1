// Activations at -inf, inf and NaN: kernel and reference agree, and what is a product
// with x is NaN at -inf, as PyTorch has it.
// RUN: mkdir -p %t
// RUN: %python -c "import numpy as np; x = np.linspace(-4, 4, 40, dtype=np.float32); x[[0, 20]], x[1], x[2] = -np.inf, np.inf, np.nan; np.savez(r'%t/in.npz', arg0=x)"
// RUN: attn-run %s --inputs=%t/in.npz --output=%t/out.npz --check | FileCheck %s --implicit-check-not=MISMATCH
// RUN: %python -c "import numpy as np; z = np.load(r'%t/out.npz'); [print(z[f'out{i}'][[0, 20, 1, 2]] + 0.0) for i in range(9)]" | FileCheck %s --check-prefix=VALUE

// CHECK-COUNT-9: match

// gelu, gelu_tanh, silu
// VALUE: [nan nan inf nan]
// VALUE-NEXT: [nan nan inf nan]
// VALUE-NEXT: [nan nan inf nan]
// relu, elu, selu
// VALUE-NEXT: [ 0. 0. inf nan]
// VALUE-NEXT: [-1. -1. inf nan]
// VALUE-NEXT: [{{-1.75809[0-9]* -1.75809[0-9]*}} inf nan]
// sigmoid, tanh, softplus
// VALUE-NEXT: [ 0. 0. 1. nan]
// VALUE-NEXT: [-1. -1. 1. nan]
// VALUE-NEXT: [ 0. 0. inf nan]

func.func @limits(%x: tensor<40xf32>)
    -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = attn.activation gelu %x : tensor<40xf32>
  %1 = attn.activation gelu_tanh %x : tensor<40xf32>
  %2 = attn.activation silu %x : tensor<40xf32>
  %3 = attn.activation relu %x : tensor<40xf32>
  %4 = attn.activation elu %x : tensor<40xf32>
  %5 = attn.activation selu %x : tensor<40xf32>
  %6 = attn.activation sigmoid %x : tensor<40xf32>
  %7 = attn.activation tanh %x : tensor<40xf32>
  %8 = attn.activation softplus %x : tensor<40xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}
