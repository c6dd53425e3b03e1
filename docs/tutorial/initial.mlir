// Initial distributions: see initial.md.

// 65536 numbers of variance 1 by each distribution, and the truncated one as other frameworks draw it: a normal
// of deviation 1 cut at -2 and 2, whose variance is 0.7737.
func.func @draws() -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>) {
  %seed = arith.constant 1 : i64
  %e = tensor.empty() : tensor<65536xf32>
  %0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %1 = attn.init uniform variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %2 = attn.init truncated_normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %3 = attn.init truncated_normal variance(constant) value(0.7737413) seed(%seed : i64) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  return %0, %1, %2, %3 : tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>
}

// Mean square, largest number and kurtosis of each.
func.func @numbers() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c:4 = call @draws() : () -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>)
  %e = tensor.empty() : tensor<4x65536xf32>
  %a0 = tensor.insert_slice %c#0 into %e[0, 0] [1, 65536] [1, 1] : tensor<65536xf32> into tensor<4x65536xf32>
  %a1 = tensor.insert_slice %c#1 into %a0[1, 0] [1, 65536] [1, 1] : tensor<65536xf32> into tensor<4x65536xf32>
  %a2 = tensor.insert_slice %c#2 into %a1[2, 0] [1, 65536] [1, 1] : tensor<65536xf32> into tensor<4x65536xf32>
  %a3 = tensor.insert_slice %c#3 into %a2[3, 0] [1, 65536] [1, 1] : tensor<65536xf32> into tensor<4x65536xf32>
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<65536.0> : tensor<4xf32>
  %r = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a3 : tensor<4x65536xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %y = arith.mulf %x, %x : f32
    %z = arith.addf %sum, %y : f32
    linalg.yield %z : f32
  } -> tensor<4xf32>
  %mean = arith.divf %squares, %count : tensor<4xf32>
  %largest = attn.statistics infinity_norm axes [1] ins(%a3 : tensor<4x65536xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %kurtosis = attn.statistics kurtosis axes [1] ins(%a3 : tensor<4x65536xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %mean, %largest, %kurtosis : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The mean square behind each of 32 layers with relu, by two rules: LeCun 1/m and He 2/m.
func.func @layers() -> tensor<33x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %seed = arith.constant 99 : i64
  %e = tensor.empty() : tensor<64x256xf32>
  %we = tensor.empty() : tensor<256x256xf32>
  %one = arith.constant 1.0 : f32
  %te = tensor.empty() : tensor<33x2xf32>
  %table = linalg.fill ins(%one : f32) outs(%te : tensor<33x2xf32>) -> tensor<33x2xf32>
  %x = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %last:3 = scf.for %l = %c1 to %c33 step %c1 iter_args(%a = %x, %b = %x, %t = %table) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<33x2xf32>) {
    %s = arith.index_cast %l : index to i64
    %w = attn.init normal variance(lecun) seed(%s : i64) outs(%we : tensor<256x256xf32>) -> tensor<256x256xf32>
    %v = attn.init normal variance(he) seed(%s : i64) outs(%we : tensor<256x256xf32>) -> tensor<256x256xf32>
    %ha = attn.linear ins(%a, %w : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    %hb = attn.linear ins(%b, %v : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    %ma = func.call @mean_square(%ha) : (tensor<64x256xf32>) -> f32
    %mb = func.call @mean_square(%hb) : (tensor<64x256xf32>) -> f32
    %t0 = tensor.insert %ma into %t[%l, %c0] : tensor<33x2xf32>
    %t1 = tensor.insert %mb into %t0[%l, %c1] : tensor<33x2xf32>
    %na = attn.activation relu %ha : tensor<64x256xf32>
    %nb = attn.activation relu %hb : tensor<64x256xf32>
    scf.yield %na, %nb, %t1 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<33x2xf32>
  }
  return %last#2 : tensor<33x2xf32>
}

func.func private @mean_square(%a: tensor<64x256xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 16384.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<64x256xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %acc: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %acc, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %s = tensor.extract %sum[] : tensor<f32>
  %mean = arith.divf %s, %count : f32
  return %mean : f32
}
