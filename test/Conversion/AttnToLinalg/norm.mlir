// RUN: attn-opt %s --attn-decompose | FileCheck %s

// The variance is summed around the mean, in a second pass.
// CHECK-LABEL: @layer
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: attn.norm
func.func @layer(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf16>) outs(%x : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// One sample has no unbiased variance; how many there are is seen at run time.
// CHECK-LABEL: @unbiased
// CHECK: arith.muli
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[SEVERAL:.*]] = arith.cmpi ne, %{{.*}}, %[[ONE]]
// CHECK: cf.assert %[[SEVERAL]], "the unbiased variance of one sample does not exist"
func.func @unbiased(%x: tensor<?x8xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) momentum(0.1) unbiased -> tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %0#2 : tensor<8xf32>
}
