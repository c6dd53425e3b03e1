// Constant weights that are packed at compile time: panels, groups of them and steps that are not full; either layout, matrix
// products, one number for all of a matrix.

// RUN: attn-run %s --check --remarks | FileCheck %s
// CHECK-COUNT-4: f64 reference: match
// CHECK-COUNT-4: [attn-r246]
// CHECK-NOT: [attn-r246]

func.func @layers(%x: tensor<7x5xf32>, %s: tensor<70x5xf32>) -> (tensor<7x20xf32>, tensor<7x20xf32>, tensor<7x20xf32>, tensor<70x40xf32>) {
  %w = arith.constant dense<[[-5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0], [2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0], [-2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0], [5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0], [1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0]]> : tensor<5x20xf32>
  %u = arith.constant dense<[[-5.0, 2.0, -2.0, 5.0, 1.0], [-2.0, 5.0, 1.0, -3.0, 4.0], [1.0, -3.0, 4.0, 0.0, -4.0], [4.0, 0.0, -4.0, 3.0, -1.0], [-4.0, 3.0, -1.0, -5.0, 2.0], [-1.0, -5.0, 2.0, -2.0, 5.0], [2.0, -2.0, 5.0, 1.0, -3.0], [5.0, 1.0, -3.0, 4.0, 0.0], [-3.0, 4.0, 0.0, -4.0, 3.0], [0.0, -4.0, 3.0, -1.0, -5.0], [3.0, -1.0, -5.0, 2.0, -2.0], [-5.0, 2.0, -2.0, 5.0, 1.0], [-2.0, 5.0, 1.0, -3.0, 4.0], [1.0, -3.0, 4.0, 0.0, -4.0], [4.0, 0.0, -4.0, 3.0, -1.0], [-4.0, 3.0, -1.0, -5.0, 2.0], [-1.0, -5.0, 2.0, -2.0, 5.0], [2.0, -2.0, 5.0, 1.0, -3.0], [5.0, 1.0, -3.0, 4.0, 0.0], [-3.0, 4.0, 0.0, -4.0, 3.0]]> : tensor<20x5xf32>
  %two = arith.constant dense<2.0> : tensor<5x40xf32>
  %e = tensor.empty() : tensor<7x20xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %w : tensor<7x5xf32>, tensor<5x20xf32>) outs(%e : tensor<7x20xf32>) -> tensor<7x20xf32>
  %1 = attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %u : tensor<7x5xf32>, tensor<20x5xf32>) outs(%e : tensor<7x20xf32>) -> tensor<7x20xf32>
  %zero = arith.constant 0.0 : f32
  %filled = linalg.fill ins(%zero : f32) outs(%e : tensor<7x20xf32>) -> tensor<7x20xf32>
  %2 = linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>}
      ins(%x, %w : tensor<7x5xf32>, tensor<5x20xf32>) outs(%filled : tensor<7x20xf32>) -> tensor<7x20xf32>
  %long = tensor.empty() : tensor<70x40xf32>
  %3 = attn.linear ins(%s, %two : tensor<70x5xf32>, tensor<5x40xf32>) outs(%long : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %0, %1, %2, %3 : tensor<7x20xf32>, tensor<7x20xf32>, tensor<7x20xf32>, tensor<70x40xf32>
}
