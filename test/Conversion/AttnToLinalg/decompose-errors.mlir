// RUN: attn-opt %s --attn-decompose --split-input-file --verify-diagnostics

// A tile holds some of the key segment ids only, so it cannot tell where a
// segment starts.
func.func @position_in_segment_of_a_tile(%q: tensor<48x64xf32>, %k: tensor<16x64xf32>, %acc: tensor<64x48xf32>, %max: tensor<48xf32>, %sum: tensor<48xf32>,
    %a: tensor<48xi32>, %b: tensor<16xi32>, %i: index) -> tensor<64x48xf32> {
  // expected-error @below {{has no form in plain linalg: n counts positions within a segment}}
  %s:3 = attn.online_attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]
      indexing_maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
                     affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (n)>,
                     affine_map<(m, n, d, e) -> (e, m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : tensor<48x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
      params(%a, %b : tensor<48xi32>, tensor<16xi32>)
      outs(%acc, %max, %sum : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
  return %s#0 : tensor<64x48xf32>
}

// -----

// Statistics are kept by tiles alone; a whole attention has probes.
func.func @statistics(%q: tensor<48x64xf32>, %acc: tensor<64x48xf32>, %r: tensor<48xf32>, %i: index) -> tensor<48xf32> {
  // expected-error @below {{has no form in plain linalg: the statistics of a tile}}
  %0:2 = attn.finalize scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<sum_p2>]
      indexing_maps [affine_map<(m, n, d, e) -> (e, m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>,
                     affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%acc, %r, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
      outs(%q, %r : tensor<48x64xf32>, tensor<48xf32>) -> tensor<48x64xf32>, tensor<48xf32>
  return %0#1 : tensor<48xf32>
}
