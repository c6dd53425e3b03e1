// RUN: attn-opt %s -o /dev/null --attn-analyze-work="text=%t.txt json=%t.json html=%t.html"
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: python3 %S/Inputs/check_work.py %t.json
// RUN: attn-opt %s -o /dev/null --attn-analyze-work 2>&1 >/dev/null | diff %t.txt -
// RUN: attn-opt %s --attn-analyze-work="text=%t.txt" | attn-opt -o %t.after
// RUN: attn-opt %s | diff %t.after -
// RUN: not attn-opt %s --attn-analyze-work="html=%t.none/report.html" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: cannot write {{.*}}report.html

// The parameters of one head of d = 64 without biases are 3 d^2 = 12288; its
// attention on 10 rows is 2 (d + d) a pair.
// CHECK-LABEL: @single_head
// CHECK: attn.linear 4096 81920 21504 {{.*}}analyze-work.mlir:[[@LINE+7]]:
// CHECK: attn.linear 4096 81920 21504
// CHECK: attn.linear 4096 81920 21504
// CHECK: attn.attention 0 25600 10240
// CHECK: total 12288 271360 74752
func.func @single_head(%x: tensor<10x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>) -> tensor<10x64xf32> {
  %e = tensor.empty() : tensor<10x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %v = attn.linear ins(%x, %wv : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<10x64xf32>, tensor<10x64xf32>, tensor<10x64xf32>)
    outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  return %o : tensor<10x64xf32>
}

