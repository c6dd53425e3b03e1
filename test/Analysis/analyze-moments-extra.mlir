// The weights of a softmax with e0 > 0 sum up to less than 1. By how much depends on
// the length of each query, too. NumPy draws 0.999883 and 0.1023 for 512 keys of 64
// numbers and variance 6.25, and for a single key 0.49999, 0.293135, 0.015857 and
// 0.000630. Keys are values here, so that a row sees more of its own direction:
// NumPy draws 0.1792 +- 0.0013.

// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=json=%t.json 2>/dev/null
// RUN: %python -c "import json; f = json.load(open(r'%t.json'))[0]; print(*(f'{x:.6f}' for x in [s[k] for s in f['scores'] for k in ('sum_p', 'sum_p2')] + [v['second_moment'] for v in f['values']]), sep='\n')" | FileCheck %s
// CHECK: 0.999884
// CHECK-NEXT: 0.101909
// CHECK-NEXT: 0.500000
// CHECK-NEXT: 0.293132
// CHECK-NEXT: 0.015854
// CHECK-NEXT: 0.000629
// The outputs' second moments.
// CHECK-NEXT: 0.180820
// CHECK-NEXT: 0.293132
// CHECK-NEXT: 0.000629
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
