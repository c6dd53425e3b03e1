// The parameterisation of the neural tangent kernel: see ntk.md.

// The mean square of y = x W of width m, x of unit moment, for
//   standard with variance 1/m, ntk with variance 1, ntk with variance 1/m (a
//   mistake), standard with variance 1 (another).
func.func @forward(%x: tensor<64x?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %seed = arith.constant 7 : i64
  %m = tensor.dim %x, %c1 : tensor<64x?xf32>
  %we = tensor.empty(%m, %m) : tensor<?x?xf32>
  %lecun = attn.init normal variance(lecun) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %unit = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<64x?xf32>
  %0 = attn.linear ins(%x, %lecun : tensor<64x?xf32>, tensor<?x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %1 = attn.linear parameterisation(ntk) ins(%x, %unit : tensor<64x?xf32>, tensor<?x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %2 = attn.linear parameterisation(ntk) ins(%x, %lecun : tensor<64x?xf32>, tensor<?x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %3 = attn.linear ins(%x, %unit : tensor<64x?xf32>, tensor<?x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %m0 = func.call @mean_product(%0, %0) : (tensor<64x?xf32>, tensor<64x?xf32>) -> f32
  %m1 = func.call @mean_product(%1, %1) : (tensor<64x?xf32>, tensor<64x?xf32>) -> f32
  %m2 = func.call @mean_product(%2, %2) : (tensor<64x?xf32>, tensor<64x?xf32>) -> f32
  %m3 = func.call @mean_product(%3, %3) : (tensor<64x?xf32>, tensor<64x?xf32>) -> f32
  %r = tensor.empty() : tensor<4xf32>
  %r0 = tensor.insert %m0 into %r[%c0] : tensor<4xf32>
  %r1 = tensor.insert %m1 into %r0[%c1] : tensor<4xf32>
  %r2 = tensor.insert %m2 into %r1[%c2] : tensor<4xf32>
  %r3 = tensor.insert %m3 into %r2[%c3] : tensor<4xf32>
  return %r3 : tensor<4xf32>
}

// One step of gradient descent on the loss |y|^2 / 2 of a single row x, written
// out: the gradient by y is y, by W it is x^T y (ntk: x^T y / sqrt m). How far y
// moves for a learning rate of 1, in parts of y: standard, ntk.
func.func @step(%x: tensor<1x?xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seed = arith.constant 7 : i64
  %m = tensor.dim %x, %c1 : tensor<1x?xf32>
  %we = tensor.empty(%m, %m) : tensor<?x?xf32>
  %lecun = attn.init normal variance(lecun) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %unit = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<1x?xf32>
  %y0 = attn.linear ins(%x, %lecun : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  %y1 = attn.linear parameterisation(ntk) ins(%x, %unit : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  // x^T y is a linear layer of one input a row: m rows of 1, weight 1 x m.
  %te = tensor.empty(%m) : tensor<?x1xf32>
  %xt = linalg.transpose ins(%x : tensor<1x?xf32>) outs(%te : tensor<?x1xf32>) permutation = [1, 0]
  %g0 = attn.linear ins(%xt, %y0 : tensor<?x1xf32>, tensor<1x?xf32>) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %i = arith.index_cast %m : index to i64
  %f = arith.sitofp %i : i64 to f32
  %root = math.sqrt %f : f32
  %ye = tensor.empty(%m) : tensor<1x?xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                            iterator_types = ["parallel", "parallel"]}
      ins(%y1 : tensor<1x?xf32>) outs(%ye : tensor<1x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %q = arith.divf %v, %root : f32
    linalg.yield %q : f32
  } -> tensor<1x?xf32>
  %g1 = attn.linear ins(%xt, %scaled : tensor<?x1xf32>, tensor<1x?xf32>) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d0 = attn.linear ins(%x, %g0 : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  %d1 = attn.linear parameterisation(ntk) ins(%x, %g1 : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  %r0 = func.call @ratio(%d0, %y0) : (tensor<1x?xf32>, tensor<1x?xf32>) -> f32
  %r1 = func.call @ratio(%d1, %y1) : (tensor<1x?xf32>, tensor<1x?xf32>) -> f32
  %r = tensor.empty() : tensor<2xf32>
  %s0 = tensor.insert %r0 into %r[%c0] : tensor<2xf32>
  %s1 = tensor.insert %r1 into %s0[%c1] : tensor<2xf32>
  return %s1 : tensor<2xf32>
}

// d . y / y . y
func.func private @ratio(%d: tensor<1x?xf32>, %y: tensor<1x?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sums:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                             affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>],
                            iterator_types = ["reduction", "reduction"]}
      ins(%d, %y : tensor<1x?xf32>, tensor<1x?xf32>) outs(%init, %init : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %dy: f32, %yy: f32):
    %ab = arith.mulf %a, %b : f32
    %bb = arith.mulf %b, %b : f32
    %next0 = arith.addf %dy, %ab : f32
    %next1 = arith.addf %yy, %bb : f32
    linalg.yield %next0, %next1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %a = tensor.extract %sums#0[] : tensor<f32>
  %b = tensor.extract %sums#1[] : tensor<f32>
  %q = arith.divf %a, %b : f32
  return %q : f32
}

func.func private @mean_product(%a: tensor<64x?xf32>, %b: tensor<64x?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = tensor.dim %a, %c1 : tensor<64x?xf32>
  %size = arith.muli %m, %c64 : index
  %i = arith.index_cast %size : index to i64
  %count = arith.sitofp %i : i64 to f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<64x?xf32>, tensor<64x?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %product = arith.mulf %x, %y : f32
    %share = arith.divf %product, %count : f32
    %next = arith.addf %acc, %share : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %mean = tensor.extract %sum[] : tensor<f32>
  return %mean : f32
}

// The root mean square of a step by that of the weights.
func.func private @relative(%step: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sums:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                             affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>],
                            iterator_types = ["reduction", "reduction"]}
      ins(%step, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init, %init : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %steps: f32, %weights: f32):
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %next0 = arith.addf %steps, %aa : f32
    %next1 = arith.addf %weights, %bb : f32
    linalg.yield %next0, %next1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %a = tensor.extract %sums#0[] : tensor<f32>
  %b = tensor.extract %sums#1[] : tensor<f32>
  %square = arith.divf %a, %b : f32
  %root = math.sqrt %square : f32
  return %root : f32
}

// A step that is 0.01 in each weight, with the sign of the gradient, as Adam's first one: how far y moves, in parts of
// y, and how much a weight changes, in parts of itself, in the standard form and in the other.
func.func @sign_step(%x: tensor<1x?xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seed = arith.constant 7 : i64
  %m = tensor.dim %x, %c1 : tensor<1x?xf32>
  %we = tensor.empty(%m, %m) : tensor<?x?xf32>
  %lecun = attn.init normal variance(lecun) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %unit = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%we : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<1x?xf32>
  %y = attn.linear ins(%x, %lecun : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  // The sign of x_i y_j.
  %step = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, i)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<1x?xf32>, tensor<1x?xf32>) outs(%we : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %rate = arith.constant 0.01 : f32
    %g = arith.mulf %a, %b : f32
    %s = math.copysign %rate, %g : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %d0 = attn.linear ins(%x, %step : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  %d1 = attn.linear parameterisation(ntk) ins(%x, %step : tensor<1x?xf32>, tensor<?x?xf32>) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  // y is the same in both forms.
  %r0 = func.call @ratio(%d0, %y) : (tensor<1x?xf32>, tensor<1x?xf32>) -> f32
  %r1 = func.call @ratio(%d1, %y) : (tensor<1x?xf32>, tensor<1x?xf32>) -> f32
  %r = tensor.empty() : tensor<2xf32>
  %s0 = tensor.insert %r0 into %r[%c0] : tensor<2xf32>
  %s1 = tensor.insert %r1 into %s0[%c1] : tensor<2xf32>
  %w0 = func.call @relative(%step, %lecun) : (tensor<?x?xf32>, tensor<?x?xf32>) -> f32
  %w1 = func.call @relative(%step, %unit) : (tensor<?x?xf32>, tensor<?x?xf32>) -> f32
  %t0 = tensor.insert %w0 into %r[%c0] : tensor<2xf32>
  %t1 = tensor.insert %w1 into %t0[%c1] : tensor<2xf32>
  return %s1, %t1 : tensor<2xf32>, tensor<2xf32>
}
