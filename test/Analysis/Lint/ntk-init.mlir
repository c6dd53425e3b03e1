// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// NTK divides by sqrt(m) = 16 and wants weights of variance 1; LeCun's have 1/m.
// CHECK-LABEL: @ntk_lecun
// CHECK: attn.init normal variance({{ ?}}constant) value(1.000000e+00) seed
// CHECK: attn.linear parameterisation({{ ?}}ntk)
func.func @ntk_lecun(%x: tensor<16x256xf32>, %seed: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  // expected-warning@below {{[attn-w105] attn.linear: ntk divides by sqrt(256), and so do the weights, of second moment 0.003906: the output has 0.003906 of the input's second moment}}
  // expected-note@below {{mend it by variance(constant) value(1) of its attn.init}}
  %y = attn.linear parameterisation(ntk) ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// He's factor 2, which relu needs, is kept; the weight is stored the other way.
// CHECK-LABEL: @ntk_he
// CHECK: attn.init uniform variance({{ ?}}constant) value(2.000000e+00) seed
func.func @ntk_he(%x: tensor<16x256xf32>, %seed: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x256xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w = attn.init uniform variance(he) fan_in [1] seed(%seed : i64) outs(%ew : tensor<64x256xf32>) -> tensor<64x256xf32>
  // expected-warning@below {{[attn-w105] attn.linear: ntk divides by sqrt(256), and so do the weights, of second moment 0.007812: the output has 0.007812 of the input's second moment}}
  // expected-note@below {{mend it by variance(constant) value(2) of its attn.init}}
  %y = attn.linear parameterisation(ntk) weight(out_in) ins(%x, %w : tensor<16x256xf32>, tensor<64x256xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// Weights that are given, here with what is known of them: the parameterisation
// is what can be changed.
// CHECK-LABEL: @ntk_given
// CHECK: attn.linear ins(
func.func @ntk_given(%x: tensor<16x256xf32>, %w: tensor<256x64xf32> {attn.moments = array<f64: 0.0, 0.00390625>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w105] attn.linear: ntk divides by sqrt(256)}}
  // expected-note@below {{mend it by parameterisation(standard)}}
  %y = attn.linear parameterisation(ntk) ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// The reverse: weights of variance 1 that nothing divides. What explodes behind
// it is this fault's, so that the attention is not warned of.
// CHECK-LABEL: @standard_unit
// CHECK: attn.init normal variance({{ ?}}lecun) seed
// CHECK: attn.linear ins(
// CHECK: attn.attention scale(#attn.none)
func.func @standard_unit(%x: tensor<16x256xf32>, %k: tensor<16x64xf32> {attn.moments = array<f64: 0.0, 0.015625>}, %seed: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  // expected-warning@below {{[attn-w106] attn.linear: weights of second moment 1 are not divided by sqrt(256): the output has 256 times the input's second moment}}
  // expected-note@below {{mend it by variance(lecun) of its attn.init}}
  %q = attn.linear ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %k : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}

// A weight that two kinds of layers read is not changed: the layer is.
// CHECK-LABEL: @shared
// CHECK: attn.init normal variance({{ ?}}constant) value(1.000000e+00)
// CHECK-COUNT-2: attn.linear parameterisation({{ ?}}ntk)
func.func @shared(%x: tensor<16x256xf32>, %seed: i64) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  // expected-warning@below {{[attn-w106]}}
  // expected-note@below {{mend it by parameterisation(ntk)}}
  %y = attn.linear ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %z = attn.linear parameterisation(ntk) ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y, %z : tensor<16x64xf32>, tensor<16x64xf32>
}
