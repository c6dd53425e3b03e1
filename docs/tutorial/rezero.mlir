// Residual branches that grow in: see rezero.md.

// The mean square of x_l for x + alpha F(x), row l = 0 ... 64, one column for each
// alpha of the list. F is a random linear layer that keeps the second moment.
func.func @growth() -> tensor<65x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c65 = arith.constant 65 : index
  %one = arith.constant 1.0 : f32
  %seed = arith.constant 99 : i64
  %alphas = arith.constant dense<[0.0, 0.05, 0.125, 0.25, 0.5, 1.0]> : tensor<6xf32>
  %e = tensor.empty() : tensor<64x256xf32>
  %we = tensor.empty() : tensor<256x256xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %empty = tensor.empty() : tensor<65x6xf32>
  %table = linalg.fill ins(%one : f32) outs(%empty : tensor<65x6xf32>) -> tensor<65x6xf32>
  %out = scf.for %i = %c0 to %c6 step %c1 iter_args(%outer = %table) -> tensor<65x6xf32> {
    %alpha = tensor.extract_slice %alphas[%i] [1] [1] : tensor<6xf32> to tensor<f32>
    %last:2 = scf.for %l = %c1 to %c65 step %c1 iter_args(%x = %x0, %t = %outer) -> (tensor<64x256xf32>, tensor<65x6xf32>) {
      %s = arith.index_cast %l : index to i64
      %w = attn.init normal variance(lecun) seed(%s : i64) outs(%we : tensor<256x256xf32>) -> tensor<256x256xf32>
      %y = attn.residual rezero(%x : tensor<64x256xf32>) alpha(%alpha : tensor<f32>) branch {
      ^bb0(%z: tensor<64x256xf32>):
        %f = attn.linear ins(%z, %w : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
        attn.yield %f : tensor<64x256xf32>
      }
      %m = func.call @mean_square(%y) : (tensor<64x256xf32>) -> f32
      %next = tensor.insert %m into %t[%l, %i] : tensor<65x6xf32>
      scf.yield %y, %next : tensor<64x256xf32>, tensor<65x6xf32>
    }
    scf.yield %last#1 : tensor<65x6xf32>
  }
  return %out : tensor<65x6xf32>
}

// The mean square after 32 blocks x + alpha_t F(x), alpha_t = min(1, t / 100), at
// the times t = 0, 8, 16, ... 120.
func.func @schedule() -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %seed = arith.constant 99 : i64
  %e = tensor.empty() : tensor<64x256xf32>
  %we = tensor.empty() : tensor<256x256xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %out = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %empty) -> tensor<16xf32> {
    %steps = arith.muli %i, %c8 : index
    %integer = arith.index_cast %steps : index to i64
    %time = tensor.from_elements %integer : tensor<i64>
    %last = scf.for %l = %c0 to %c32 step %c1 iter_args(%x = %x0) -> tensor<64x256xf32> {
      %s = arith.index_cast %l : index to i64
      %w = attn.init normal variance(lecun) seed(%s : i64) outs(%we : tensor<256x256xf32>) -> tensor<256x256xf32>
      %y = attn.residual scheduled(%x : tensor<64x256xf32>) time(%time : tensor<i64>) step(1.0e-02) branch {
      ^bb0(%z: tensor<64x256xf32>):
        %f = attn.linear ins(%z, %w : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
        attn.yield %f : tensor<64x256xf32>
      }
      scf.yield %y : tensor<64x256xf32>
    }
    %m = func.call @mean_square(%last) : (tensor<64x256xf32>) -> f32
    %next = tensor.insert %m into %t[%i] : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  return %out : tensor<16xf32>
}

// Fixup: the branch's last weight starts at 0, so the block starts as the
// identity: the largest |y - x|.
func.func @fixup(%x: tensor<64x256xf32>) -> tensor<f32> {
  %c1 = arith.constant 1 : i64
  %e1 = tensor.empty() : tensor<256x512xf32>
  %e2 = tensor.empty() : tensor<512x256xf32>
  %w1 = attn.init normal variance(solved) of(gelu) seed(%c1 : i64) outs(%e1 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %w2 = attn.init normal variance(zero) seed(%c1 : i64) outs(%e2 : tensor<512x256xf32>) -> tensor<512x256xf32>
  %he = tensor.empty() : tensor<64x512xf32>
  %e = tensor.empty() : tensor<64x256xf32>
  %scalar = tensor.empty() : tensor<f32>
  %y = attn.residual fixup(%x : tensor<64x256xf32>) branch {
  ^bb0(%z: tensor<64x256xf32>):
    %h = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%he : tensor<64x512xf32>) -> tensor<64x512xf32>
    %a = attn.activation gelu %h : tensor<64x512xf32>
    %f = attn.linear ins(%a, %w2 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %f : tensor<64x256xf32>
  }
  %d = linalg.sub ins(%y, %x : tensor<64x256xf32>, tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %0 = attn.statistics infinity_norm ins(%d : tensor<64x256xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @mean_square(%a: tensor<64x256xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 16384.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
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
