// The weights of a softmax with e0 > 0 sum up to less than 1: by how much, to the
// digits of E sum p = n int E[x exp(-t x)] phi(t)^(n-1) exp(-t e0) dt, which NumPy
// gives as 0.9998960 and 0.1017661 for 512 keys of variance 6.25, and as the
// expectations of x / (x + e0) and its square for a single key.

// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=json=%t.json 2>/dev/null
// RUN: %python -c "import json; f = json.load(open(r'%t.json'))[0]; print(*(f'{x:.6f}' for x in [s[k] for s in f['scores'] for k in ('sum_p', 'sum_p2')] + [v['second_moment'] for v in f['values']]), sep='\n')" | FileCheck %s
// CHECK: 0.999896
// CHECK-NEXT: 0.101766
// CHECK-NEXT: 0.500000
// CHECK-NEXT: 0.293379
// CHECK-NEXT: 0.015820
// CHECK-NEXT: 0.000609
// The outputs' second moments are E sum p^2.
// CHECK-NEXT: 0.101766
// CHECK-NEXT: 0.293379
// CHECK-NEXT: 0.000609
func.func @f(%q: tensor<8x64xf32>, %k: tensor<512x64xf32>, %one: tensor<1x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = attn.attention scale(#attn.constant<0.3125>) softmax(#attn.softmax1)
      ins(%q, %k, %k : tensor<8x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      ins(%q, %one, %one : tensor<8x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax_n<100.0>)
      ins(%q, %one, %one : tensor<8x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0, %1, %2 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}
