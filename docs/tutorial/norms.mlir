// What a norm takes away, and what it leaves: see norms.md.

// 8 samples of 16 channels of 64 numbers. Sample i is 2^i times as large as sample 0. Results are the mean squares
// of the samples behind each norm.
func.func @sizes() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %seed = arith.constant 1 : i64
  %e = tensor.empty() : tensor<8x16x64xf32>
  %z = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(n, c, s) -> (n, c, s)>, affine_map<(n, c, s) -> (n, c, s)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%z : tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %i = linalg.index 0 : index
    %int = arith.index_cast %i : index to i32
    %f = arith.sitofp %int : i32 to f32
    %size = math.exp2 %f : f32
    %r = arith.mulf %a, %size : f32
    linalg.yield %r : f32
  } -> tensor<8x16x64xf32>
  %instance = attn.norm instance axes [2] eps(1.0e-05) affine_axes [1] ins(%x : tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %layer = attn.norm layer axes [1, 2] eps(1.0e-05) ins(%x : tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %batch = attn.norm batch axes [0, 2] eps(1.0e-05) ins(%x : tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %a = call @mean_squares(%instance) : (tensor<8x16x64xf32>) -> tensor<8xf32>
  %b = call @mean_squares(%layer) : (tensor<8x16x64xf32>) -> tensor<8xf32>
  %c = call @mean_squares(%batch) : (tensor<8x16x64xf32>) -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func private @mean_squares(%x: tensor<8x16x64xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<1024.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, c, s) -> (n, c, s)>, affine_map<(n, c, s) -> (n)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<8x16x64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %square = arith.mulf %a, %a : f32
    %next = arith.addf %acc, %square : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %mean = arith.divf %sum, %count : tensor<8xf32>
  return %mean : tensor<8xf32>
}

// Rows of 1024 normal numbers plus c, c = 0 ... 16 quarters. What is left of the mean behind a layer norm, an RMS
// norm and an l2 norm times sqrt(1024).
func.func @offset() -> (tensor<17xf32>, tensor<17xf32>, tensor<17xf32>) {
  %seed = arith.constant 1 : i64
  %quarter = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<17x1024xf32>
  %z = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<17x1024xf32>) -> tensor<17x1024xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<17x1024xf32>) outs(%e : tensor<17x1024xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %i = linalg.index 0 : index
    %int = arith.index_cast %i : index to i32
    %f = arith.sitofp %int : i32 to f32
    %c = arith.mulf %f, %quarter : f32
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<17x1024xf32>
  %ge = tensor.empty() : tensor<1024xf32>
  %root = arith.constant 32.0 : f32
  %gain = linalg.fill ins(%root : f32) outs(%ge : tensor<1024xf32>) -> tensor<1024xf32>
  %layer = attn.norm layer axes [1] eps(1.0e-05) ins(%x : tensor<17x1024xf32>) outs(%e : tensor<17x1024xf32>) -> tensor<17x1024xf32>
  %rms = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<17x1024xf32>) outs(%e : tensor<17x1024xf32>) -> tensor<17x1024xf32>
  %l2 = attn.norm l2 axes [1] eps(max_norm 1.0e-12) ins(%x : tensor<17x1024xf32>) gamma(%gain : tensor<1024xf32>) outs(%e : tensor<17x1024xf32>) -> tensor<17x1024xf32>
  %a = call @means(%layer) : (tensor<17x1024xf32>) -> tensor<17xf32>
  %b = call @means(%rms) : (tensor<17x1024xf32>) -> tensor<17xf32>
  %c = call @means(%l2) : (tensor<17x1024xf32>) -> tensor<17xf32>
  return %a, %b, %c : tensor<17xf32>, tensor<17xf32>, tensor<17xf32>
}

func.func private @means(%x: tensor<17x1024xf32>) -> tensor<17xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<1024.0> : tensor<17xf32>
  %e = tensor.empty() : tensor<17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %sum = linalg.reduce ins(%x : tensor<17x1024xf32>) outs(%init : tensor<17xf32>) dimensions = [1]
    (%a: f32, %acc: f32) {
      %next = arith.addf %acc, %a : f32
      linalg.yield %next : f32
    }
  %mean = arith.divf %sum, %count : tensor<17xf32>
  return %mean : tensor<17xf32>
}
