// RUN: attn-opt %s --split-input-file --verify-diagnostics

// linear_c1: one kind of operands.
func.func @mixed(%x: tensor<4x8xf32>, %w: memref<8x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c1: operands must be all ranked tensors or all memrefs}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, memref<8x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// linear_c2: ranks.
func.func @ranks(%x: tensor<4x8xf32>, %w: tensor<2x8x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c2: the weight has rank 2}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<2x8x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// linear_c3: sizes; the weight is [in, out].
func.func @sizes(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c3: the weight 'tensor<3x8xf32>', which is in_out, does not fit the input 'tensor<4x8xf32>' and the output 'tensor<4x3xf32>': weight(out_in)?}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<3x8xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// linear_c4: element types.
func.func @elements(%x: tensor<4x8xf16>, %w: tensor<8x3xf16>, %y: tensor<4x3xbf16>) {
  // expected-error @below {{linear_c4: input and weight share a float type; bias and output have it or 'f32'}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf16>, tensor<8x3xf16>) outs(%y : tensor<4x3xbf16>) -> tensor<4x3xbf16>
  return
}

// -----

// linear_c5: what an extra may be.
func.func @extra_type(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %e: tensor<3xf16>, %y: tensor<4x3xbf16>) {
  // expected-error @below {{linear_c5: an extra is a number, or has at most the output's dimensions, of the input's type or 'f32'}}
  %r = attn.linear ins(%x, %w : tensor<4x8xbf16>, tensor<8x3xbf16>) extras(%e : tensor<3xf16>) outs(%y : tensor<4x3xbf16>) epilogue {
  ^bb0(%s: f32, %a: f32):
    attn.yield %s : f32
  } -> tensor<4x3xbf16>
  return
}

// -----

func.func @extra_rank(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %e: tensor<1x4x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c5}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>) extras(%e : tensor<1x4x3xf32>) outs(%y : tensor<4x3xf32>) epilogue {
  ^bb0(%s: f32, %a: f32):
    attn.yield %s : f32
  } -> tensor<4x3xf32>
  return
}

// -----

// An extra has the last sizes of the output.
func.func @extra_size(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %e: tensor<4xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c3: operands disagree on a size: 3 and 4}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>) extras(%e : tensor<4xf32>) outs(%y : tensor<4x3xf32>) epilogue {
  ^bb0(%s: f32, %a: f32):
    attn.yield %s : f32
  } -> tensor<4x3xf32>
  return
}

// -----

// linear_c6: the epilogue's arguments, its result and its ops.
func.func @epilogue_missing(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %e: tensor<3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c6: the epilogue is one block that takes the sum and one number for each extra, all of type 'f32'}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>) extras(%e : tensor<3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @epilogue_arguments(%x: tensor<4x8xf16>, %w: tensor<8x3xf16>, %y: tensor<4x3xf16>) {
  // expected-error @below {{linear_c6: the epilogue is one block}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf16>, tensor<8x3xf16>) outs(%y : tensor<4x3xf16>) epilogue {
  ^bb0(%s: f16):
    %t = arith.extf %s : f16 to f32
    attn.yield %t : f32
  } -> tensor<4x3xf16>
  return
}

// -----

func.func @epilogue_result(%x: tensor<4x8xf16>, %w: tensor<8x3xf16>, %y: tensor<4x3xf16>) {
  // expected-error @below {{linear_c6: the epilogue must attn.yield one 'f32'}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf16>, tensor<8x3xf16>) outs(%y : tensor<4x3xf16>) epilogue {
  ^bb0(%s: f32):
    %t = arith.truncf %s : f32 to f16
    attn.yield %t : f16
  } -> tensor<4x3xf16>
  return
}

// -----

func.func @epilogue_ops(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{linear_c6: ops in the epilogue must be pure and elementwise, found func.call}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>) outs(%y : tensor<4x3xf32>) epilogue {
  ^bb0(%s: f32):
    %t = func.call @f(%s) : (f32) -> f32
    attn.yield %t : f32
  } -> tensor<4x3xf32>
  return
}
func.func private @f(f32) -> f32

// -----

