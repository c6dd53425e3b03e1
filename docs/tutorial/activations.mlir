// Activations that keep the second moment: see activations.md.

// E f(z)^2 over 2^20 draws of z ~ N(0, 1), in the order of the list below.
func.func @moment() -> tensor<9xf32> {
  %seed = arith.constant 5 : i64
  %e = tensor.empty() : tensor<1048576xf32>
  %z = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<1048576xf32>) -> tensor<1048576xf32>
  %t = tensor.empty() : tensor<9xf32>
  %c0 = arith.constant 0 : index
  %y0 = attn.activation relu %z : tensor<1048576xf32>
  %m0 = func.call @mean_of_squares(%y0) : (tensor<1048576xf32>) -> f32
  %t0 = tensor.insert %m0 into %t[%c0] : tensor<9xf32>
  %c1 = arith.constant 1 : index
  %y1 = attn.activation elu %z : tensor<1048576xf32>
  %m1 = func.call @mean_of_squares(%y1) : (tensor<1048576xf32>) -> f32
  %t1 = tensor.insert %m1 into %t0[%c1] : tensor<9xf32>
  %c2 = arith.constant 2 : index
  %y2 = attn.activation selu %z : tensor<1048576xf32>
  %m2 = func.call @mean_of_squares(%y2) : (tensor<1048576xf32>) -> f32
  %t2 = tensor.insert %m2 into %t1[%c2] : tensor<9xf32>
  %c3 = arith.constant 3 : index
  %y3 = attn.activation gelu %z : tensor<1048576xf32>
  %m3 = func.call @mean_of_squares(%y3) : (tensor<1048576xf32>) -> f32
  %t3 = tensor.insert %m3 into %t2[%c3] : tensor<9xf32>
  %c4 = arith.constant 4 : index
  %y4 = attn.activation gelu_tanh %z : tensor<1048576xf32>
  %m4 = func.call @mean_of_squares(%y4) : (tensor<1048576xf32>) -> f32
  %t4 = tensor.insert %m4 into %t3[%c4] : tensor<9xf32>
  %c5 = arith.constant 5 : index
  %y5 = attn.activation silu %z : tensor<1048576xf32>
  %m5 = func.call @mean_of_squares(%y5) : (tensor<1048576xf32>) -> f32
  %t5 = tensor.insert %m5 into %t4[%c5] : tensor<9xf32>
  %c6 = arith.constant 6 : index
  %y6 = attn.activation sigmoid %z : tensor<1048576xf32>
  %m6 = func.call @mean_of_squares(%y6) : (tensor<1048576xf32>) -> f32
  %t6 = tensor.insert %m6 into %t5[%c6] : tensor<9xf32>
  %c7 = arith.constant 7 : index
  %y7 = attn.activation tanh %z : tensor<1048576xf32>
  %m7 = func.call @mean_of_squares(%y7) : (tensor<1048576xf32>) -> f32
  %t7 = tensor.insert %m7 into %t6[%c7] : tensor<9xf32>
  %c8 = arith.constant 8 : index
  %y8 = attn.activation softplus %z : tensor<1048576xf32>
  %m8 = func.call @mean_of_squares(%y8) : (tensor<1048576xf32>) -> f32
  %t8 = tensor.insert %m8 into %t7[%c8] : tensor<9xf32>
  return %t8 : tensor<9xf32>
}

