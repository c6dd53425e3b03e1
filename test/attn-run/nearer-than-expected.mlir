// The expected values come from a program that rounds its weights to bf16, the
// kernel keeps them in f32: it is further from those values than they allow, and
// nearer to f64 than they are. What f64 does not say is still a mismatch.

// RUN: %python %S/Inputs/rounded_weights.py %t.npz
// RUN: attn-run %s --inputs=%t.npz --expect=%t.npz | FileCheck %s
// CHECK: out0 against expected values: match
// CHECK-NEXT: further from the expected values than they allow (margin {{[1-9]}}.{{[0-9]+}}), but nearer to f64

// RUN: %python %S/Inputs/rounded_weights.py %t.off.npz 0.5
// RUN: not attn-run %s --inputs=%t.npz --expect=%t.off.npz | FileCheck %s --check-prefix=OFF
// OFF: out0 against expected values: MISMATCH
// OFF-NEXT: the expected values are not what the program computes in f64

func.func @main(%q: tensor<32x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x8xbf16>) -> tensor<32x8xbf16> {
  %e = tensor.empty() : tensor<32x8xbf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<32x4xbf16>, tensor<3x4xbf16>, tensor<3x8xbf16>) outs(%e : tensor<32x8xbf16>) -> tensor<32x8xbf16>
  return %0 : tensor<32x8xbf16>
}