// A layer with biases and two LayerNorms has 12 h^2 + 13 h parameters, here of
// h = 64: 49984; the attention 4 h^2 + 4 h, the feed-forward part
// 8 h^2 + 5 h = 33088. The packed weight of q, k and v is one weight with three
// views: it counts once, where it is read first. 16 rows.
// CHECK-LABEL: @layer
// CHECK: attn.residual 0 1024 12288
// CHECK: attn.norm 128 7168
// CHECK: attn.linear 12480 132096
// CHECK: attn.linear 0 132096
// CHECK: attn.linear 0 132096
// CHECK: attn.attention 0 34816
// CHECK: attn.linear 4160 132096
// CHECK: attn.residual 0 1024
// CHECK: attn.norm 128 7168
// CHECK: attn.linear 16640 528384
// CHECK: attn.activation 0 4096 32768
// CHECK: attn.linear 16448 525312
// CHECK: total 49984
// HTML: <meta name="viewport" content="width=device-width
// HTML: prefers-color-scheme: dark
// HTML: <h2>@layer</h2>
// HTML: <td>total</td><td>49984</td>
func.func @layer(%x: tensor<16x64xf32>, %wqkv: tensor<64x192xf32>, %bqkv: tensor<192xf32>, %wo: tensor<64x64xf32>, %bo: tensor<64xf32>,
                 %g1: tensor<64xf32>, %b1: tensor<64xf32>, %g2: tensor<64xf32>, %b2: tensor<64xf32>,
                 %wu: tensor<64x256xf32>, %bu: tensor<256xf32>, %wd: tensor<256x64xf32>, %bd: tensor<64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %e4 = tensor.empty() : tensor<16x256xf32>
  %y = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) gamma(%g1 : tensor<64xf32>) beta(%b1 : tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %wq = tensor.extract_slice %wqkv[0, 0] [64, 64] [1, 1] : tensor<64x192xf32> to tensor<64x64xf32>
    %wk = tensor.extract_slice %wqkv[0, 64] [64, 64] [1, 1] : tensor<64x192xf32> to tensor<64x64xf32>
    %wv = tensor.extract_slice %wqkv[0, 128] [64, 64] [1, 1] : tensor<64x192xf32> to tensor<64x64xf32>
    %bq = tensor.extract_slice %bqkv[0] [64] [1] : tensor<192xf32> to tensor<64xf32>
    %bk = tensor.extract_slice %bqkv[64] [64] [1] : tensor<192xf32> to tensor<64xf32>
    %bv = tensor.extract_slice %bqkv[128] [64] [1] : tensor<192xf32> to tensor<64xf32>
    %q = attn.linear ins(%h, %wq, %bq : tensor<16x64xf32>, tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %k = attn.linear ins(%h, %wk, %bk : tensor<16x64xf32>, tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %v = attn.linear ins(%h, %wv, %bv : tensor<16x64xf32>, tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %q4 = tensor.expand_shape %q [[0], [1, 2]] output_shape [16, 4, 16] : tensor<16x64xf32> into tensor<16x4x16xf32>
    %k4 = tensor.expand_shape %k [[0], [1, 2]] output_shape [16, 4, 16] : tensor<16x64xf32> into tensor<16x4x16xf32>
    %v4 = tensor.expand_shape %v [[0], [1, 2]] output_shape [16, 4, 16] : tensor<16x64xf32> into tensor<16x4x16xf32>
    %o4 = tensor.empty() : tensor<16x4x16xf32>
    %a4 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      indexing_maps [affine_map<(h, m, n, d, e) -> (m, h, d)>, affine_map<(h, m, n, d, e) -> (n, h, d)>,
                     affine_map<(h, m, n, d, e) -> (n, h, e)>, affine_map<(h, m, n, d, e) -> (m, h, e)>]
      ins(%q4, %k4, %v4 : tensor<16x4x16xf32>, tensor<16x4x16xf32>, tensor<16x4x16xf32>)
      outs(%o4 : tensor<16x4x16xf32>) -> tensor<16x4x16xf32>
    %a = tensor.collapse_shape %a4 [[0], [1, 2]] : tensor<16x4x16xf32> into tensor<16x64xf32>
    %o = attn.linear ins(%a, %wo, %bo : tensor<16x64xf32>, tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %o : tensor<16x64xf32>
  }
  %r = attn.residual pre(%y : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) gamma(%g2 : tensor<64xf32>) beta(%b2 : tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %wu, %bu : tensor<16x64xf32>, tensor<64x256xf32>, tensor<256xf32>) outs(%e4 : tensor<16x256xf32>) -> tensor<16x256xf32>
    %f = attn.activation gelu %u : tensor<16x256xf32>
    %d = attn.linear ins(%f, %wd, %bd : tensor<16x256xf32>, tensor<256x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %d : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// Frameworks' ops: a contraction, a body of one product and one exp, a fill
// that computes nothing, constants and drawn weights. The sum of 3 x 5 numbers
// is one addition each.
// CHECK-LABEL: @linalg_ops
// CHECK: attn.init 0 0 140
// CHECK: linalg.fill 0 0 84
// CHECK: linalg.matmul 35 210 284
// CHECK: linalg.generic 7 42 196
// CHECK: arith.addf 0 21 252
// CHECK: linalg.reduce 0 21 96
// CHECK: total 42
func.func @linalg_ops(%a: tensor<3x5xf32>, %seed: i64) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %row = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
  %w0 = tensor.empty() : tensor<5x7xf32>
  %w = attn.init normal variance(lecun) seed(%seed : i64) outs(%w0 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %s = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.matmul ins(%a, %w : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %row : tensor<3x7xf32>, tensor<7xf32>) outs(%e : tensor<3x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.mulf %x, %y : f32
    %n = math.exp %m : f32
    linalg.yield %n : f32
  } -> tensor<3x7xf32>
  %h = arith.addf %g, %p : tensor<3x7xf32>
  %r = linalg.reduce { arith.addf } ins(%h : tensor<3x7xf32>) outs(%s : tensor<3xf32>) dimensions = [1]
  return %r : tensor<3xf32>
}

// The other ops of a block, on 4 x 6 numbers: 8 operations of a LayerNorm with
// a residual, 3 of an RMS norm, 6 of a softmax with a scale, 3 for each number
// that rope turns, a gain for 1.
// CHECK-LABEL: @block_ops
// CHECK: attn.norm 12 192 336
// CHECK: attn.norm 0 72 192
// CHECK: attn.softmax 0 144 192
// CHECK: attn.rope 0 48 192
// CHECK: attn.activation 0 48 192
// CHECK: attn.statistics 0 24 112
// CHECK: attn.residual 1 48 288
// CHECK: total 13
func.func @block_ops(%x: tensor<4x6xf32>, %r: tensor<4x6xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>, %alpha: f32) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %n = attn.norm layer axes [1] eps(1.0e-05) ins(%x : tensor<4x6xf32>) residual(%r : tensor<4x6xf32>) gamma(%g : tensor<6xf32>) beta(%b : tensor<6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = attn.norm rms axes [1] eps(1.0e-05) ins(%n : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(4) ins(%m : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = attn.rope rotary_dim(4) ins(%s : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %a = attn.activation sigmoid unit_moment %t : tensor<4x6xf32>
  %i = attn.statistics infinity_norm axes [1] ins(%a : tensor<4x6xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %y = attn.residual rezero(%a : tensor<4x6xf32>) alpha(%alpha : f32) branch {
  ^bb0(%h: tensor<4x6xf32>):
    attn.yield %r : tensor<4x6xf32>
  }
  return %y, %i : tensor<4x6xf32>, tensor<4xf32>
}

// A batch norm with given statistics subtracts, divides, and adds beta: 3 for
// each number. Statistics are no parameters.
// CHECK-LABEL: @given_statistics
// CHECK: attn.norm 6 72 264
func.func @given_statistics(%x: tensor<4x6xf32>, %beta: tensor<6xf32>, %mean: tensor<6xf32>, %variance: tensor<6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %n = attn.norm batch axes [0] eps(1.0e-05) ins(%x : tensor<4x6xf32>) beta(%beta : tensor<6xf32>) statistics(%mean, %variance : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %n : tensor<4x6xf32>
}

// A trained sink is a parameter, a window limits the pairs (3 each for all rows
// but the first and the last), and bf16 has two bytes.
// CHECK-LABEL: @sink
// CHECK: attn.attention 2 {{[0-9]+}} {{[0-9]+}}
func.func @sink(%q: tensor<2x8x16xbf16>, %sink: tensor<2xf32>, %init: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) align(top_left) masks [#attn.window<left = 1, right = 1>]
    ins(%q, %q, %q : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) params(%sink : tensor<2xf32>)
    outs(%init : tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16>
  return %o : tensor<2x8x16xbf16>
}

// A size that is not known is taken for 512, or what the option says, and an op
// is not counted. 512 rows of 6 results, 4 products each, are 24576 operations,
// and 512 x 10 numbers and the weight 20576 bytes.
// CHECK-LABEL: @unknown
// CHECK: attn.linear 24 24576 20576
// CHECK: total 24 24576 20576
// CHECK: not counted: tensor.pad
// CHECK: assumed: sizes that are not known are 512
// RUN: attn-opt %s -o /dev/null --attn-analyze-work="unknown-size=3 text=- html=%t.three.html" | FileCheck %s --check-prefix=THREE
// RUN: FileCheck %s --check-prefix=THREE-HTML < %t.three.html
// RUN: attn-opt %s -o /dev/null --attn-analyze-work="unknown-size=3 json=-" | FileCheck %s --check-prefix=THREE-JSON
// THREE: @unknown
// THREE: attn.linear 24 144 216
// THREE: assumed: sizes that are not known are 3
// THREE-HTML: assumed: sizes that are not known are 3
// THREE-JSON: "unknown_size": 3
// RUN: not attn-opt %s --attn-analyze-work="unknown-size=0" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: attn-analyze-work: unknown-size must be positive
func.func @unknown(%x: tensor<?x4xf32>, %w: tensor<4x6xf32>, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %y = attn.linear ins(%x, %w : tensor<?x4xf32>, tensor<4x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %p = tensor.pad %y low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x6xf32> to tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}

// An embedding of 1000 tokens is looked up, and then read by the last layer, too: 64000 parameters,
// once. Rows that are addressed by loops alone are no table.
// CHECK-LABEL: @embedding
// CHECK: linalg.generic 64000
// CHECK: attn.linear 4096
// CHECK: attn.linear 0
// CHECK: total 68096
func.func @embedding(%ids: tensor<10xi64>, %table: tensor<1000x64xf32>, %w: tensor<64x64xf32>) -> tensor<10x1000xf32> {
  %e = tensor.empty() : tensor<10x64xf32>
  %el = tensor.empty() : tensor<10x1000xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<10xi64>) outs(%e : tensor<10x64xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %y = tensor.extract %table[%row, %column] : tensor<1000x64xf32>
    linalg.yield %y : f32
  } -> tensor<10x64xf32>
  %h = attn.linear ins(%x, %w : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %l = attn.linear weight(out_in) ins(%h, %table : tensor<10x64xf32>, tensor<1000x64xf32>) outs(%el : tensor<10x1000xf32>) -> tensor<10x1000xf32>
  return %l : tensor<10x1000xf32>
}

// Two ops that draw the same numbers draw one weight.
// CHECK-LABEL: @drawn_twice
// CHECK: attn.linear 4096
// CHECK: attn.linear 0
// CHECK: attn.linear 4096
// CHECK: total 8192
func.func @drawn_twice(%x: tensor<10x64xf32>, %seed: i64) -> tensor<10x64xf32> {
  %e = tensor.empty() : tensor<10x64xf32>
  %ew = tensor.empty() : tensor<64x64xf32>
  %one = arith.constant 1 : i64
  %again = arith.constant 1 : i64
  %a = attn.init normal variance(lecun) seed(%one : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = attn.init normal variance(lecun) seed(%again : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = attn.linear ins(%x, %a : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %z = attn.linear ins(%y, %b : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  %r = attn.linear ins(%z, %c : tensor<10x64xf32>, tensor<64x64xf32>) outs(%e : tensor<10x64xf32>) -> tensor<10x64xf32>
  return %r : tensor<10x64xf32>
}

// Two layers of their own weights and one weight that both share, through calls: what they call is below the total, and
// the shared weight is there once. What calls itself counts as nothing.
// CHECK-LABEL: @stack
// CHECK: total 0 0 0
// CHECK: total with calls 12288 262144
// CHECK-LABEL: @shared
// CHECK-LABEL: @ring
// CHECK: total with calls 0 0 0
func.func @stack(%x: tensor<8x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %tied: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %a = call @shared(%x, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %b = call @shared(%a, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %c = call @shared(%b, %tied) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %d = call @shared(%c, %tied) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}
func.func @shared(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
func.func @ring(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = call @ring(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
