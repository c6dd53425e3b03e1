// What variants add to the loop of full tiles, in PTX instructions: scales, whatever
// they count, and normalisers add none, as they are factors of rows and terms of
// their ends. Range masks differ at the edges only. All have one schedule.
// RUN: attn-compile %s --target=nvptx:sm_80 --emit=ptx -o %t
// RUN: python3 %attn_src_root/utils/ptx_loops.py %t.ptx --plain=plain | FileCheck %s
// RUN: python3 %attn_src_root/utils/ptx_loops.py %t.ptx | FileCheck %s --check-prefix=LOOP

// A maximum is one instruction: 32 scores, and two a row for the lanes beside.
// LOOP: plain__kernel0: {{.*}}max 36,{{.*}}mma 16,

func.func @plain(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: softmax1: 0 more than
func.func @softmax1(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: softmax_n: 0 more than
func.func @softmax_n(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax_n<2.5>)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: sink: 0 more than
func.func @sink(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4xf32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4xf32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: constant: 0 more than
func.func @constant(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.constant<-0.2>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: none: 0 more than
func.func @none(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: operand: 0 more than
func.func @operand(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<f32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.operand) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<f32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: row_operand: 0 more than
func.func @row_operand(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4x?xf32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.operand) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4x?xf32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: learned: 0 more than
func.func @learned(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4xf32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.learned) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4xf32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: log_length_keys: 0 more than
func.func @log_length_keys(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: log_length_position: 0 more than
func.func @log_length_position(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: log_length_visible: 0 more than
func.func @log_length_visible(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left) masks [#attn.causal]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: gradient_max_keys: 0 more than
func.func @gradient_max_keys(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.gradient_max<scores = normal, n = keys>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: gradient_max_position: 0 more than
func.func @gradient_max_position(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.gradient_max<scores = normal, n = position>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: gradient_max_operand: 0 more than
func.func @gradient_max_operand(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4x?xi32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.gradient_max<scores = normal, n = position_operand>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4x?xi32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: causal: 0 more than
func.func @causal(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left) masks [#attn.causal]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: window: 0 more than
func.func @window(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left) masks [#attn.window<left = 100, right = 0>]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// A load for each pair of neighbours; a sum and a product for each score.
// CHECK: bias: {{[0-9]+}} more than {{.*}}float 66, global 16,
func.func @bias(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4x?x?xf32>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) bias [#attn.dense_bias]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4x?x?xf32>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// CHECK: half_bias: {{.*}}global 16
func.func @half_bias(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>, %p: tensor<4x?x?xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) bias [#attn.dense_bias]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) params(%p : tensor<4x?x?xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// A difference, its size, and one product with a sum for each score, and a number for
// each of two rows: the bias is added to similarities, divided by the scale.
// CHECK: alibi: {{9[6-9]|10[0-2]}} more than {{.*}}float 64, fma 32,
func.func @alibi(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left) bias [#attn.alibi]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}

// Where no row sees later keys a difference is a distance: two instructions a score.
// CHECK: causal_alibi: {{6[4-9]|70}} more than {{.*}}float 32, fma 32,
func.func @causal_alibi(%q: tensor<4x?x16xf16>, %k: tensor<4x?x16xf16>) -> tensor<4x?x16xf16> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>) align(top_left) bias [#attn.alibi] masks [#attn.causal]
    ins(%q, %k, %k : tensor<4x?x16xf16>, tensor<4x?x16xf16>, tensor<4x?x16xf16>) outs(%q : tensor<4x?x16xf16>) -> tensor<4x?x16xf16>
  return %r : tensor<4x?x16xf16>
}
