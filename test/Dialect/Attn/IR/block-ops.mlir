// RUN: attn-opt %s --verify-roundtrip | FileCheck %s

// What is as usual is not printed.
// CHECK-LABEL: @linear_by_default
// CHECK: attn.linear ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x3xf32>) outs
func.func @linear_by_default(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = attn.linear parameterisation(standard) weight(in_out) ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>)
      outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// On memrefs there is no result; a schedule says how the product is computed.
// CHECK-LABEL: @linear_on_memrefs
// CHECK: attn.linear parameterisation(ntk) weight(out_in) schedule(#attn.contraction_schedule<rows = 8, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>)
func.func @linear_on_memrefs(%x: memref<?x8xbf16>, %w: memref<3x8xbf16>, %b: memref<3xf32>, %y: memref<?x3xf32>) {
  attn.linear parameterisation(ntk) weight(out_in) schedule(#attn.contraction_schedule<rows = 8, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w, %b : memref<?x8xbf16>, memref<3x8xbf16>, memref<3xf32>) outs(%y : memref<?x3xf32>)
  return
}

// An epilogue, with a tensor, a number for each column and one number beside the sums.
// CHECK-LABEL: @linear_with_epilogue
// CHECK: attn.linear ins({{.*}}) extras(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xbf16>, tensor<3xf32>, f32) outs({{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: attn.yield %{{.*}} : f32
func.func @linear_with_epilogue(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %r: tensor<4x3xbf16>, %c: tensor<3xf32>, %n: f32, %y: tensor<4x3xbf16>) -> tensor<4x3xbf16> {
  %z = attn.linear ins(%x, %w : tensor<4x8xbf16>, tensor<8x3xbf16>) extras(%r, %c, %n : tensor<4x3xbf16>, tensor<3xf32>, f32)
      outs(%y : tensor<4x3xbf16>) epilogue {
  ^bb0(%s: f32, %a: f32, %b: f32, %d: f32):
    %f = math.fma %s, %d, %b : f32
    %g = attn.activation silu %f : f32
    %e = arith.addf %g, %a : f32
    attn.yield %e : f32
  } -> tensor<4x3xbf16>
  return %z : tensor<4x3xbf16>
}

// CHECK-LABEL: @softmax_by_position
// CHECK: attn.softmax scale(#attn.log_length<base = 5.120000e+02, n = position>) softmax(#attn.sink) dim(1) head_dim(64)
// CHECK-SAME: align(bottom_right) ins
func.func @softmax_by_position(%s: tensor<2x9x5xf32>, %t: tensor<2xf32>, %y: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
  %r = attn.softmax scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.sink) dim(1) head_dim(64)
      align(bottom_right) ins(%s : tensor<2x9x5xf32>) params(%t : tensor<2xf32>)
      outs(%y : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  return %r : tensor<2x9x5xf32>
}

// CHECK-LABEL: @positions
// CHECK: attn.rope pairs(half_split) base(5.000000e+05) rotary_dim(4) row_dim(1) ins({{.*}}) offset(%{{.*}} : index) positions
// CHECK: attn.sinusoidal_positions position_scale(2.500000e-01) outs
func.func @positions(%x: tensor<2x7x3x8xf16>, %p: tensor<2x7xi32>, %o: index, %e: tensor<7x8xf32>)
    -> (tensor<2x7x3x8xf16>, tensor<7x8xf32>) {
  %r = attn.rope pairs(half_split) base(5.0e+05) rotary_dim(4) row_dim(1) ins(%x : tensor<2x7x3x8xf16>)
      offset(%o : index) positions(%p : tensor<2x7xi32>) outs(%x : tensor<2x7x3x8xf16>) -> tensor<2x7x3x8xf16>
  %s = attn.sinusoidal_positions pairs(interleaved) position_scale(0.25) outs(%e : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %r, %s : tensor<2x7x3x8xf16>, tensor<7x8xf32>
}

// CHECK-LABEL: @rope_tables
// CHECK: attn.rope pairs(half_split) rotary_dim(4) row_dim(1) ins({{.*}}) cosines(%arg1 : tensor<2x7x4xf32>) sines(%arg2 : tensor<2x7x4xf32>)
func.func @rope_tables(%x: tensor<2x7x3x8xf16>, %c: tensor<2x7x4xf32>, %s: tensor<2x7x4xf32>) -> tensor<2x7x3x8xf16> {
  %r = attn.rope pairs(half_split) rotary_dim(4) row_dim(1) ins(%x : tensor<2x7x3x8xf16>)
      cosines(%c : tensor<2x7x4xf32>) sines(%s : tensor<2x7x4xf32>) outs(%x : tensor<2x7x3x8xf16>) -> tensor<2x7x3x8xf16>
  return %r : tensor<2x7x3x8xf16>
}

// CHECK-LABEL: @scheduled_positions
// CHECK: attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 0>) ins
// CHECK: attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 8, stream = 1024>) outs
func.func @scheduled_positions(%x: memref<7x8xf16>) {
  attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 0>) ins(%x : memref<7x8xf16>) outs(%x : memref<7x8xf16>)
  attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 8, stream = 1024>) outs(%x : memref<7x8xf16>)
  return
}

// CHECK-LABEL: @residuals
// CHECK: attn.residual post(%{{.*}} : tensor<4xf32>) norm {
// CHECK: } branch {
// CHECK: attn.residual scheduled(%{{.*}} : tensor<4xf32>) time(%{{.*}} : index) step(1.000000e-01) branch {
func.func @residuals(%x: tensor<4xf32>, %t: index) -> tensor<4xf32> {
  %h = attn.residual post(%x : tensor<4xf32>) norm {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  } branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  %y = attn.residual scheduled(%h : tensor<4xf32>) time(%t : index) step(1.0e-01) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
