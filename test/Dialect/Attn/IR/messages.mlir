// RUN: attn-opt %s --split-input-file --verify-diagnostics

// What typical slips are told: what was meant, and how it is written.

// A name that is nearly one. The list is of its kind.
func.func @scale_name(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{unknown attribute `inv_sqrt_dims` in dialect `attn`: did you mean #attn.inv_sqrt_dim? the scales are #attn.}}
  %0 = attn.attention scale(#attn.inv_sqrt_dims) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @mask_name(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{did you mean #attn.causal? the masks are #attn.}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.casual] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// expected-error @+1 {{did you mean #attn.softmax1? the kinds of softmax are #attn.}}
func.func private @softmax_name() attributes {a = #attn.softmax_1}

// -----

// Nothing is near: all that there is.
// expected-error @+1 {{unknown attribute `zzz` in dialect `attn`: the scales are #attn.}}
func.func private @no_name() attributes {a = #attn.zzz}

// -----

// Ops, too.
func.func @op_name(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{custom op 'attn.atention' is unknown: did you mean attn.attention?}}
  %0 = attn.atention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @no_op(%q: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'attn.convolution' is unknown: the ops are attn.activation, attn.attention, }}
  %0 = attn.convolution %q : tensor<4xf32>
  return
}

// -----

// A number is a scale, once it is an attribute. The caret is at the value.
func.func @number(%q: tensor<4x16x64xf32>) {
  %0 = attn.attention
      // expected-error @+1 {{scale takes a scale, found 1.250000e-01 : f64: write #attn.constant<1.250000e-01>}}
      scale(0.125)
      softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A policy in the place of another.
func.func @other_policy(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{masks takes masks, found #attn.softmax1}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.softmax1] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Words are no attributes.
func.func @mask_word(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{masks takes an attribute, not the word 'causal': write #attn.causal}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [causal] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @softmax_word(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{softmax takes an attribute, not the word 'softmax1': write #attn.softmax1}}
  %0 = attn.attention scale(#attn.none) softmax(softmax1) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @probe_word(%q: tensor<4x16x64xf32>, %p: tensor<4x16xf32>) {
  // expected-error @+1 {{probes takes an attribute, not the word 'entropy': write #attn.probe<entropy>}}
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax) probes [entropy] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q, %p : tensor<4x16x64xf32>, tensor<4x16xf32>) -> tensor<4x16x64xf32>, tensor<4x16xf32>
  return
}

// -----

// A clause that is nearly one; attention.mlir has clauses in other orders.
func.func @clause(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{'attn.attention' has no clause 'mask': did you mean masks?}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) mask [#attn.causal] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// What the op has not got at all.
func.func @other_clause(%q: tensor<16x64xf32>, %o: tensor<64x48xf32>, %i: index) {
  // expected-error @+1 {{'attn.pack_query' has no clause 'probes'; its clauses are scale, similarity, softmax}}
  %0 = attn.pack_query scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>] origin(%i) sizes(%i) ins(%q : tensor<16x64xf32>) outs(%o : tensor<64x48xf32>) -> tensor<64x48xf32>
  return
}

// -----

func.func @twice(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{the clause 'scale' stands twice}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) scale(#attn.none) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @operands_in_front(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{'attn.attention' takes its operands in clauses: write ins(%q, ... : types) behind the attributes}}
  %0 = attn.attention %q, %q, %q scale(#attn.none) softmax(#attn.softmax) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @missing(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{'attn.attention' needs the clause 'softmax', for example softmax(#attn.softmax)}}
  %0 = attn.attention scale(#attn.none) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A result has a type.
func.func @no_type(%q: tensor<4x16x64xf32>) {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>)
  // expected-error @+1 {{an op on tensors has results: add -> 'tensor<4x16x64xf32>'}}
  return
}

// -----

func.func @two_inputs(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{'attn.attention' ins takes query, key and value, found 2 operands}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Dimensions have names, and so have operands.
func.func @head_dim(%q: tensor<4x16x16xf32>, %k: tensor<4x16x32xf32>) {
  // expected-error @+1 {{attention_c4: head dimension of key is 32, of query 16}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %k, %k : tensor<4x16x16xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>) outs(%q : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  return
}

// -----

func.func @sink_heads(%q: tensor<2x16x64xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{attention_c4: number of heads of param 'sink' is 3, of query 2}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.sink) ins(%q, %q, %q : tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>) params(%s : tensor<3xf32>) outs(%q : tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  return
}

// -----

// Which policy wants the param that is missing, or not there for any?
func.func @missing_param(%q: tensor<2x4x16x64xf32>, %l: tensor<2xi32>) {
  // expected-error @+1 {{attention_c7: params has 1, the policies take 2: #attn.kv_lengths needs one integer per batch; #attn.sink needs one float per head}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.sink) masks [#attn.kv_lengths] ins(%q, %q, %q : tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>) params(%l : tensor<2xi32>) outs(%q : tensor<2x4x16x64xf32>) -> tensor<2x4x16x64xf32>
  return
}

// -----

func.func @extra_param(%q: tensor<2x4x16x64xf32>, %l: tensor<2xi32>) {
  // expected-error @+1 {{attention_c7: params has 1, the policies take 0}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>) params(%l : tensor<2xi32>) outs(%q : tensor<2x4x16x64xf32>) -> tensor<2x4x16x64xf32>
  return
}

// -----

// How an attribute is written that lacks its numbers, or some of them.
// expected-error @+1 {{expected '<'; write #attn.window<left = 128, right = 0>, with -1 for a side that is open}}
func.func private @window() attributes {a = #attn.window}

// -----

// expected-error @+1 {{expected ','; write #attn.window<left = 128, right = 0>}}
func.func private @half_window() attributes {a = #attn.window<left = 3>}

// -----

// expected-error @+1 {{expected '='; write #attn.log_length<base = 512.0, n = keys>}}
func.func private @log_length() attributes {a = #attn.log_length<base>}

// -----

// No word of the message is of our code.
// expected-error @+1 {{expected a number, found "big"; write #attn.log_length<base = 512.0, n = keys>}}
func.func private @no_number() attributes {a = #attn.log_length<base = "big", n = keys>}

// -----

func.func @result_type(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c14: results must have the outputs' types, 'tensor<4x16x64xf32>', found 'tensor<4x16x32xf32>'}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x32xf32>
  return
}

// -----

func.func @weight(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %y: tensor<4x16xf32>) {
  // expected-error @+1 {{linear_c3: the weight 'tensor<16x8xf32>', which is in_out, does not fit the input 'tensor<4x8xf32>' and the output 'tensor<4x16xf32>': weight(out_in)?}}
  %r = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<16x8xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

// One error for one mistake, without names of our code.
// expected-error @+1 {{expected one of: normal, cosine; write #attn.gradient_max_fit<scores = normal, n = keys>}}
func.func private @value() attributes {x = #attn.gradient_max_fit<scores = banana, n = keys>}
