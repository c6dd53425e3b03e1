// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Inputs must be floats.
func.func @attention_c1(%q: tensor<4x16x64xi32>) {
  // expected-error @+1 {{attention_c1: inputs and outputs must all be ranked tensors or all memrefs of floats}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xi32>, tensor<4x16x64xi32>, tensor<4x16x64xi32>) outs(%q : tensor<4x16x64xi32>) -> tensor<4x16x64xi32>
  return
}

// -----

// So must outputs, and be tensors where inputs are.
func.func @attention_c1_output(%q: tensor<4x16x64xf32>, %o: memref<4x16x64xf32>) {
  // expected-error @+1 {{attention_c1: inputs and outputs must all be ranked tensors or all memrefs of floats, found 'memref<4x16x64xf32>'}}
  attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : memref<4x16x64xf32>)
  return
}

// -----

// One map per operand.
func.func @attention_c2(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c2: expected one indexing map per input, param and output (4), found 1}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Map results are dimensions, grouped heads or 0.
func.func @attention_c3(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c3: a map result must be a dimension}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (h + 1, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Key and value have the same number of rows.
func.func @attention_c4(%q: tensor<4x16x64xf32>, %v: tensor<4x17x64xf32>) {
  // expected-error @+1 {{attention_c4: number of keys of value is 17, of key 16}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %v : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x17x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Query heads are a multiple of key heads.
func.func @attention_c4_heads(%q: tensor<4x16x64xf32>, %k: tensor<3x16x64xf32>) {
  // expected-error @+1 {{attention_c4: 4 query heads are not a multiple of 3 key heads}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %k, %k : tensor<4x16x64xf32>, tensor<3x16x64xf32>, tensor<3x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// The query has no key dimension.
func.func @attention_c5(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c5: query map}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// One storage type.
func.func @attention_c6(%q: tensor<4x16x64xf32>, %k: tensor<4x16x64xf16>) {
  // expected-error @+1 {{attention_c6: query, key, value and o must have one element type, found 'f32' and 'f16'}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %k, %k : tensor<4x16x64xf32>, tensor<4x16x64xf16>, tensor<4x16x64xf16>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// lse is f32 for f16 storage.
func.func @attention_c6_lse(%q: tensor<4x16x64xf16>, %l: tensor<4x16xf16>) {
  // expected-error @+1 {{attention_c6: lse and probes must be of 'f32'}}
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf16>, tensor<4x16x64xf16>, tensor<4x16x64xf16>) outs(%q, %l : tensor<4x16x64xf16>, tensor<4x16xf16>) -> tensor<4x16x64xf16>, tensor<4x16xf16>
  return
}

// -----

// A packed query comes with the scales of its rows.
#q = affine_map<(m, n, d, e) -> (m, d)>
#packed = affine_map<(m, n, d, e) -> (d, m)>
func.func @attention_c6_scales(%q: tensor<16x64xf32>, %o: tensor<64x48xf32>, %i: index) {
  // expected-error @+1 {{attention_c6: wrong number of outputs}}
  %0 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#q, #packed]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q : tensor<16x64xf32>) outs(%o : tensor<64x48xf32>) -> tensor<64x48xf32>
  return
}

// -----

// A sink takes a param.
func.func @attention_c7(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c7: params has 0, the policies take 1: #attn.sink needs one float per head}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.sink) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Lengths are integers.
func.func @attention_c8(%q: tensor<2x4x16x64xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{attention_c8: param 'kv_lengths' must hold integers, found 'tensor<2xf32>'}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.kv_lengths] ins(%q, %q, %q : tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>) params(%l : tensor<2xf32>) outs(%q : tensor<2x4x16x64xf32>) -> tensor<2x4x16x64xf32>
  return
}

// -----

// A scale may vary by row, not by key.
func.func @attention_c8_map(%q: tensor<4x16x64xf32>, %s: tensor<4x16xf32>) {
  // expected-error @+1 {{attention_c8: param 'scale' must not vary as its map}}
  %0 = attn.attention scale(#attn.operand) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, n)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%s : tensor<4x16xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A causal mask needs to know where row 0 stands.
func.func @attention_c9(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c9: a policy uses positions: state align(top_left) or align(bottom_right)}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.causal] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @attention_c10(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c10: softcap must be positive}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) softcap(-1.0) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @attention_c10_infinite(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c10: softcap must be positive and a number of 'f32'}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) softcap(1.0e39) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// The cosine model is about cosine scores.
func.func @attention_c11(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c11: scores = cosine needs similarity(#attn.cosine)}}
  %0 = attn.attention scale(#attn.gradient_max<scores = cosine, n = keys>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Its solution depends on d.
func.func @attention_c11_dim(%q: tensor<4x16x?xf32>) {
  // expected-error @+1 {{attention_c11: scores = cosine needs a static head dimension of at least 2}}
  %0 = attn.attention scale(#attn.gradient_max<scores = cosine, n = keys>) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x?xf32>, tensor<4x16x?xf32>, tensor<4x16x?xf32>) outs(%q : tensor<4x16x?xf32>) -> tensor<4x16x?xf32>
  return
}

// -----

// A score region is pure and elementwise.
func.func @attention_c12(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c12: ops in the score region must be pure and elementwise, found func.call}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %r = func.call @f(%s) : (f32) -> f32
      attn.yield %r : f32
    } -> tensor<4x16x64xf32>
  return
}
func.func private @f(f32) -> f32

// -----

// and captures nothing.
func.func @attention_c12_capture(%q: tensor<4x16x64xf32>, %c: f32) {
  // expected-error @+1 {{attention_c12: the score region must not capture values: pass a param}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %r = arith.mulf %s, %c : f32
      attn.yield %r : f32
    } -> tensor<4x16x64xf32>
  return
}

// -----

// A tile names all its origins.
func.func @attention_c13(%q: tensor<4x16x64xf32>, %i: index) {
  // expected-error @+1 {{attention_c13: origin and sizes need one index per iteration dimension (5)}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) origin(%i) sizes(%i) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// What a row sees is counted before there are tiles, schedules or buffers.
func.func @attention_c13_seen(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c13: n = seen goes with a whole attention on tensors that has no schedule: attn-count-seen-keys comes before}}
  %0 = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) schedule(#attn.schedule<rows = 16, keys = 64, lanes = 16, mr = 4, nr = 1, operands = f32>) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @attention_c13_buffer(%q: memref<4x16x64xf32>) {
  // expected-error @+1 {{attention_c13: n = seen goes with a whole attention on tensors}}
  attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) ins(%q, %q, %q : memref<4x16x64xf32>, memref<4x16x64xf32>, memref<4x16x64xf32>) outs(%q : memref<4x16x64xf32>)
  return
}

// -----

func.func @attention_c14(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c14: results must have the outputs' types, }}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x32xf32>
  return
}

// -----

// expected-error @+1 {{log_length needs a base above 1}}
func.func private @base() attributes {a = #attn.log_length<base = 1.0, n = keys>}

// -----

// expected-error @+1 {{expected a source of n (keys, position, position_operand, visible, seen, constant(c), half_max(L)), found 'tokens'; write #attn.log_length<base = 512.0, n = keys>}}
func.func private @source() attributes {a = #attn.log_length<base = 2.0, n = tokens>}

// -----

// expected-error @+1 {{length must be at least 1, got 0}}
func.func private @length() attributes {a = #attn.log_length<base = 2.0, n = constant(0)>}

// -----

// expected-error @+1 {{softmax_n needs a count >= 0}}
func.func private @count() attributes {a = #attn.softmax_n<-1.0>}

// -----

// expected-error @+1 {{a window side is a count of keys, or -1 for open}}
func.func private @window() attributes {a = #attn.window<left = -2, right = 0>}

// -----

// expected-error @+1 {{schedule rows (40) must be a multiple of lanes * nr (48)}}
func.func private @schedule() attributes {a = #attn.schedule<rows = 40, keys = 64, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule operands must be a float type, got 'i8'}}
func.func private @schedule_operands() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = i8>}

// -----

// Each probe is one output.
func.func @attention_c6_probes(%q: tensor<4x16x64xf32>, %l: tensor<4x16xf32>) {
  // expected-error @+1 {{attention_c6: expected the outputs o and, optionally, lse, and one per probe; found 4}}
  %0:4 = attn.attention scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      outs(%q, %l, %l, %l : tensor<4x16x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      -> tensor<4x16x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>
  return
}

// -----

// Statistics have the type scores are computed in.
func.func @attention_c6_probe_type(%q: tensor<4x16x64xf16>, %l: tensor<4x16xf16>) {
  // expected-error @+1 {{attention_c6: lse and probes must be of 'f32'}}
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      ins(%q, %q, %q : tensor<4x16x64xf16>, tensor<4x16x64xf16>, tensor<4x16x64xf16>)
      outs(%q, %l : tensor<4x16x64xf16>, tensor<4x16xf16>) -> tensor<4x16x64xf16>, tensor<4x16xf16>
  return
}

// -----

// A probe is named once.
func.func @attention_c15_twice(%q: tensor<4x16x64xf32>, %l: tensor<4x16xf32>) {
  // expected-error @+1 {{attention_c15: probe sum_p stands twice}}
  %0:3 = attn.attention scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<sum_p>, #attn.probe<sum_p>]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      outs(%q, %l, %l : tensor<4x16x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      -> tensor<4x16x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>
  return
}

// -----

// No probes are no list.
func.func @attention_c15_empty(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c15: without probes there is no list of them}}
  %0 = "attn.attention"(%q, %q, %q, %q) <{
      scale = #attn.none, similarity = #attn.dot, normalizer = #attn.softmax, biases = [], masks = [], probes = [],
      indexing_maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                       affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0>}>
      : (tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A state has one statistic for entropy.
// attention_c6
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @state_without_statistics(%q: tensor<48x64xf32>, %k: tensor<16x64xf32>, %acc: tensor<64x48xf32>, %r: tensor<48xf32>, %i: index) -> tensor<64x48xf32> {
  // expected-error @below {{attention_c6: wrong number of outputs}}
  %s:3 = attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      indexing_maps [#q, #k, #v, #acc, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : tensor<48x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%acc, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
  return %s#0 : tensor<64x48xf32>
}

// -----

// sum_p2 and half_gradient_norm share their statistic.
// attention_c6
#acc = affine_map<(m, n, d, e) -> (e, m)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @statistics_of_finalize(%q: tensor<48x64xf32>, %acc: tensor<64x48xf32>, %r: tensor<48xf32>, %i: index) -> tensor<48xf32> {
  // expected-error @below {{attention_c6: the probes take 1 statistics, found 2}}
  %0:3 = attn.finalize scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<sum_p2>, #attn.probe<half_gradient_norm>]
      indexing_maps [#acc, #row, #row, #row, #row, #o, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%acc, %r, %r, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
      outs(%q, %r, %r : tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>
  return %0#1 : tensor<48xf32>
}

// -----

// expected-error @+1 {{schedule lanes must be a power of two, got 12}}
func.func private @schedule_lanes() attributes {a = #attn.schedule<rows = 24, keys = 64, lanes = 12, mr = 8, nr = 2>}

// -----

// expected-error @+1 {{schedule keys (24) must be a multiple of lanes (16) where keys are split: their scores lie in the lanes}}
func.func private @schedule_split_keys() attributes {a = #attn.schedule<rows = 7, keys = 24, lanes = 16, mr = 8, nr = 2, splitKeys = 16, items = 4>}
