// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// Slices of tables that are constants.

// Tables may be what they are; none of these is one of a formula.
// CHECK-NOT: attn.rope {{.*}}ins({{[^)]*}}) {{ *[op]}}

#id = affine_map<(b, i, j) -> (b, i, j)>
#tab = affine_map<(b, i, j) -> (i, j)>

// The last row of a table of constants is wrong, which one slice reads.
func.func @wrong_constant(%x: tensor<2x2x4xf32>, %at: index) -> tensor<2x2x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %eh = tensor.empty() : tensor<2x2x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x2x2xf32>) outs(%eh : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x4xf32>
  %e = tensor.empty() : tensor<2x2x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.45217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 1 of the slice from 6 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// The same in a step.
func.func @wrong_constant_in_step(%x: tensor<2x1x4xf32>, %at: index) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.65842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 0 of the slice from 7 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// How many rows the slices of constants have is not known.
func.func @any_slice_of_constants(%x: tensor<2x?x4xf32>, %at: index) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [%n, 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [%n, 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}
