// The twins of ntk-init.mlir: weights that fit their parameterisation.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// Unit variance with NTK, LeCun with the standard form, each drawn and given.
func.func @fitting(%x: tensor<16x256xf32>, %seed: i64, %given: tensor<256x64xf32>, %w2: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %unit = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %lecun = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %a = attn.linear parameterisation(ntk) ins(%x, %unit : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %b = attn.linear ins(%x, %lecun : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %c = attn.linear parameterisation(ntk) ins(%x, %given : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e2 = tensor.empty() : tensor<16x64xf32>
  %d = attn.linear ins(%a, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e2 : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %a, %b, %c, %d : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// A narrow layer, where 1/m and 1 are of one size, and a branch that starts at 0.
func.func @narrow_and_zero(%x: tensor<16x4xf32>, %y: tensor<16x256xf32>, %seed: i64) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %ew = tensor.empty() : tensor<4x8xf32>
  %ez = tensor.empty() : tensor<256x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %w = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = attn.init normal variance(zero) seed(%seed : i64) outs(%ez : tensor<256x8xf32>) -> tensor<256x8xf32>
  %a = attn.linear ins(%x, %w : tensor<16x4xf32>, tensor<4x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %b = attn.linear parameterisation(ntk) ins(%y, %z : tensor<16x256xf32>, tensor<256x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %a, %b : tensor<16x8xf32>, tensor<16x8xf32>
}

// Products of rows with each other: neither factor is a weight.
func.func @gram(%e: tensor<160x128xf32>, %square: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %p = attn.sinusoidal_positions outs(%e : tensor<160x128xf32>) -> tensor<160x128xf32>
  %products = attn.linear weight(out_in) ins(%p, %p : tensor<160x128xf32>, tensor<160x128xf32>) outs(%square : tensor<160x160xf32>) -> tensor<160x160xf32>
  return %products : tensor<160x160xf32>
}
