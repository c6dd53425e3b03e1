// The twins of spelled.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A final norm that is spelled out reads the stream; another stream has one op,
// and is returned beside it.
func.func @final_norms(%x: tensor<16x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %er = tensor.empty() : tensor<16xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = arith.addf %x, %f : tensor<16x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %squares = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<16x64xf32>) outs(%z : tensor<16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %p = arith.mulf %v, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  %last = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a, %squares : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    %k = math.rsqrt %m : f32
    %p = arith.mulf %v, %k : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%m, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %b = arith.addf %g, %x : tensor<16x64xf32>
  %bn = attn.norm rms axes [1] eps(1.0e-06) ins(%b : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %last, %b, %bn : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// Sums that are no residual blocks: of two branches of one input, of an input
// and its embedding of positions, of an element and its cube; a block without a
// norm is no Pre Norm.
func.func @other_sums(%x: tensor<16x64xf32>, %positions: tensor<16x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%n, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = arith.addf %f, %g : tensor<16x64xf32>
  %b = arith.addf %x, %positions : tensor<16x64xf32>
  %x2 = arith.mulf %x, %x : tensor<16x64xf32>
  %x3 = arith.mulf %x2, %x : tensor<16x64xf32>
  %c = arith.addf %x, %x3 : tensor<16x64xf32>
  %h = attn.linear ins(%x, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %d = arith.addf %x, %h : tensor<16x64xf32>
  return %a, %b, %c, %d : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// Few blocks of Post Norm.
func.func @post(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %s = arith.addf %h, %f : tensor<16x64xf32>
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// tanh with its gain in the body, a sigmoid as a gate, tanh's weights drawn for
// it, a function that keeps the second moment; an epilogue with unit_moment.
func.func @functions(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %w: tensor<64x64xf32>, %seed: i64) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %gain = arith.constant 1.5926 : f32
  %ones = arith.constant dense<1.0> : tensor<16x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %ew = tensor.empty() : tensor<64x64xf32>
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %f = math.tanh %a : f32
    %s = arith.mulf %f, %gain : f32
    linalg.yield %s : f32
  } -> tensor<16x64xf32>
  %a1 = attn.linear ins(%t, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s0 = arith.negf %y : tensor<16x64xf32>
  %s1 = math.exp %s0 : tensor<16x64xf32>
  %s2 = arith.addf %s1, %ones : tensor<16x64xf32>
  %s3 = arith.divf %ones, %s2 : tensor<16x64xf32>
  %gated = arith.mulf %x, %s3 : tensor<16x64xf32>
  // 1 / (64 * 0.3942945)
  %drawn = attn.init normal variance(constant) value(0.0396277) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %u = math.tanh %y : tensor<16x64xf32>
  %a2 = attn.linear ins(%u, %drawn : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %sine = math.sin %y : tensor<16x64xf32>
  %a3 = attn.linear ins(%sine, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32):
    %f = attn.activation tanh unit_moment %a : f32
    attn.yield %f : f32
  } -> tensor<16x64xf32>
  %a4 = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %a1, %gated, %a2, %a3, %a4 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// Products with fitting weights: LeCun's, and unit variance divided by
// sqrt(256); scores are products without weights.
func.func @products(%x: tensor<16x256xf32>, %k: tensor<256x16xf32> {attn.moments = array<f64: 0.0, 0.00390625>}, %seed: i64) -> (tensor<16x256xf32>, tensor<16x256xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %sixteenth = arith.constant dense<0.0625> : tensor<16x256xf32>
  %ew = tensor.empty() : tensor<256x256xf32>
  %e = tensor.empty() : tensor<16x256xf32>
  %es = tensor.empty() : tensor<16x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<16x16xf32>) -> tensor<16x16xf32>
  %w1 = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<256x256xf32>) -> tensor<256x256xf32>
  %w2 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<256x256xf32>) -> tensor<256x256xf32>
  %a = linalg.matmul ins(%x, %w1 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  %b = linalg.matmul ins(%x, %w2 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  %c = arith.mulf %b, %sixteenth : tensor<16x256xf32>
  %s = linalg.matmul ins(%x, %k : tensor<16x256xf32>, tensor<256x16xf32>) outs(%zs : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %a, %c, %s : tensor<16x256xf32>, tensor<16x256xf32>, tensor<16x16xf32>
}
