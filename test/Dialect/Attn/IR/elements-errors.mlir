// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Integers have no activation.
func.func @activation_c1(%x: tensor<4xi32>) {
  // expected-error @+1 {{activation_c1: the input is a number}}
  %0 = attn.activation relu %x : tensor<4xi32>
  return
}

// -----

// An activation has value semantics.
func.func @activation_c1_memref(%x: memref<4xf32>) {
  // expected-error @+1 {{activation_c1: the input is a number}}
  %0 = attn.activation relu %x : memref<4xf32>
  return
}

// -----

// Weights are floats.
func.func @init_c1(%s: i64, %w: tensor<4x8xi32>) {
  // expected-error @+1 {{init_c1: elements are}}
  %0 = attn.init normal variance(he) seed(%s : i64) outs(%w : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

// A constant variance needs its value.
func.func @init_c2(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c2: constant has 'value'}}
  %0 = attn.init normal variance(constant) seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A variance is not negative.
func.func @init_c2_negative(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c2: the mean is finite}}
  %0 = attn.init normal variance(constant) value(-1.0) seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A rank that has no customary fan.
func.func @init_c3(%s: i64, %w: tensor<8xf32>) {
  // expected-error @+1 {{init_c3: a tensor that has not rank 2}}
  %0 = attn.init normal variance(he) seed(%s : i64) outs(%w : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// A dimension that is not there.
func.func @init_c3_dim(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c3: a fan lists dimensions}}
  %0 = attn.init normal variance(he) fan_in [2] seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A fan that nothing depends on.
func.func @init_c3_unused(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c3: the variance does not depend}}
  %0 = attn.init normal variance(he) fan_out [1] seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Only a truncated normal is cut.
func.func @init_c4(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c4: only a truncated normal has a cut}}
  %0 = attn.init normal variance(he) cut [-2.0, 2.0] seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Nearly nothing of the distribution is left.
func.func @init_c4_tail(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c4: a cut has two increasing numbers}}
  %0 = attn.init truncated_normal variance(he) cut [6.0, 7.0] seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// tanh stays below 1.
func.func @init_c5(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c5: E f(sigma z)^2 = 1 has no solution for tanh}}
  %0 = attn.init normal variance(solved) of(tanh) seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// sigmoid stays below 1.
func.func @init_c5_sigmoid(%s: i64, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{init_c5: E f(sigma z)^2 = 1 has no solution for sigmoid}}
  %0 = attn.init normal variance(solved) of(sigmoid) seed(%s : i64) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Statistics are of floats.
func.func @statistics_c1(%x: tensor<4xi8>, %e: tensor<f32>) {
  // expected-error @+1 {{statistics_c1: elements are}}
  %0 = attn.statistics kurtosis ins(%x : tensor<4xi8>) outs(%e : tensor<f32>) -> tensor<f32>
  return
}

// -----

// An axis that is not there.
func.func @statistics_c2(%x: tensor<4xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{statistics_c2: axes are dimensions}}
  %0 = attn.statistics kurtosis axes [1] ins(%x : tensor<4xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return
}

// -----

// The output has the dimensions that are left.
func.func @statistics_c3(%x: tensor<4x8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{statistics_c3: the output has}}
  %0 = attn.statistics kurtosis axes [1] ins(%x : tensor<4x8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// All on tensors or all in memory.
func.func @statistics_c4(%x: tensor<4x8xf32>, %e: memref<f32>) {
  // expected-error @+1 {{statistics_c4: operands must be all ranked tensors or all memrefs}}
  attn.statistics kurtosis ins(%x : tensor<4x8xf32>) outs(%e : memref<f32>)
  return
}

// -----

// On tensors there is a result.
func.func @statistics_result(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{statistics_c4: an op on tensors has a result}}
  attn.statistics kurtosis ins(%x : tensor<4x8xf32>) outs(%e : tensor<f32>)
  return
}

// -----

func.func @schedule(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{schedule chunks must be from 1 to 2147483647, got 0}}
  %0 = attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 0, lines = 1, columns = 64, lanes = 8, unroll = 4>) ins(%x : tensor<4x8xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return
}

// -----

// Sums of lanes and of vectors are added in halves.
func.func @schedule_lanes(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{lanes and unroll must be powers of two}}
  %0 = attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 1, lines = 1, columns = 64, lanes = 12, unroll = 4>) ins(%x : tensor<4x8xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return
}

// -----

// The fast path reduces rows.
func.func @statistics_c5(%x: tensor<4x8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{statistics_c5: the axes of an op with a schedule are the last dimensions: without one others are reduced on the portable path}}
  %0 = attn.statistics kurtosis axes [0] schedule(#attn.statistics_schedule<chunks = 1, lines = 1, columns = 64, lanes = 8, unroll = 4>) ins(%x : tensor<4x8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}