// 32 layers x <- f(x W), W random with variance 1/m. Columns: f as it is, with
// unit_moment, with centered unit_moment. Results: the mean square of x_l, and the
// cosine of two inputs that started with the cosine 0.
func.func @depth() -> (tensor<33x3xf32>, tensor<33x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c33 = arith.constant 33 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %seed = arith.constant 99 : i64
  %e = tensor.empty() : tensor<64x512xf32>
  %we = tensor.empty() : tensor<512x512xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %te = tensor.empty() : tensor<33x3xf32>
  %ones = linalg.fill ins(%one : f32) outs(%te : tensor<33x3xf32>) -> tensor<33x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%te : tensor<33x3xf32>) -> tensor<33x3xf32>
  %out:5 = scf.for %l = %c1 to %c33 step %c1 iter_args(%a = %x0, %b = %x0, %c = %x0, %m = %ones, %r = %zeros)
      -> (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<33x3xf32>, tensor<33x3xf32>) {
    %s = arith.index_cast %l : index to i64
    %w = attn.init normal variance(lecun) seed(%s : i64) outs(%we : tensor<512x512xf32>) -> tensor<512x512xf32>
    %ha = attn.linear ins(%a, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %hb = attn.linear ins(%b, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %hc = attn.linear ins(%c, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %ya = attn.activation gelu %ha : tensor<64x512xf32>
    %yb = attn.activation gelu unit_moment %hb : tensor<64x512xf32>
    %yc = attn.activation gelu centered unit_moment %hc : tensor<64x512xf32>
    %m0, %r0 = func.call @note(%m, %r, %l, %c0, %ya) : (tensor<33x3xf32>, tensor<33x3xf32>, index, index, tensor<64x512xf32>) -> (tensor<33x3xf32>, tensor<33x3xf32>)
    %m1, %r1 = func.call @note(%m0, %r0, %l, %c1, %yb) : (tensor<33x3xf32>, tensor<33x3xf32>, index, index, tensor<64x512xf32>) -> (tensor<33x3xf32>, tensor<33x3xf32>)
    %m2, %r2 = func.call @note(%m1, %r1, %l, %c2, %yc) : (tensor<33x3xf32>, tensor<33x3xf32>, index, index, tensor<64x512xf32>) -> (tensor<33x3xf32>, tensor<33x3xf32>)
    scf.yield %ya, %yb, %yc, %m2, %r2 : tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<33x3xf32>, tensor<33x3xf32>
  }
  return %out#3, %out#4 : tensor<33x3xf32>, tensor<33x3xf32>
}

// The other way: weights whose variance keeps the second moment of f as it is.
func.func @solved() -> tensor<33xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %one = arith.constant 1.0 : f32
  %seed = arith.constant 99 : i64
  %e = tensor.empty() : tensor<64x512xf32>
  %we = tensor.empty() : tensor<512x512xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %te = tensor.empty() : tensor<33xf32>
  %ones = linalg.fill ins(%one : f32) outs(%te : tensor<33xf32>) -> tensor<33xf32>
  %out:2 = scf.for %l = %c1 to %c33 step %c1 iter_args(%x = %x0, %m = %ones) -> (tensor<64x512xf32>, tensor<33xf32>) {
    %s = arith.index_cast %l : index to i64
    %w = attn.init normal variance(solved) of(gelu) seed(%s : i64) outs(%we : tensor<512x512xf32>) -> tensor<512x512xf32>
    %h = attn.linear ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %y = attn.activation gelu %h : tensor<64x512xf32>
    %v = func.call @mean_product(%y, %y) : (tensor<64x512xf32>, tensor<64x512xf32>) -> f32
    %n = tensor.insert %v into %m[%l] : tensor<33xf32>
    scf.yield %y, %n : tensor<64x512xf32>, tensor<33xf32>
  }
  return %out#1 : tensor<33xf32>
}

func.func private @note(%m: tensor<33x3xf32>, %r: tensor<33x3xf32>, %l: index, %column: index, %y: tensor<64x512xf32>)
    -> (tensor<33x3xf32>, tensor<33x3xf32>) {
  // Rows 1 to 63 and 0 beside rows 0 to 62 and 63: pairs of inputs.
  %first = tensor.extract_slice %y[0, 0] [1, 512] [1, 1] : tensor<64x512xf32> to tensor<1x512xf32>
  %rest = tensor.extract_slice %y[1, 0] [63, 512] [1, 1] : tensor<64x512xf32> to tensor<63x512xf32>
  %e = tensor.empty() : tensor<64x512xf32>
  %part = tensor.insert_slice %rest into %e[0, 0] [63, 512] [1, 1] : tensor<63x512xf32> into tensor<64x512xf32>
  %turned = tensor.insert_slice %first into %part[63, 0] [1, 512] [1, 1] : tensor<1x512xf32> into tensor<64x512xf32>
  %yy = func.call @mean_product(%y, %y) : (tensor<64x512xf32>, tensor<64x512xf32>) -> f32
  %yz = func.call @mean_product(%y, %turned) : (tensor<64x512xf32>, tensor<64x512xf32>) -> f32
  %cosine = arith.divf %yz, %yy : f32
  %0 = tensor.insert %yy into %m[%l, %column] : tensor<33x3xf32>
  %1 = tensor.insert %cosine into %r[%l, %column] : tensor<33x3xf32>
  return %0, %1 : tensor<33x3xf32>, tensor<33x3xf32>
}

func.func private @mean_product(%a: tensor<64x512xf32>, %b: tensor<64x512xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 32768.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<64x512xf32>, tensor<64x512xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %s = tensor.extract %sum[] : tensor<f32>
  %mean = arith.divf %s, %count : f32
  return %mean : f32
}

// Sums in f64: 2^20 terms.
func.func private @mean_of_squares(%a: tensor<1048576xf32>) -> f32 {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 1048576.0 : f64
  %scalar = tensor.empty() : tensor<f64>
  %init = linalg.fill ins(%zero : f64) outs(%scalar : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<1048576xf32>) outs(%init : tensor<f64>) {
  ^bb0(%x: f32, %acc: f64):
    %wide = arith.extf %x : f32 to f64
    %square = arith.mulf %wide, %wide : f64
    %next = arith.addf %acc, %square : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  %s = tensor.extract %sum[] : tensor<f64>
  %mean = arith.divf %s, %count : f64
  %narrow = arith.truncf %mean : f64 to f32
  return %narrow : f32
}
