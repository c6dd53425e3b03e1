// Where the norm stands, over 64 layers: see depth.md.

// Four streams start with the same x_0 and meet the same branches F, feed-forward
// networks with random weights. Row l of a result belongs to x_l; its columns are
//   post: Norm(x + F(x))   pre: x + F(Norm(x))   plain: x + F(x)   (x + F(x)) / sqrt(2)
// Results: the mean square of x_l, its cosine with x_0, and the mean square of
// x_l - x_(l-1) in parts of the one of x_l.
func.func @depth() -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c65 = arith.constant 65 : index
  %seed = arith.constant 99 : i64
  %c1000 = arith.constant 1000 : i64
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x256xf32>
  %he = tensor.empty() : tensor<64x512xf32>
  %e1 = tensor.empty() : tensor<256x512xf32>
  %e2 = tensor.empty() : tensor<512x256xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %table = tensor.empty() : tensor<65x4xf32>
  %moments = linalg.fill ins(%one : f32) outs(%table : tensor<65x4xf32>) -> tensor<65x4xf32>
  %out:7 = scf.for %l = %c1 to %c65 step %c1
      iter_args(%post = %x0, %pre = %x0, %plain = %x0, %half = %x0, %m = %moments, %c = %moments, %s = %moments)
      -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>,
          tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>) {
    // The weights of this layer's branches: 256 -> 512 -> 256, a relu between,
    // whose gain keeps the second moment.
    %s1 = arith.index_cast %l : index to i64
    %s2 = arith.addi %s1, %c1000 : i64
    %w1 = attn.init normal variance(lecun) seed(%s1 : i64) outs(%e1 : tensor<256x512xf32>) -> tensor<256x512xf32>
    %w2 = attn.init normal variance(lecun) seed(%s2 : i64) outs(%e2 : tensor<512x256xf32>) -> tensor<512x256xf32>
    %y0 = attn.residual post(%post : tensor<64x256xf32>) norm {
    ^bb0(%z: tensor<64x256xf32>):
      %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %n : tensor<64x256xf32>
    } branch {
    ^bb0(%z: tensor<64x256xf32>):
      %h = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%he : tensor<64x512xf32>) -> tensor<64x512xf32>
      %a = attn.activation relu unit_moment %h : tensor<64x512xf32>
      %f = attn.linear ins(%a, %w2 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %f : tensor<64x256xf32>
    }
    %y1 = attn.residual pre(%pre : tensor<64x256xf32>) norm {
    ^bb0(%z: tensor<64x256xf32>):
      %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %n : tensor<64x256xf32>
    } branch {
    ^bb0(%z: tensor<64x256xf32>):
      %h = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%he : tensor<64x512xf32>) -> tensor<64x512xf32>
      %a = attn.activation relu unit_moment %h : tensor<64x512xf32>
      %f = attn.linear ins(%a, %w2 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %f : tensor<64x256xf32>
    }
    %y2 = attn.residual fixup(%plain : tensor<64x256xf32>) branch {
    ^bb0(%z: tensor<64x256xf32>):
      %h = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%he : tensor<64x512xf32>) -> tensor<64x512xf32>
      %a = attn.activation relu unit_moment %h : tensor<64x512xf32>
      %f = attn.linear ins(%a, %w2 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %f : tensor<64x256xf32>
    }
    %y3 = attn.residual inv_sqrt2(%half : tensor<64x256xf32>) branch {
    ^bb0(%z: tensor<64x256xf32>):
      %h = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%he : tensor<64x512xf32>) -> tensor<64x512xf32>
      %a = attn.activation relu unit_moment %h : tensor<64x512xf32>
      %f = attn.linear ins(%a, %w2 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
      attn.yield %f : tensor<64x256xf32>
    }
    %r:3 = func.call @note(%m, %c, %s, %l, %c0, %x0, %post, %y0)
        : (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>, index, index, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
        -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>)
    %r1:3 = func.call @note(%r#0, %r#1, %r#2, %l, %c1, %x0, %pre, %y1)
        : (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>, index, index, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
        -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>)
    %r2:3 = func.call @note(%r1#0, %r1#1, %r1#2, %l, %c2, %x0, %plain, %y2)
        : (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>, index, index, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
        -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>)
    %r3:3 = func.call @note(%r2#0, %r2#1, %r2#2, %l, %c3, %x0, %half, %y3)
        : (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>, index, index, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
        -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>)
    scf.yield %y0, %y1, %y2, %y3, %r3#0, %r3#1, %r3#2
        : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>
  }
  return %out#4, %out#5, %out#6 : tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>
}

// Notes what is measured of y = x_l, with x = x_(l-1).
func.func private @note(%m: tensor<65x4xf32>, %c: tensor<65x4xf32>, %s: tensor<65x4xf32>, %l: index, %column: index,
    %x0: tensor<64x256xf32>, %x: tensor<64x256xf32>, %y: tensor<64x256xf32>)
    -> (tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>) {
  %e = tensor.empty() : tensor<64x256xf32>
  %d = linalg.sub ins(%y, %x : tensor<64x256xf32>, tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %xx = func.call @mean_product(%x0, %x0) : (tensor<64x256xf32>, tensor<64x256xf32>) -> f32
  %yy = func.call @mean_product(%y, %y) : (tensor<64x256xf32>, tensor<64x256xf32>) -> f32
  %xy = func.call @mean_product(%x0, %y) : (tensor<64x256xf32>, tensor<64x256xf32>) -> f32
  %dd = func.call @mean_product(%d, %d) : (tensor<64x256xf32>, tensor<64x256xf32>) -> f32
  %p = arith.mulf %xx, %yy : f32
  %root = math.sqrt %p : f32
  %cosine = arith.divf %xy, %root : f32
  %share = arith.divf %dd, %yy : f32
  %0 = tensor.insert %yy into %m[%l, %column] : tensor<65x4xf32>
  %1 = tensor.insert %cosine into %c[%l, %column] : tensor<65x4xf32>
  %2 = tensor.insert %share into %s[%l, %column] : tensor<65x4xf32>
  return %0, %1, %2 : tensor<65x4xf32>, tensor<65x4xf32>, tensor<65x4xf32>
}

func.func private @mean_product(%a: tensor<64x256xf32>, %b: tensor<64x256xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 16384.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<64x256xf32>, tensor<64x256xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %s = tensor.extract %sum[] : tensor<f32>
  %mean = arith.divf %s, %count : f32
  return %mean : f32
}
