// The twins of no-gain.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// The gain is there.
func.func @gain(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.activation sigmoid unit_moment %x : tensor<16x64xf32>
  %y = attn.linear ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// The weights after it make up for it: tanh of normal numbers has the second
// moment 0.3942945, so their variance is 1 / (64 * 0.3942945).
func.func @gain_in_weights(%x: tensor<16x64xf32>, %seed: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w = attn.init normal variance(constant) value(3.9627740e-02) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %f = attn.activation tanh %x : tensor<16x64xf32>
  %y = attn.linear ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// A gate is multiplied with something, a probability leaves the model.
func.func @gate(%x: tensor<16x64xf32>, %g: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %s = attn.activation sigmoid %g : tensor<16x64xf32>
  %y = arith.mulf %x, %s : tensor<16x64xf32>
  return %y, %s : tensor<16x64xf32>, tensor<16x64xf32>
}

// Functions whose weights are drawn for them (He), and an activation far from
// its working point, where another fault comes first.
func.func @others(%x: tensor<16x64xf32>, %far: tensor<16x64xf32> {attn.moments = array<f64: 0.0, 100.0>}, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.activation relu %x : tensor<16x64xf32>
  %y = attn.linear ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.activation sigmoid %far : tensor<16x64xf32>
  %z = attn.linear ins(%g, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y, %z : tensor<16x64xf32>, tensor<16x64xf32>
}

// A gate that an epilogue multiplies by is no input of the layer.
func.func @gate_in_epilogue(%x: tensor<16x64xf32>, %u: tensor<64x64xf32>, %g: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.linear ins(%x, %g : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = attn.activation sigmoid %a : tensor<16x64xf32>
  %h = attn.linear ins(%x, %u : tensor<16x64xf32>, tensor<64x64xf32>) extras(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%y: f32, %k: f32):
    %m = arith.mulf %y, %k : f32
    attn.yield %m : f32
  } -> tensor<16x64xf32>
  return %h : tensor<16x64xf32>
}
