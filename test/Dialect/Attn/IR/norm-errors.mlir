// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Tensors and memrefs do not mix.
func.func @norm_c1(%x: tensor<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{norm_c1: operands must all be ranked tensors or all memrefs}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%y : memref<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Elements are floats.
func.func @norm_c2(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{norm_c2: elements must be f16, bf16, f32 or f64}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xi32>) outs(%x : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

// A residual is added in the input's type.
func.func @norm_c2_residual(%x: tensor<4x8xf32>, %r: tensor<4x8xf16>) {
  // expected-error @+1 {{norm_c2: residual and sum must have the input's element type}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) residual(%r : tensor<4x8xf16>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Statistics are never kept in 16 bits.
func.func @norm_c2_statistics(%x: tensor<4x8xf16>, %s: tensor<8xf16>) {
  // expected-error @+1 {{norm_c2: statistics must be f32 or f64}}
  %0 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf16>) statistics(%s, %s : tensor<8xf16>, tensor<8xf16>) outs(%x : tensor<4x8xf16>) -> tensor<4x8xf16>
  return
}

// -----

// Axes are sorted dimensions of the input.
func.func @norm_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{norm_c3: axes must be one or more dimensions of the input, in increasing order}}
  %0 = attn.norm rms axes [1, 0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// There is at least one axis.
func.func @norm_c3_empty(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{norm_c3}}
  %0 = attn.norm rms axes [] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// So are the axes of gamma and beta.
func.func @norm_c4(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{norm_c4: affine_axes must be dimensions of the input, in increasing order}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) affine_axes [2] ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Which dimension is the channel of an instance norm cannot be guessed.
func.func @norm_c4_instance(%x: tensor<4x8x9xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{norm_c4: instance norm with gamma or beta must state affine_axes}}
  %0 = attn.norm instance axes [2] eps(1.0e-5) ins(%x : tensor<4x8x9xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<4x8x9xf32>) -> tensor<4x8x9xf32>
  return
}

// -----

// Gamma has the sizes of its axes.
func.func @norm_c5(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{norm_c5: gamma must have shape [8], but is 'tensor<4xf32>'}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) gamma(%g : tensor<4xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Statistics have the sizes that are not normalised.
func.func @norm_c5_statistics(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{norm_c5: mean must have shape [8], but is 'tensor<4xf32>'}}
  %0 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) statistics(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// eps does not make the root imaginary.
func.func @norm_c6(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{norm_c6: eps must be finite and not negative}}
  %0 = attn.norm rms axes [1] eps(-1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A layer norm has no statistics but its own.
func.func @norm_c7(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{norm_c7: only a batch norm has given or running statistics}}
  %0 = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) statistics(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// What is given is not learned.
func.func @norm_c7_both(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c7: statistics are either given or running}}
  %0:3 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) statistics(%s, %s : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<4x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) momentum(0.1) -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// A centred norm needs the mean.
func.func @norm_c8(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c8: given statistics are mean and variance, or the variance alone where uncentred}}
  %0 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) statistics(%s : tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// The same for running statistics, the other way round.
func.func @norm_c8_running(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c8: running statistics are mean and variance, or the variance alone where uncentred}}
  %0:3 = attn.norm batch uncentered axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) momentum(0.1) -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// Running statistics need a momentum.
func.func @norm_c9(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c9: momentum belongs to running statistics, and unbiased as well}}
  %0:3 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// It is a weight.
func.func @norm_c9_range(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c9: momentum must be from 0 to 1}}
  %0:3 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) momentum(1.5) -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// n / (n - 1) does not exist for n = 1.
func.func @norm_c10(%x: tensor<1x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{norm_c10: the unbiased variance of one sample does not exist}}
  %0:3 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<1x8xf32>) outs(%x : tensor<1x8xf32>) running(%s, %s : tensor<8xf32>, tensor<8xf32>) momentum(0.1) unbiased -> tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// A sum of one thing is not asked for.
func.func @norm_c11(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{norm_c11: there is a sum only with a residual}}
  %0:2 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) sum(%x : tensor<4x8xf32>) -> tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Results have the types of the destinations.
func.func @norm_c12(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{norm_c12: results must have the types of the destinations}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x?xf32>
  return
}

// -----

// On memrefs there is nothing to return.
func.func @norm_c12_memrefs(%x: memref<4x8xf32>) {
  // expected-error @+1 {{norm_c12: on memrefs there are no results}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// The kind is one of those that there are.
func.func @unknown_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a norm: layer, rms, l2, instance, batch}}
  %0 = attn.norm lp axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A factor of nothing.
func.func @norm_c11_factor(%x: tensor<8x64xf32>, %f: f32) -> tensor<8x64xf32> {
  // expected-error @+1 {{norm_c11: there is a factor only with a residual}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) factor(%f : f32) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// The sum of f16 numbers is computed in f32.
func.func @norm_c13(%x: tensor<8x64xf16>, %f: f16) -> tensor<8x64xf16> {
  // expected-error @+1 {{norm_c13: the factor must be of type 'f32', in which the sum is computed}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf16>) residual(%x : tensor<8x64xf16>) factor(%f : f16) outs(%x : tensor<8x64xf16>) -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// -----

// Chunks of what?
func.func @schedule_chunk(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{chunks are those of panels}}
  %y = attn.norm rms axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, chunk = 8>) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// Sums of lanes and of vectors are added in halves.
func.func @schedule_unroll(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{lanes and unroll must be powers of two}}
  %y = attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 3, stream = 1024>) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

// Rows are gone over as they lie.
func.func @norm_c14_rows(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{norm_c14: the axes are the last dimensions, whose schedule has no panel: leave out panel and chunk, or the schedule, and one is chosen}}
  %y = attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, panel = 64>) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

// Columns stand side by side in panels.
func.func @norm_c14_columns(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{norm_c14: the axes are not the last dimensions, so the schedule needs a panel: give one, or no schedule, and one is chosen}}
  %y = attn.norm rms axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024>) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}