// rope_c1, rope_c2, rope_c3: kinds, ranks, pairs.
func.func @rope_result(%x: memref<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{rope_c1: an op on tensors has a result, one on memrefs has none}}
  %r = attn.rope ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func @rope_rows(%x: tensor<4x8xf32>) {
  // expected-error @below {{rope_c2: input and output have one rank}}
  %r = attn.rope row_dim(1) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_pairs(%x: tensor<4x8xf32>) {
  // expected-error @below {{rope_c3: the last dimension is static, and rotary_dim even}}
  %r = attn.rope rotary_dim(3) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// rope_c4, rope_c5: positions and numbers.
func.func @rope_positions(%x: tensor<4x8xf32>, %p: tensor<4xf32>) {
  // expected-error @below {{rope_c4: positions are integers}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) positions(%p : tensor<4xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_offset(%x: tensor<4x8xf32>, %o: tensor<4xi64>) {
  // expected-error @below {{rope_c4: offset is one integer}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) offset(%o : tensor<4xi64>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_base(%x: tensor<4x8xf32>) {
  // expected-error @below {{rope_c5: base must be positive}}
  %r = attn.rope base(0.0) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// rope_c6, rope_c7: element types and sizes.
func.func @rope_elements(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>) {
  // expected-error @below {{rope_c6: input and output share a float type}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf16>) -> tensor<4x8xf16>
  return
}
func.func @rope_sizes(%x: tensor<4x8xf32>, %p: tensor<5xi32>) {
  // expected-error @below {{rope_c7: operands disagree on a size: 4 and 5}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) positions(%p : tensor<5xi32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_table_rows(%x: tensor<4x8xf32>, %t: tensor<5x8xf32>) {
  // expected-error @below {{rope_c7: operands disagree on a size: 4 and 5}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) cosines(%t : tensor<5x8xf32>) sines(%t : tensor<5x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// rope_c8: cosines and sines.
func.func @rope_no_sines(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) {
  // expected-error @below {{rope_c8: cosines and sines come together and have one type}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) cosines(%t : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_table_types(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>, %s: tensor<4x8xf16>) {
  // expected-error @below {{rope_c8: cosines and sines come together and have one type}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) cosines(%t : tensor<4x8xf32>) sines(%s : tensor<4x8xf16>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_tables_and_offset(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>, %o: index) {
  // expected-error @below {{rope_c8: rows with cosines and sines have no positions}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) offset(%o : index) cosines(%t : tensor<4x8xf32>) sines(%t : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_half_table(%x: tensor<4x8xf32>, %t: tensor<4x4xf32>) {
  // expected-error @below {{rope_c8: cosines and sines are floats [rows, rotary_dim]}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) cosines(%t : tensor<4x4xf32>) sines(%t : tensor<4x4xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_integer_table(%x: tensor<4x8xf32>, %t: tensor<4x8xi32>) {
  // expected-error @below {{rope_c8: cosines and sines are floats [rows, rotary_dim]}}
  %r = attn.rope ins(%x : tensor<4x8xf32>) cosines(%t : tensor<4x8xi32>) sines(%t : tensor<4x8xi32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @rope_table_of_heads(%x: tensor<4x3x8xf32>, %t: tensor<4x3x8xf32>) {
  // expected-error @below {{rope_c8: cosines and sines are floats [rows, rotary_dim]}}
  %r = attn.rope row_dim(0) ins(%x : tensor<4x3x8xf32>) cosines(%t : tensor<4x3x8xf32>) sines(%t : tensor<4x3x8xf32>) outs(%x : tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
  return
}

// -----

// sinusoidal_c1 to c7: the same for the table alone.
func.func @table_kind(%y: memref<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{sinusoidal_c1: an op on tensors has a result}}
  %r = attn.sinusoidal_positions outs(%y : memref<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func @table_rank(%y: tensor<8xf32>) {
  // expected-error @below {{sinusoidal_c2: the output is [rows, d]}}
  %r = attn.sinusoidal_positions outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @table_odd(%y: tensor<4x7xf32>) {
  // expected-error @below {{sinusoidal_c3: d is static and even}}
  %r = attn.sinusoidal_positions outs(%y : tensor<4x7xf32>) -> tensor<4x7xf32>
  return
}
func.func @table_positions(%y: tensor<4x8xf32>, %p: tensor<2x4xi32>) {
  // expected-error @below {{sinusoidal_c4: positions are integers}}
  %r = attn.sinusoidal_positions positions(%p : tensor<2x4xi32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @table_base(%y: tensor<4x8xf32>) {
  // expected-error @below {{sinusoidal_c5: base must be positive}}
  %r = attn.sinusoidal_positions base(-1.0) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @table_elements(%y: tensor<4x8xi32>) {
  // expected-error @below {{sinusoidal_c6: the output's elements are floats}}
  %r = attn.sinusoidal_positions outs(%y : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}
func.func @table_sizes(%y: tensor<4x8xf32>, %p: tensor<5xi32>) {
  // expected-error @below {{sinusoidal_c7: operands disagree on a size: 5 and 4}}
  %r = attn.sinusoidal_positions positions(%p : tensor<5xi32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// residual_c1 .. residual_c5: regions, operands, types.
func.func @no_norm(%x: tensor<4xf32>) {
  // expected-error @below {{residual_c1: pre and post have a region 'norm'}}
  %r = attn.residual pre(%x : tensor<4xf32>) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  return
}
func.func @no_alpha(%x: tensor<4xf32>) {
  // expected-error @below {{residual_c2: rezero has 'alpha'}}
  %r = attn.residual rezero(%x : tensor<4xf32>) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  return
}
func.func @other_type(%x: tensor<4xf32>, %w: tensor<5xf32>) {
  // expected-error @below {{residual_c3: region 'branch' takes one 'tensor<4xf32>' and yields one}}
  %r = attn.residual fixup(%x : tensor<4xf32>) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %w : tensor<5xf32>
  }
  return
}
func.func @alphas(%x: tensor<4xf32>) {
  // expected-error @below {{residual_c4: the input has float elements, alpha is one float}}
  %r = attn.residual rezero(%x : tensor<4xf32>) alpha(%x : tensor<4xf32>) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  return
}
func.func @step(%x: tensor<4xf32>, %t: index) {
  // expected-error @below {{residual_c5: step must be positive}}
  %r = attn.residual scheduled(%x : tensor<4xf32>) time(%t : index) step(0.0) branch {
  ^bb0(%z: tensor<4xf32>):
    attn.yield %z : tensor<4xf32>
  }
  return
}

// -----

// softmax_c1 .. softmax_c8.
func.func @softmax_kind(%x: tensor<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{softmax_c1: operands must be all ranked tensors or all memrefs}}
  attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}
func.func @softmax_dim(%x: tensor<4x8xf32>) {
  // expected-error @below {{softmax_c2: input and output have one rank}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(2) ins(%x : tensor<4x8xf32>)
      outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_elements(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>) {
  // expected-error @below {{softmax_c3: input and output share a float type}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<4x8xf32>)
      outs(%y : tensor<4x8xf16>) -> tensor<4x8xf16>
  return
}
func.func @softmax_params(%x: tensor<4x8xf32>) {
  // expected-error @below {{softmax_c4: params has 0, the policies take 1: #attn}}
  %r = attn.softmax scale(#attn.operand) softmax(#attn.softmax) ins(%x : tensor<4x8xf32>)
      outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_param_rank(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{softmax_c4: param 'sink}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.sink) ins(%x : tensor<4x8xf32>) params(%s : tensor<4xf32>)
      outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_align(%x: tensor<4x8xf32>) {
  // expected-error @below {{softmax_c5: n = position needs a dimension of rows and 'align'}}
  %r = attn.softmax scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) head_dim(64)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_head_dim(%x: tensor<4x8xf32>) {
  // expected-error @below {{softmax_c6: this scale uses d: give head_dim}}
  %r = attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_policy(%x: tensor<4x8xf32>) {
  // expected-error @below {{softmax_c7: }}
  %r = attn.softmax scale(#attn.gradient_max<scores = cosine, n = keys>) softmax(#attn.softmax) head_dim(1)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @softmax_sizes(%x: tensor<2x4x8xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{softmax_c8: operands disagree on a size: 2 and 3}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.sink) ins(%x : tensor<2x4x8xf32>) params(%s : tensor<3xf32>)
      outs(%x : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// Vectors of pairs have halves.
func.func @odd_lanes(%x: memref<7x8xf32>) {
  // expected-error @below {{schedule lanes must be a power of two, at least 2, got 7}}
  attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 7, stream = 0>) ins(%x : memref<7x8xf32>) outs(%x : memref<7x8xf32>)
  return
}

// -----

func.func @softmax_schedule(%x: tensor<4x8xf32>) {
  // expected-error @below {{schedule rows must be from 1 to 2147483647, got 0}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 0, lanes = 16, unroll = 4, stream = 1, whole = 1, segment = 16>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Sums of lanes and of vectors are added in halves.
func.func @softmax_unroll(%x: tensor<4x8xf32>) {
  // expected-error @below {{lanes and unroll must be powers of two}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 3, stream = 1, whole = 1, segment = 16>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @softmax_segment(%x: tensor<4x8xf32>) {
  // expected-error @below {{a segment must be whole vectors}}
  %r = attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 1, whole = 1, segment = 24>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Lanes are halved where pairs lie side by side.
func.func @sinusoidal_schedule(%e: tensor<9x70xf32>) {
  // expected-error @below {{schedule lanes must be a power of two, at least 2, got 10}}
  %r = attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 2, lanes = 10, stream = 0>) outs(%e : tensor<9x70xf32>) -> tensor<9x70xf32>
  return
}

// -----

// A weight that lies across is transposed by squares of lanes.
func.func @linear_schedule(%x: tensor<6x70xf32>, %w: tensor<50x70xf32>, %e: tensor<6x50xf32>) {
  // expected-error @below {{schedule lanes must be a power of two, got 12}}
  %r = attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 12, depth = 3, panels = 2, lanes = 12, mr = 6, nr = 2>) ins(%x, %w : tensor<6x70xf32>, tensor<50x70xf32>) outs(%e : tensor<6x50xf32>) -> tensor<6x50xf32>
  return
}
