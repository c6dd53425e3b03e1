#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 floordiv 2, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 floordiv 2, d5)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d3, d0)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map15 = affine_map<(d0) -> (d0 * 96)>
#map16 = affine_map<(d0) -> (d0 * -96 + 200, 96)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d1)>
#map20 = affine_map<(d0) -> (-d0 + 100, 64)>
#map21 = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1)>
#map24 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>
#map25 = affine_map<(d0) -> (0, d0 * 48 - 40)>
#map26 = affine_map<(d0) -> (48, d0 * 48 + 8)>
#map27 = affine_map<(d0, d1) -> (-d0 + d1, 64)>
#map28 = affine_map<(d0) -> (0, d0 * 48)>
#map29 = affine_map<(d0) -> (48, d0 * 48 + 48)>
#map30 = affine_map<(d0) -> (0, d0 * 32)>
#map31 = affine_map<(d0) -> (32, d0 * 32 + 32)>
#map32 = affine_map<()[s0] -> (s0 ceildiv 96)>
#map33 = affine_map<(d0)[s0] -> (d0 * -96 + s0, 96)>
#map34 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d4)>
#map35 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d2)>
#map36 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2)>
#map37 = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
#map38 = affine_map<(d0) -> (d0 floordiv 4)>
#map39 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4)>
#map40 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d5)>
#map41 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d2)>
#map42 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d5)>
module {
  module {
    func.func @plain(%arg0: tensor<2x8x16x64xf32>, %arg1: tensor<2x8x24x64xf32>, %arg2: tensor<2x8x24x32xf32>, %arg3: tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2 : tensor<2x8x16x64xf32>, tensor<2x8x24x64xf32>, tensor<2x8x24x32xf32>) outs(%arg3 : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
      return %0 : tensor<2x8x16x32xf32>
    }
    func.func @all_clauses(%arg0: tensor<?x32x?x128xbf16>, %arg1: tensor<?x8x?x128xbf16>, %arg2: tensor<?x8x?x128xbf16>, %arg3: tensor<?xi32>, %arg4: tensor<?x32x?x128xbf16>, %arg5: tensor<?x32x?xf32>) -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>) {
      %0:2 = attn.attention scale(#attn.log_length<base = 5.120000e+02, n = position>) similarity(#attn.cosine<eps = 1.000000e-06, mode = rsqrt_sum>) softmax(#attn.softmax1) align(bottom_right) bias [#attn.alibi] masks [#attn.causal, #attn.window<left = 128, right = 0>, #attn.kv_lengths] softcap(3.000000e+01) ins(%arg0, %arg1, %arg2 : tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>) params(%arg3 : tensor<?xi32>) outs(%arg4, %arg5 : tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>) -> tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
      return %0#0, %0#1 : tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
    }
    func.func @scales(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x64xf32>, %arg2: tensor<4xf32>, %arg3: tensor<16xi64>, %arg4: f32) {
      %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %1 = attn.attention scale(#attn.inv_dim) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %2 = attn.attention scale(#attn.constant<1.76776695296636865e-01>) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %3 = attn.attention scale(#attn.operand) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %4 = attn.attention scale(#attn.operand) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg4 : f32) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %5 = attn.attention scale(#attn.learned) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %6 = attn.attention scale(#attn.entropy_invariant<kappa = 2.000000e+00, n = visible>) softmax(#attn.softmax) align(top_left) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %7 = attn.attention scale(#attn.entropy_invariant) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %8 = attn.attention scale(#attn.gradient_max_fit<scores = normal, n = constant(1024)>) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %9 = attn.attention scale(#attn.gradient_max<scores = normal, n = half_max(4096)>) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %10 = attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      %11 = attn.attention scale(#attn.log_length<base = 2.000000e+00, n = position_operand>) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg3 : tensor<16xi64>) outs(%arg1 : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
      return
    }
    func.func @params_in_order(%arg0: tensor<1x4x16x64xf32>, %arg1: tensor<1x4x16x64xf32>, %arg2: tensor<4xf32>, %arg3: tensor<1x1x16x16xf32>, %arg4: tensor<16x16xi1>, %arg5: tensor<1x16xi32>) {
      %0 = attn.attention scale(#attn.none) softmax(#attn.sink) bias [#attn.dense_bias] masks [#attn.dense_mask, #attn.segment_ids] ins(%arg0, %arg0, %arg0 : tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>) params(%arg3, %arg4, %arg5, %arg5, %arg2 : tensor<1x1x16x16xf32>, tensor<16x16xi1>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<4xf32>) outs(%arg1 : tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf32>
      %1 = attn.attention scale(#attn.none) softmax(#attn.softmax_n<2.500000e+00>) align(top_left) bias [#attn.alibi<slopes = operand>] masks [#attn.additive_mask] ins(%arg0, %arg0, %arg0 : tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>) params(%arg2, %arg3 : tensor<4xf32>, tensor<1x1x16x16xf32>) outs(%arg1 : tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf32>
      return
    }
    func.func @score_region(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x64xf32>, %arg2: tensor<4xf32>) {
      %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [#map, #map1, #map2, #map3, #map4] ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<4x16x64xf32>) score {
      ^bb0(%arg3: f32, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: f32):
        %1 = arith.mulf %arg3, %arg8 : f32
        attn.yield %1 : f32
      } -> tensor<4x16x64xf32>
      return
    }
    func.func @score_region_condition(%arg0: tensor<4x16x64xf32>, %arg1: tensor<4x16x64xf32>, %arg2: tensor<16x16xi1>) {
      %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%arg2 : tensor<16x16xi1>) outs(%arg1 : tensor<4x16x64xf32>) score {
      ^bb0(%arg3: f32, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: i1):
        %cst = arith.constant -1.000000e+09 : f32
        %1 = arith.select %arg8, %arg3, %cst : f32
        attn.yield %1 : f32
      } -> tensor<4x16x64xf32>
      return
    }
    func.func @layout_memref(%arg0: memref<1x16x4x64xf32>, %arg1: memref<1x16x2x64xf32>, %arg2: memref<1x16x4x64xf32>) {
      attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [#map5, #map6, #map7, #map8] ins(%arg0, %arg1, %arg1 : memref<1x16x4x64xf32>, memref<1x16x2x64xf32>, memref<1x16x2x64xf32>) outs(%arg2 : memref<1x16x4x64xf32>)
      return
    }
  }
  module {
    func.func @linear_by_default(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<4x3xf32>) -> tensor<4x3xf32> {
      %0 = attn.linear ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x3xf32>) outs(%arg2 : tensor<4x3xf32>) -> tensor<4x3xf32>
      return %0 : tensor<4x3xf32>
    }
    func.func @linear_on_memrefs(%arg0: memref<?x8xbf16>, %arg1: memref<3x8xbf16>, %arg2: memref<3xf32>, %arg3: memref<?x3xf32>) {
      attn.linear parameterisation(ntk) weight(out_in) schedule(#attn.contraction_schedule<rows = 8, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>) ins(%arg0, %arg1, %arg2 : memref<?x8xbf16>, memref<3x8xbf16>, memref<3xf32>) outs(%arg3 : memref<?x3xf32>)
      return
    }
    func.func @linear_with_epilogue(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x3xbf16>, %arg2: tensor<4x3xbf16>, %arg3: tensor<3xf32>, %arg4: f32, %arg5: tensor<4x3xbf16>) -> tensor<4x3xbf16> {
      %0 = attn.linear ins(%arg0, %arg1 : tensor<4x8xbf16>, tensor<8x3xbf16>) extras(%arg2, %arg3, %arg4 : tensor<4x3xbf16>, tensor<3xf32>, f32) outs(%arg5 : tensor<4x3xbf16>) epilogue {
      ^bb0(%arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32):
        %1 = math.fma %arg6, %arg9, %arg8 : f32
        %2 = attn.activation silu %1 : f32
        %3 = arith.addf %2, %arg7 : f32
        attn.yield %3 : f32
      } -> tensor<4x3xbf16>
      return %0 : tensor<4x3xbf16>
    }
    func.func @softmax_by_position(%arg0: tensor<2x9x5xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
      %0 = attn.softmax scale(#attn.log_length<base = 5.120000e+02, n = position>) softmax(#attn.sink) dim(1) head_dim(64) align(bottom_right) ins(%arg0 : tensor<2x9x5xf32>) params(%arg1 : tensor<2xf32>) outs(%arg2 : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
      return %0 : tensor<2x9x5xf32>
    }
    func.func @positions(%arg0: tensor<2x7x3x8xf16>, %arg1: tensor<2x7xi32>, %arg2: index, %arg3: tensor<7x8xf32>) -> (tensor<2x7x3x8xf16>, tensor<7x8xf32>) {
      %0 = attn.rope pairs(half_split) base(5.000000e+05) rotary_dim(4) row_dim(1) ins(%arg0 : tensor<2x7x3x8xf16>) offset(%arg2 : index) positions(%arg1 : tensor<2x7xi32>) outs(%arg0 : tensor<2x7x3x8xf16>) -> tensor<2x7x3x8xf16>
      %1 = attn.sinusoidal_positions position_scale(2.500000e-01) outs(%arg3 : tensor<7x8xf32>) -> tensor<7x8xf32>
      return %0, %1 : tensor<2x7x3x8xf16>, tensor<7x8xf32>
    }
    func.func @rope_tables(%arg0: tensor<2x7x3x8xf16>, %arg1: tensor<2x7x4xf32>, %arg2: tensor<2x7x4xf32>) -> tensor<2x7x3x8xf16> {
      %0 = attn.rope pairs(half_split) rotary_dim(4) row_dim(1) ins(%arg0 : tensor<2x7x3x8xf16>) cosines(%arg1 : tensor<2x7x4xf32>) sines(%arg2 : tensor<2x7x4xf32>) outs(%arg0 : tensor<2x7x3x8xf16>) -> tensor<2x7x3x8xf16>
      return %0 : tensor<2x7x3x8xf16>
    }
    func.func @scheduled_positions(%arg0: memref<7x8xf16>) {
      attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 0>) ins(%arg0 : memref<7x8xf16>) outs(%arg0 : memref<7x8xf16>)
      attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 8, stream = 1024>) outs(%arg0 : memref<7x8xf16>)
      return
    }
    func.func @residuals(%arg0: tensor<4xf32>, %arg1: index) -> tensor<4xf32> {
      %0 = attn.residual post(%arg0 : tensor<4xf32>) norm {
      ^bb0(%arg2: tensor<4xf32>):
        attn.yield %arg2 : tensor<4xf32>
      } branch {
      ^bb0(%arg2: tensor<4xf32>):
        attn.yield %arg2 : tensor<4xf32>
      }
      %1 = attn.residual scheduled(%0 : tensor<4xf32>) time(%arg1 : index) step(1.000000e-01) branch {
      ^bb0(%arg2: tensor<4xf32>):
        attn.yield %arg2 : tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    }
  }
  module {
    func.func @activations(%arg0: tensor<?x4xbf16>, %arg1: vector<8xf32>, %arg2: f64) -> (tensor<?x4xbf16>, vector<8xf32>, f64) {
      %0 = attn.activation gelu_tanh centered unit_moment %arg0 : tensor<?x4xbf16>
      %1 = attn.activation softplus unit_moment %arg1 : vector<8xf32>
      %2 = attn.activation elu %arg2 : f64
      return %0, %1, %2 : tensor<?x4xbf16>, vector<8xf32>, f64
    }
    func.func @selu_is_normalised(%arg0: f32) -> f32 {
      %0 = attn.activation selu centered unit_moment %arg0 : f32
      return %0 : f32
    }
    func.func @relu_once(%arg0: f32) -> (f32, f32) {
      %0 = attn.activation relu %arg0 : f32
      %1 = attn.activation relu %0 : f32
      %2 = attn.activation relu unit_moment %1 : f32
      %3 = attn.activation relu %2 : f32
      return %1, %3 : f32, f32
    }
    func.func @inits(%arg0: i64, %arg1: tensor<8x?xf32>, %arg2: tensor<3x3x8x4xf32>) -> (tensor<8x?xf32>, tensor<3x3x8x4xf32>) {
      %0 = attn.init normal variance(lecun) seed(%arg0 : i64) outs(%arg1 : tensor<8x?xf32>) -> tensor<8x?xf32>
      %1 = attn.init uniform variance(constant) value(2.500000e-01) mean(1.000000e+00) seed(%arg0 : i64) outs(%0 : tensor<8x?xf32>) -> tensor<8x?xf32>
      %2 = attn.init truncated_normal variance(t5) head_dim(64) cut [-1.000000e+00, 3.000000e+00] seed(%arg0 : i64) outs(%1 : tensor<8x?xf32>) -> tensor<8x?xf32>
      %3 = attn.init normal variance(solved) of(silu) seed(%arg0 : i64) outs(%2 : tensor<8x?xf32>) -> tensor<8x?xf32>
      %4 = attn.init normal variance(xavier) fan_in [0, 1, 2] fan_out [0, 1, 3] seed(%arg0 : i64) outs(%arg2 : tensor<3x3x8x4xf32>) -> tensor<3x3x8x4xf32>
      return %3, %4 : tensor<8x?xf32>, tensor<3x3x8x4xf32>
    }
    func.func @statistics(%arg0: tensor<8x?xf16>, %arg1: tensor<f32>, %arg2: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
      %0 = attn.statistics kurtosis ins(%arg0 : tensor<8x?xf16>) outs(%arg1 : tensor<f32>) -> tensor<f32>
      %1 = attn.statistics infinity_norm axes [1] ins(%arg0 : tensor<8x?xf16>) outs(%arg2 : tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<f32>, tensor<8xf32>
    }
  }
  module {
    func.func @both(%arg0: tensor<2x4x9x64xf16>, %arg1: tensor<2x2x17x64xf16>, %arg2: tensor<64xf16>, %arg3: tensor<9x64xf32>, %arg4: tensor<2x17x64xf32>) -> tensor<2x4x9x64xf16> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) load_query [#attn.row_norm<rms, eps = 1.000000e-06, gamma>, #attn.rotate<interleaved, dims = 32>] load_key [#attn.row_norm<layer, eps = 1.000000e-05, mode = max_norm, gamma, beta>, #attn.rotate<half_split, dims = 64>] ins(%arg0, %arg1, %arg1 : tensor<2x4x9x64xf16>, tensor<2x2x17x64xf16>, tensor<2x2x17x64xf16>) params(%arg2, %arg3, %arg2, %arg2, %arg4 : tensor<64xf16>, tensor<9x64xf32>, tensor<64xf16>, tensor<64xf16>, tensor<2x17x64xf32>) outs(%arg0 : tensor<2x4x9x64xf16>) -> tensor<2x4x9x64xf16>
      return %0 : tensor<2x4x9x64xf16>
    }
    func.func @after_masks(%arg0: tensor<4x9x64xf32>, %arg1: tensor<4x17x64xf32>, %arg2: tensor<9x17xi1>, %arg3: tensor<64xf32>) -> tensor<4x9x64xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] load_key [#attn.row_norm<l2, eps = 0.000000e+00, beta>] ins(%arg0, %arg1, %arg1 : tensor<4x9x64xf32>, tensor<4x17x64xf32>, tensor<4x17x64xf32>) params(%arg2, %arg3 : tensor<9x17xi1>, tensor<64xf32>) outs(%arg0 : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
      return %0 : tensor<4x9x64xf32>
    }
  }
  module {
    func.func @chunked(%arg0: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
      %0 = tensor.empty() : tensor<2x96x64xf32>
      %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.chunked<70>] ins(%arg0, %arg0, %arg0 : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%0 : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
      return %1 : tensor<2x96x64xf32>
    }
  }
  module {
    func.func @prefix(%arg0: tensor<2x1x96x64xf32>, %arg1: tensor<2x1x200x64xf32>, %arg2: tensor<2xi32>) -> tensor<2x1x96x64xf32> {
      %0 = tensor.empty() : tensor<2x1x96x64xf32>
      %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.prefix_lm] ins(%arg0, %arg1, %arg1 : tensor<2x1x96x64xf32>, tensor<2x1x200x64xf32>, tensor<2x1x200x64xf32>) params(%arg2 : tensor<2xi32>) outs(%0 : tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32>
      return %1 : tensor<2x1x96x64xf32>
    }
  }
  module {
    func.func @rms(%arg0: tensor<8x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %0 = attn.norm rms axes [1] eps(1.000000e-05) ins(%arg0 : tensor<8x64xf32>) gamma(%arg1 : tensor<64xf32>)  outs(%arg2 : tensor<8x64xf32>)  -> tensor<8x64xf32>
      return %0 : tensor<8x64xf32>
    }
    func.func @layer_with_residual(%arg0: tensor<?x?x?xf16>, %arg1: tensor<?xf32>) -> (tensor<?x?x?xf16>, tensor<?x?x?xf16>) {
      %0:2 = attn.norm layer uncentered axes [2] eps(max_norm 1.000000e-06) schedule(#attn.norm_schedule<rows = 16, lanes = 16, unroll = 4, stream = 1024>) ins(%arg0 : tensor<?x?x?xf16>) residual(%arg0 : tensor<?x?x?xf16>) gamma(%arg1 : tensor<?xf32>) beta(%arg1 : tensor<?xf32>)  outs(%arg0 : tensor<?x?x?xf16>) sum(%arg0 : tensor<?x?x?xf16>)  -> tensor<?x?x?xf16>, tensor<?x?x?xf16>
      return %0#0, %0#1 : tensor<?x?x?xf16>, tensor<?x?x?xf16>
    }
    func.func @instance(%arg0: tensor<2x3x5x7xbf16>, %arg1: tensor<3xf32>) -> tensor<2x3x5x7xbf16> {
      %0 = attn.norm instance axes [2, 3] eps(0.000000e+00) affine_axes [1] ins(%arg0 : tensor<2x3x5x7xbf16>) gamma(%arg1 : tensor<3xf32>)  outs(%arg0 : tensor<2x3x5x7xbf16>)  -> tensor<2x3x5x7xbf16>
      return %0 : tensor<2x3x5x7xbf16>
    }
    func.func @batch(%arg0: tensor<2x3x5xf64>, %arg1: tensor<3xf64>) {
      %0 = attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<2x3x5xf64>)  outs(%arg0 : tensor<2x3x5xf64>)  -> tensor<2x3x5xf64>
      %1 = attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<2x3x5xf64>) statistics(%arg1, %arg1 : tensor<3xf64>, tensor<3xf64>) outs(%arg0 : tensor<2x3x5xf64>)  -> tensor<2x3x5xf64>
      %2 = attn.norm batch uncentered axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<2x3x5xf64>) statistics(%arg1 : tensor<3xf64>) outs(%arg0 : tensor<2x3x5xf64>)  -> tensor<2x3x5xf64>
      %3:3 = attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<2x3x5xf64>)  outs(%arg0 : tensor<2x3x5xf64>) running(%arg1, %arg1 : tensor<3xf64>, tensor<3xf64>) momentum(1.000000e-01) unbiased -> tensor<2x3x5xf64>, tensor<3xf64>, tensor<3xf64>
      return
    }
    func.func @memrefs(%arg0: memref<?x4xf32>) {
      attn.norm l2 axes [0] eps(1.000000e-12) ins(%arg0 : memref<?x4xf32>)  outs(%arg0 : memref<?x4xf32>) 
      return
    }
    func.func @factor(%arg0: tensor<8x64xf16>, %arg1: tensor<8x64xf16>, %arg2: f32) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
      %0:2 = attn.norm rms axes [1] eps(1.000000e-05) ins(%arg0 : tensor<8x64xf16>) residual(%arg1 : tensor<8x64xf16>) factor(%arg2 : f32)  outs(%arg0 : tensor<8x64xf16>) sum(%arg1 : tensor<8x64xf16>)  -> tensor<8x64xf16>, tensor<8x64xf16>
      return %0#0, %0#1 : tensor<8x64xf16>, tensor<8x64xf16>
    }
  }
  module {
    func.func @group(%arg0: tensor<2x3x5x35xf32>, %arg1: tensor<3x5xf32>, %arg2: tensor<3x5xf32>) -> tensor<2x3x5x35xf32> {
      %0 = tensor.empty() : tensor<2x3x5x35xf32>
      %1 = attn.norm group axes [2, 3] eps(1.000000e-05) affine_axes [1, 2] ins(%arg0 : tensor<2x3x5x35xf32>) gamma(%arg1 : tensor<3x5xf32>) beta(%arg2 : tensor<3x5xf32>)  outs(%0 : tensor<2x3x5x35xf32>)  -> tensor<2x3x5x35xf32>
      return %1 : tensor<2x3x5x35xf32>
    }
  }
  module {
    func.func @all(%arg0: tensor<2x16x64xf16>, %arg1: tensor<2x16xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>) {
      %0:7 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<half_gradient_norm>, #attn.probe<max_logit>] ins(%arg0, %arg0, %arg0 : tensor<2x16x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xf16>) outs(%arg0, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1 : tensor<2x16x64xf16>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16x64xf16>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>
      return %0#1, %0#2 : tensor<2x16xf32>, tensor<2x16xf32>
    }
    func.func @without_lse(%arg0: tensor<2x16x64xf64>, %arg1: tensor<2x16xf64>) -> tensor<2x16xf64> {
      %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<max_logit>] ins(%arg0, %arg0, %arg0 : tensor<2x16x64xf64>, tensor<2x16x64xf64>, tensor<2x16x64xf64>) outs(%arg0, %arg1 : tensor<2x16x64xf64>, tensor<2x16xf64>) -> tensor<2x16x64xf64>, tensor<2x16xf64>
      return %0#1 : tensor<2x16xf64>
    }
    func.func @tile(%arg0: tensor<48x64xf32>, %arg1: tensor<16x64xf32>, %arg2: tensor<64x48xf32>, %arg3: tensor<48xf32>, %arg4: index) -> tensor<48xf32> {
      %0:5 = attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p2>] indexing_maps [#map9, #map10, #map11, #map12, #map13, #map13, #map13, #map13] origin(%arg4, %arg4, %arg4, %arg4) sizes(%arg4, %arg4, %arg4, %arg4) ins(%arg0, %arg1, %arg1 : tensor<48x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) outs(%arg2, %arg3, %arg3, %arg3, %arg3 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
      %1:3 = attn.finalize scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p2>] indexing_maps [#map12, #map13, #map13, #map13, #map13, #map14, #map13, #map13] origin(%arg4, %arg4, %arg4, %arg4) sizes(%arg4, %arg4, %arg4, %arg4) ins(%0#0, %0#1, %0#2, %0#3, %0#4 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) outs(%arg0, %arg3, %arg3 : tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>
      return %1#1 : tensor<48xf32>
    }
  }
  module {
    func.func @feed_forward_by_default(%arg0: tensor<5x8xf32>, %arg1: tensor<8x12xf32>, %arg2: tensor<12x8xf32>) -> tensor<5x8xf32> {
      %0 = attn.feed_forward gelu ins(%arg0 : tensor<5x8xf32>) up(%arg1 : tensor<8x12xf32>) down(%arg2 : tensor<12x8xf32>) -> tensor<5x8xf32>
      return %0 : tensor<5x8xf32>
    }
    func.func @feed_forward_linear(%arg0: tensor<5x8xf32>, %arg1: tensor<8x12xf32>, %arg2: tensor<12x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
      %0 = attn.feed_forward parameterisation(ntk) ins(%arg0 : tensor<5x8xf32>) up(%arg1 : tensor<8x12xf32>) down(%arg2 : tensor<12x8xf32>) -> tensor<5x8xf32>
      %1 = attn.feed_forward ins(%arg0 : tensor<5x8xf32>) gate(%arg1 : tensor<8x12xf32>) up(%arg1 : tensor<8x12xf32>) down(%arg2 : tensor<12x8xf32>) -> tensor<5x8xf32>
      return %0, %1 : tensor<5x8xf32>, tensor<5x8xf32>
    }
    func.func @feed_forward_gated(%arg0: tensor<2x?x8xbf16>, %arg1: tensor<12x8xbf16>, %arg2: tensor<12xf32>, %arg3: tensor<12x8xbf16>, %arg4: tensor<6x12xbf16>, %arg5: tensor<6xbf16>) -> tensor<2x?x6xbf16> {
      %0 = attn.feed_forward sigmoid centered unit_moment parameterisation(ntk) weight(out_in) ins(%arg0 : tensor<2x?x8xbf16>) gate(%arg1, %arg2 : tensor<12x8xbf16>, tensor<12xf32>) up(%arg3 : tensor<12x8xbf16>) down(%arg4, %arg5 : tensor<6x12xbf16>, tensor<6xbf16>) -> tensor<2x?x6xbf16>
      return %0 : tensor<2x?x6xbf16>
    }
    func.func @self(%arg0: tensor<5x32xf32>, %arg1: tensor<32x32xf32>) -> tensor<5x32xf32> {
      %0 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0 : tensor<5x32xf32>) query(%arg1 : tensor<32x32xf32>) key(%arg1 : tensor<32x32xf32>) value(%arg1 : tensor<32x32xf32>) output(%arg1 : tensor<32x32xf32>) -> tensor<5x32xf32>
      return %0 : tensor<5x32xf32>
    }
    func.func @policies(%arg0: tensor<2x?x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<16x32xf32>, %arg4: tensor<20x32xf32>, %arg5: tensor<24x40xf32>, %arg6: tensor<24xf32>, %arg7: tensor<8xf32>, %arg8: tensor<2x?xi64>, %arg9: tensor<4xf32>, %arg10: tensor<4xf32>) -> tensor<2x?x24xf32> {
      %0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.learned) similarity(#attn.cosine<eps = 1.000000e-06, mode = rsqrt_sum>) softmax(#attn.sink) align(bottom_right) bias [#attn.alibi] masks [#attn.causal, #attn.window<left = 3, right = 0>] softcap(3.000000e+01) qk_norm(rms, 1.000000e-06) rope(half_split) base(5.000000e+05) position_scale(5.000000e-01) rotary_dim(4) parameterisation(ntk) weight(out_in) ins(%arg0 : tensor<2x?x32xf32>) query(%arg1, %arg2 : tensor<32x32xf32>, tensor<32xf32>) key(%arg3 : tensor<16x32xf32>) value(%arg4 : tensor<20x32xf32>) output(%arg5, %arg6 : tensor<24x40xf32>, tensor<24xf32>) gains(%arg7, %arg7 : tensor<8xf32>, tensor<8xf32>) positions(%arg8 : tensor<2x?xi64>) params(%arg9, %arg10 : tensor<4xf32>, tensor<4xf32>) -> tensor<2x?x24xf32>
      return %0 : tensor<2x?x24xf32>
    }
    func.func @memory_to_cache(%arg0: tensor<2x5x32xf32>, %arg1: tensor<2x?x48xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<48x32xf32>, %arg4: tensor<2x4x?x8xf32>, %arg5: tensor<2x4x?x8xf32>, %arg6: index) -> (tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) {
      %0:3 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0 : tensor<2x5x32xf32>) memory(%arg1 : tensor<2x?x48xf32>) query(%arg2 : tensor<32x32xf32>) key(%arg3 : tensor<48x32xf32>) value(%arg3 : tensor<48x32xf32>) output(%arg2 : tensor<32x32xf32>) cache(%arg4, %arg5 : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) past(%arg6 : index) -> tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>
      return %0#0, %0#1, %0#2 : tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>
    }
    func.func @cache_alone(%arg0: tensor<2x1x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<2x4x9x8xf32>, %arg3: tensor<2x4x9x8xf32>, %arg4: tensor<2xi32>) -> tensor<2x1x32xf32> {
      %0 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0 : tensor<2x1x32xf32>) query(%arg1 : tensor<32x32xf32>) output(%arg1 : tensor<32x32xf32>) cache(%arg2, %arg3 : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) past(%arg4 : tensor<2xi32>) -> tensor<2x1x32xf32>
      return %0 : tensor<2x1x32xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @plain(%arg0: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) ins(%arg0, %arg0, %arg0 : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%arg0 : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
      return %0 : tensor<2x96x64xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @long_heads(%arg0: tensor<2x96x128xf32>) -> tensor<2x96x128xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.schedule<rows = 48, keys = 32, lanes = 16, mr = 8, nr = 3>) ins(%arg0, %arg0, %arg0 : tensor<2x96x128xf32>, tensor<2x96x128xf32>, tensor<2x96x128xf32>) outs(%arg0 : tensor<2x96x128xf32>) -> tensor<2x96x128xf32>
      return %0 : tensor<2x96x128xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @covered(%arg0: tensor<?x4x?x64xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?x4x?xf32>) -> tensor<?x4x?x64xf32> {
      %0:2 = attn.attention scale(#attn.log_length<base = 5.120000e+02, n = position>) softmax(#attn.sink) align(bottom_right) masks [#attn.causal, #attn.window<left = 64, right = 0>] schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) ins(%arg0, %arg0, %arg0 : tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>) params(%arg1 : tensor<4xf32>) outs(%arg0, %arg2 : tensor<?x4x?x64xf32>, tensor<?x4x?xf32>) -> tensor<?x4x?x64xf32>, tensor<?x4x?xf32>
      return %0#0 : tensor<?x4x?x64xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @narrow_window(%arg0: tensor<2x960x64xf32>) -> tensor<2x960x64xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 286, right = 80>, #attn.causal] schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) ins(%arg0, %arg0, %arg0 : tensor<2x960x64xf32>, tensor<2x960x64xf32>, tensor<2x960x64xf32>) outs(%arg0 : tensor<2x960x64xf32>) -> tensor<2x960x64xf32>
      return %0 : tensor<2x960x64xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @rows(%arg0: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
      %0 = attn.norm layer axes [1] eps(1.000000e-05) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 8388608>) ins(%arg0 : tensor<?x4096xf32>)  outs(%arg0 : tensor<?x4096xf32>)  -> tensor<?x4096xf32>
      return %0 : tensor<?x4096xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @given(%arg0: tensor<8x64xf32>, %arg1: tensor<64xf32>) -> tensor<8x64xf32> {
      %0 = attn.norm batch axes [0] eps(1.000000e-05) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 8388608, panel = 4096, chunk = 4096>) ins(%arg0 : tensor<8x64xf32>) statistics(%arg1, %arg1 : tensor<64xf32>, tensor<64xf32>) outs(%arg0 : tensor<8x64xf32>)  -> tensor<8x64xf32>
      return %0 : tensor<8x64xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @columns(%arg0: tensor<8x100000xf32>) -> tensor<8x100000xf32> {
      %0 = attn.norm l2 axes [0] eps(1.000000e-05) schedule(#attn.norm_schedule<rows = 8, lanes = 16, unroll = 4, stream = 8388608, panel = 4096>) ins(%arg0 : tensor<8x100000xf32>)  outs(%arg0 : tensor<8x100000xf32>)  -> tensor<8x100000xf32>
      return %0 : tensor<8x100000xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @long_columns(%arg0: tensor<65536x1024xf32>) -> tensor<65536x1024xf32> {
      %0 = attn.norm layer axes [0] eps(1.000000e-05) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 8388608, panel = 4096, chunk = 256>) ins(%arg0 : tensor<65536x1024xf32>)  outs(%arg0 : tensor<65536x1024xf32>)  -> tensor<65536x1024xf32>
      return %0 : tensor<65536x1024xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @rows(%arg0: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
      %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax)  schedule(#attn.softmax_schedule<rows = 16, lanes = 16, unroll = 4, stream = 8388608, whole = 65536, segment = 16384>) ins(%arg0 : tensor<?x4096xbf16>) outs(%arg0 : tensor<?x4096xbf16>) -> tensor<?x4096xbf16>
      return %0 : tensor<?x4096xbf16>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @unknown(%arg0: tensor<?x?xf64>) -> tensor<?x?xf64> {
      %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax1)  schedule(#attn.softmax_schedule<rows = 64, lanes = 8, unroll = 4, stream = 8388608, whole = 32768, segment = 8192>) ins(%arg0 : tensor<?x?xf64>) outs(%arg0 : tensor<?x?xf64>) -> tensor<?x?xf64>
      return %0 : tensor<?x?xf64>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @across(%arg0: tensor<1024x512xf32>, %arg1: tensor<4096x512xf32>, %arg2: tensor<10x512xf32>, %arg3: tensor<?x512xf32>) -> (tensor<1024x512xf32>, tensor<4096x512xf32>, tensor<10x512xf32>, tensor<?x512xf32>) {
      %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0)  schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 8388608, whole = 65536, segment = 16384>) ins(%arg0 : tensor<1024x512xf32>) outs(%arg0 : tensor<1024x512xf32>) -> tensor<1024x512xf32>
      %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0)  schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 2, stream = 8388608, whole = 65536, segment = 16384>) ins(%arg1 : tensor<4096x512xf32>) outs(%arg1 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
      %2 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0)  schedule(#attn.softmax_schedule<rows = 102, lanes = 16, unroll = 4, stream = 8388608, whole = 65536, segment = 16384>) ins(%arg2 : tensor<10x512xf32>) outs(%arg2 : tensor<10x512xf32>) -> tensor<10x512xf32>
      %3 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0)  schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 8388608, whole = 65536, segment = 16384>) ins(%arg3 : tensor<?x512xf32>) outs(%arg3 : tensor<?x512xf32>) -> tensor<?x512xf32>
      return %0, %1, %2, %3 : tensor<1024x512xf32>, tensor<4096x512xf32>, tensor<10x512xf32>, tensor<?x512xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @whole(%arg0: tensor<?x512xf32>, %arg1: tensor<f32>) -> tensor<f32> {
      %0 = attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 8, lines = 32, columns = 16384, lanes = 8, unroll = 4>) ins(%arg0 : tensor<?x512xf32>) outs(%arg1 : tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @largest(%arg0: tensor<8x100000xbf16>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
      %0 = attn.statistics infinity_norm axes [1] schedule(#attn.statistics_schedule<chunks = 8, lines = 1, columns = 32768, lanes = 16, unroll = 4>) ins(%arg0 : tensor<8x100000xbf16>) outs(%arg1 : tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @twice(%arg0: tensor<8x100000xf64>, %arg1: tensor<f64>) -> tensor<f64> {
      %0 = attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 32, lines = 1, columns = 2048, lanes = 8, unroll = 4>) ins(%arg0 : tensor<8x100000xf64>) outs(%arg1 : tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @columns(%arg0: tensor<8x64xf32>, %arg1: tensor<64xf32>) -> tensor<64xf32> {
      %0 = attn.statistics kurtosis axes [0] ins(%arg0 : tensor<8x64xf32>) outs(%arg1 : tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @blocks(%arg0: tensor<8x?x128xf32>) -> tensor<8x?x128xf32> {
      %0 = attn.rope pairs(half_split) schedule(#attn.position_schedule<rows = 32, lanes = 16, stream = 8388608>) ins(%arg0 : tensor<8x?x128xf32>) outs(%arg0 : tensor<8x?x128xf32>) -> tensor<8x?x128xf32>
      %1 = attn.rope schedule(#attn.position_schedule<rows = 16, lanes = 16, stream = 8388608>) ins(%0 : tensor<8x?x128xf32>) outs(%arg0 : tensor<8x?x128xf32>) -> tensor<8x?x128xf32>
      return %1 : tensor<8x?x128xf32>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @sinusoidal(%arg0: tensor<?x128xf64>) -> tensor<?x128xf64> {
      %0 = attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 128, lanes = 8, stream = 8388608>) outs(%arg0 : tensor<?x128xf64>) -> tensor<?x128xf64>
      return %0 : tensor<?x128xf64>
    }
  }
  module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"], vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576>} {
    func.func @plain(%arg0: tensor<2x200x64xf32>, %arg1: tensor<2x100x64xf32>, %arg2: tensor<2x200x64xf32>) -> tensor<2x200x64xf32> {
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c64 = arith.constant 64 : index
      %c100 = arith.constant 100 : index
      %c200 = arith.constant 200 : index
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %0 = scf.forall (%arg3, %arg4) in (2, 3) shared_outs(%arg5 = %arg2) -> (tensor<2x200x64xf32>) {
        %1 = affine.apply #map15(%arg4)
        %2 = affine.min #map16(%arg4)
        %extracted_slice = tensor.extract_slice %arg0[%arg3, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x200x64xf32> to tensor<?x64xf32>
        %3 = tensor.empty() : tensor<64x96xf32>
        %4 = tensor.empty() : tensor<96xf32>
        %5:2 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map17, #map18, #map19] origin(%arg3, %1, %c0, %c0, %c0) sizes(%c2, %c200, %c100, %c64, %c64) ins(%extracted_slice : tensor<?x64xf32>) outs(%3, %4 : tensor<64x96xf32>, tensor<96xf32>) -> tensor<64x96xf32>, tensor<96xf32>
        %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<64x96xf32>) -> tensor<64x96xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%4 : tensor<96xf32>) -> tensor<96xf32>
        %8 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<96xf32>) -> tensor<96xf32>
        %9:3 = scf.for %arg6 = %c0 to %c100 step %c64 iter_args(%arg7 = %6, %arg8 = %7, %arg9 = %8) -> (tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) {
          %11 = affine.min #map20(%arg6)
          %extracted_slice_2 = tensor.extract_slice %arg1[%arg3, %arg6, 0] [1, %11, 64] [1, 1, 1] : tensor<2x100x64xf32> to tensor<?x64xf32>
          %12:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg3, %1, %arg6, %c0, %c0) sizes(%c2, %c200, %c100, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x96xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<96xf32>) outs(%arg7, %arg8, %arg9 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>
          scf.yield %12#0, %12#1, %12#2 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>
        }
        %extracted_slice_1 = tensor.extract_slice %arg5[%arg3, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x200x64xf32> to tensor<?x64xf32>
        %10 = attn.finalize scale(#attn.none) softmax(#attn.softmax) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map23, #map19, #map19, #map24] origin(%arg3, %1, %c0, %c0, %c0) sizes(%c2, %c200, %c100, %c64, %c64) ins(%9#0, %9#1, %9#2 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) outs(%extracted_slice_1 : tensor<?x64xf32>) -> tensor<?x64xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %10 into %arg5[%arg3, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<2x200x64xf32>
        }
      }
      return %0 : tensor<2x200x64xf32>
    }
    func.func @causal_starts_with_the_partial_block(%arg0: tensor<2x104x64xf32>, %arg1: tensor<2x104x64xf32>) -> tensor<2x104x64xf32> {
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c64 = arith.constant 64 : index
      %c104 = arith.constant 104 : index
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %0 = scf.forall (%arg2, %arg3) in (2, 3) shared_outs(%arg4 = %arg1) -> (tensor<2x104x64xf32>) {
        %1 = affine.max #map25(%arg3)
        %2 = affine.min #map26(%arg3)
        %extracted_slice = tensor.extract_slice %arg0[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x104x64xf32> to tensor<?x64xf32>
        %3 = tensor.empty() : tensor<64x48xf32>
        %4 = tensor.empty() : tensor<48xf32>
        %5:2 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map17, #map18, #map19] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c104, %c104, %c64, %c64) ins(%extracted_slice : tensor<?x64xf32>) outs(%3, %4 : tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>
        %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<64x48xf32>) -> tensor<64x48xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%4 : tensor<48xf32>) -> tensor<48xf32>
        %8 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<48xf32>) -> tensor<48xf32>
        %9 = arith.addi %1, %2 : index
        %10 = arith.addi %1, %c1 : index
        %11 = arith.minsi %10, %c104 : index
        %12 = arith.minsi %9, %c104 : index
        %13 = arith.maxsi %12, %c0 : index
        %14 = arith.minsi %13, %c0 : index
        %15 = arith.maxsi %14, %c0 : index
        %16 = arith.minsi %15, %13 : index
        %17 = arith.maxsi %11, %16 : index
        %18 = arith.minsi %17, %13 : index
        %19 = arith.subi %18, %16 : index
        %20 = arith.divsi %19, %c8 : index
        %21 = arith.muli %20, %c8 : index
        %22 = arith.addi %16, %21 : index
        %23 = arith.subi %13, %22 : index
        %24 = arith.addi %23, %c7 : index
        %25 = arith.divsi %24, %c8 : index
        %26 = arith.muli %25, %c8 : index
        %27 = arith.addi %22, %26 : index
        %28 = arith.minsi %27, %c104 : index
        %29:3 = scf.for %arg5 = %16 to %22 step %c64 iter_args(%arg6 = %6, %arg7 = %7, %arg8 = %8) -> (tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) {
          %32 = affine.min #map27(%arg5, %22)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %32, 64] [1, 1, 1] : tensor<2x104x64xf32> to tensor<?x64xf32>
          %33:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c104, %c104, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<48xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
          scf.yield %33#0, %33#1, %33#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
        }
        %30:3 = scf.for %arg5 = %22 to %28 step %c64 iter_args(%arg6 = %29#0, %arg7 = %29#1, %arg8 = %29#2) -> (tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) {
          %32 = affine.min #map27(%arg5, %28)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %32, 64] [1, 1, 1] : tensor<2x104x64xf32> to tensor<?x64xf32>
          %33:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) masks [#attn.causal] schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c104, %c104, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<48xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
          scf.yield %33#0, %33#1, %33#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
        }
        %extracted_slice_1 = tensor.extract_slice %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x104x64xf32> to tensor<?x64xf32>
        %31 = attn.finalize scale(#attn.none) softmax(#attn.softmax) align(top_left) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map23, #map19, #map19, #map24] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c104, %c104, %c64, %c64) ins(%30#0, %30#1, %30#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) outs(%extracted_slice_1 : tensor<?x64xf32>) -> tensor<?x64xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %31 into %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<2x104x64xf32>
        }
      }
      return %0 : tensor<2x104x64xf32>
    }
    func.func @causal_skips_upper_tiles(%arg0: tensor<2x96x64xf32>, %arg1: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c64 = arith.constant 64 : index
      %c96 = arith.constant 96 : index
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %0 = scf.forall (%arg2, %arg3) in (2, 2) shared_outs(%arg4 = %arg1) -> (tensor<2x96x64xf32>) {
        %1 = affine.max #map28(%arg3)
        %2 = affine.min #map29(%arg3)
        %extracted_slice = tensor.extract_slice %arg0[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
        %3 = tensor.empty() : tensor<64x48xf32>
        %4 = tensor.empty() : tensor<48xf32>
        %5:2 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map17, #map18, #map19] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%extracted_slice : tensor<?x64xf32>) outs(%3, %4 : tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>
        %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<64x48xf32>) -> tensor<64x48xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%4 : tensor<48xf32>) -> tensor<48xf32>
        %8 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<48xf32>) -> tensor<48xf32>
        %9 = arith.addi %1, %2 : index
        %10 = arith.addi %1, %c1 : index
        %11 = arith.minsi %10, %c96 : index
        %12 = arith.minsi %9, %c96 : index
        %13 = arith.maxsi %12, %c0 : index
        %14 = arith.minsi %13, %c0 : index
        %15 = arith.maxsi %14, %c0 : index
        %16 = arith.minsi %15, %13 : index
        %17 = arith.maxsi %11, %16 : index
        %18 = arith.minsi %17, %13 : index
        %19 = arith.subi %18, %16 : index
        %20 = arith.divsi %19, %c8 : index
        %21 = arith.muli %20, %c8 : index
        %22 = arith.addi %16, %21 : index
        %23 = arith.subi %13, %22 : index
        %24 = arith.addi %23, %c7 : index
        %25 = arith.divsi %24, %c8 : index
        %26 = arith.muli %25, %c8 : index
        %27 = arith.addi %22, %26 : index
        %28 = arith.minsi %27, %c96 : index
        %29:3 = scf.for %arg5 = %16 to %22 step %c64 iter_args(%arg6 = %6, %arg7 = %7, %arg8 = %8) -> (tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) {
          %32 = affine.min #map27(%arg5, %22)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %32, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
          %33:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<48xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
          scf.yield %33#0, %33#1, %33#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
        }
        %30:3 = scf.for %arg5 = %22 to %28 step %c64 iter_args(%arg6 = %29#0, %arg7 = %29#1, %arg8 = %29#2) -> (tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) {
          %32 = affine.min #map27(%arg5, %28)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %32, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
          %33:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) masks [#attn.causal] schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<48xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
          scf.yield %33#0, %33#1, %33#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
        }
        %extracted_slice_1 = tensor.extract_slice %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
        %31 = attn.finalize scale(#attn.none) softmax(#attn.softmax1) align(top_left) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map23, #map19, #map19, #map24] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%30#0, %30#1, %30#2 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) outs(%extracted_slice_1 : tensor<?x64xf32>) -> tensor<?x64xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %31 into %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<2x96x64xf32>
        }
      }
      return %0 : tensor<2x96x64xf32>
    }
    func.func @window_has_two_edges(%arg0: tensor<2x96x64xf32>, %arg1: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
      %c3 = arith.constant 3 : index
      %c71 = arith.constant 71 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c4 = arith.constant 4 : index
      %c70 = arith.constant 70 : index
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c64 = arith.constant 64 : index
      %c96 = arith.constant 96 : index
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %0 = scf.forall (%arg2, %arg3) in (2, 3) shared_outs(%arg4 = %arg1) -> (tensor<2x96x64xf32>) {
        %1 = affine.max #map30(%arg3)
        %2 = affine.min #map31(%arg3)
        %extracted_slice = tensor.extract_slice %arg0[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
        %3 = tensor.empty() : tensor<64x32xf32>
        %4 = tensor.empty() : tensor<32xf32>
        %5:2 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 70, right = 3>] schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) indexing_maps [#map17, #map18, #map19] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%extracted_slice : tensor<?x64xf32>) outs(%3, %4 : tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>, tensor<32xf32>
        %6 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<64x32xf32>) -> tensor<64x32xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%4 : tensor<32xf32>) -> tensor<32xf32>
        %8 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<32xf32>) -> tensor<32xf32>
        %9 = arith.addi %1, %2 : index
        %10 = arith.subi %1, %c70 : index
        %11 = arith.maxsi %10, %c0 : index
        %12 = arith.addi %1, %c4 : index
        %13 = arith.minsi %12, %c96 : index
        %14 = arith.subi %9, %c71 : index
        %15 = arith.maxsi %14, %c0 : index
        %16 = arith.addi %9, %c3 : index
        %17 = arith.minsi %16, %c96 : index
        %18 = arith.maxsi %17, %c0 : index
        %19 = arith.maxsi %11, %c0 : index
        %20 = arith.minsi %19, %18 : index
        %21 = arith.maxsi %15, %20 : index
        %22 = arith.minsi %21, %18 : index
        %23 = arith.maxsi %13, %22 : index
        %24 = arith.minsi %23, %18 : index
        %25 = arith.subi %22, %20 : index
        %26 = arith.addi %25, %c7 : index
        %27 = arith.divsi %26, %c8 : index
        %28 = arith.muli %27, %c8 : index
        %29 = arith.addi %20, %28 : index
        %30 = arith.minsi %29, %24 : index
        %31 = arith.subi %24, %30 : index
        %32 = arith.divsi %31, %c8 : index
        %33 = arith.muli %32, %c8 : index
        %34 = arith.addi %30, %33 : index
        %35 = arith.subi %18, %34 : index
        %36 = arith.addi %35, %c7 : index
        %37 = arith.divsi %36, %c8 : index
        %38 = arith.muli %37, %c8 : index
        %39 = arith.addi %34, %38 : index
        %40 = arith.minsi %39, %c96 : index
        %41 = arith.cmpi slt, %33, %c64 : index
        %42 = arith.subi %18, %20 : index
        %43 = arith.addi %42, %c7 : index
        %44 = arith.divsi %43, %c8 : index
        %45 = arith.muli %44, %c8 : index
        %46 = arith.addi %20, %45 : index
        %47 = arith.minsi %46, %c96 : index
        %48 = arith.select %41, %47, %40 : index
        %49 = arith.select %41, %47, %30 : index
        %50 = arith.select %41, %47, %34 : index
        %51:3 = scf.for %arg5 = %20 to %49 step %c64 iter_args(%arg6 = %6, %arg7 = %7, %arg8 = %8) -> (tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) {
          %55 = affine.min #map27(%arg5, %49)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %55, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
          %56:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 70, right = 3>] schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x32xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<32xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
          scf.yield %56#0, %56#1, %56#2 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
        }
        %52:3 = scf.for %arg5 = %49 to %50 step %c64 iter_args(%arg6 = %51#0, %arg7 = %51#1, %arg8 = %51#2) -> (tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) {
          %55 = affine.min #map27(%arg5, %50)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %55, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
          %56:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x32xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<32xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
          scf.yield %56#0, %56#1, %56#2 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
        }
        %53:3 = scf.for %arg5 = %50 to %48 step %c64 iter_args(%arg6 = %52#0, %arg7 = %52#1, %arg8 = %52#2) -> (tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) {
          %55 = affine.min #map27(%arg5, %48)
          %extracted_slice_2 = tensor.extract_slice %arg0[%arg2, %arg5, 0] [1, %55, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
          %56:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 70, right = 3>] schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) indexing_maps [#map18, #map21, #map22, #map19, #map23, #map19, #map19] origin(%arg2, %1, %arg5, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%5#0, %extracted_slice_2, %extracted_slice_2 : tensor<64x32xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%5#1 : tensor<32xf32>) outs(%arg6, %arg7, %arg8 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
          scf.yield %56#0, %56#1, %56#2 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>
        }
        %extracted_slice_1 = tensor.extract_slice %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<2x96x64xf32> to tensor<?x64xf32>
        %54 = attn.finalize scale(#attn.none) softmax(#attn.softmax) align(top_left) schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>) indexing_maps [#map23, #map19, #map19, #map24] origin(%arg2, %1, %c0, %c0, %c0) sizes(%c2, %c96, %c96, %c64, %c64) ins(%53#0, %53#1, %53#2 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>) outs(%extracted_slice_1 : tensor<?x64xf32>) -> tensor<?x64xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %54 into %arg4[%arg2, %1, 0] [1, %2, 64] [1, 1, 1] : tensor<?x64xf32> into tensor<2x96x64xf32>
        }
      }
      return %0 : tensor<2x96x64xf32>
    }
    func.func @groups_and_lse(%arg0: tensor<1x8x?x64xf32>, %arg1: tensor<1x2x?x64xf32>, %arg2: tensor<1x8x?x64xf32>, %arg3: tensor<1x8x?xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>) {
      %cst = arith.constant 0xFF800000 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c64 = arith.constant 64 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %dim = tensor.dim %arg0, %c2 : tensor<1x8x?x64xf32>
      %dim_1 = tensor.dim %arg1, %c2 : tensor<1x2x?x64xf32>
      %0 = affine.apply #map32()[%dim]
      %1:2 = scf.forall (%arg4, %arg5) in (8, %0) shared_outs(%arg6 = %arg2, %arg7 = %arg3) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>) {
        %2 = affine.apply #map15(%arg5)
        %3 = affine.min #map33(%arg5)[%dim]
        %extracted_slice = tensor.extract_slice %arg0[0, %arg4, %2, 0] [1, 1, %3, 64] [1, 1, 1, 1] : tensor<1x8x?x64xf32> to tensor<?x64xf32>
        %4 = tensor.empty() : tensor<64x96xf32>
        %5 = tensor.empty() : tensor<96xf32>
        %6:2 = attn.pack_query scale(#attn.log_length<base = 2.000000e+00, n = position>) softmax(#attn.softmax) align(bottom_right) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map34, #map35, #map36] origin(%c0, %arg4, %2, %c0, %c0, %c0) sizes(%c1, %c8, %dim, %dim_1, %c64, %c64) ins(%extracted_slice : tensor<?x64xf32>) outs(%4, %5 : tensor<64x96xf32>, tensor<96xf32>) -> tensor<64x96xf32>, tensor<96xf32>
        %7 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<64x96xf32>) -> tensor<64x96xf32>
        %8 = linalg.fill ins(%cst : f32) outs(%5 : tensor<96xf32>) -> tensor<96xf32>
        %9 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<96xf32>) -> tensor<96xf32>
        %10:3 = scf.for %arg8 = %c0 to %dim_1 step %c64 iter_args(%arg9 = %7, %arg10 = %8, %arg11 = %9) -> (tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) {
          %12 = affine.min #map37(%arg8)[%dim_1]
          %13 = affine.apply #map38(%arg4)
          %extracted_slice_4 = tensor.extract_slice %arg1[0, %13, %arg8, 0] [1, 1, %12, 64] [1, 1, 1, 1] : tensor<1x2x?x64xf32> to tensor<?x64xf32>
          %14:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) align(bottom_right) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map35, #map39, #map40, #map36, #map41, #map36, #map36] origin(%c0, %arg4, %2, %arg8, %c0, %c0) sizes(%c1, %c8, %dim, %dim_1, %c64, %c64) ins(%6#0, %extracted_slice_4, %extracted_slice_4 : tensor<64x96xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%6#1 : tensor<96xf32>) outs(%arg9, %arg10, %arg11 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>
          scf.yield %14#0, %14#1, %14#2 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>
        }
        %extracted_slice_2 = tensor.extract_slice %arg6[0, %arg4, %2, 0] [1, 1, %3, 64] [1, 1, 1, 1] : tensor<1x8x?x64xf32> to tensor<?x64xf32>
        %extracted_slice_3 = tensor.extract_slice %arg7[0, %arg4, %2] [1, 1, %3] [1, 1, 1] : tensor<1x8x?xf32> to tensor<?xf32>
        %11:2 = attn.finalize scale(#attn.none) softmax(#attn.softmax) align(bottom_right) schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#map41, #map36, #map36, #map42, #map36] origin(%c0, %arg4, %2, %c0, %c0, %c0) sizes(%c1, %c8, %dim, %dim_1, %c64, %c64) ins(%10#0, %10#1, %10#2 : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>) outs(%extracted_slice_2, %extracted_slice_3 : tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32>, tensor<?xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %11#0 into %arg6[0, %arg4, %2, 0] [1, 1, %3, 64] [1, 1, 1, 1] : tensor<?x64xf32> into tensor<1x8x?x64xf32>
          tensor.parallel_insert_slice %11#1 into %arg7[0, %arg4, %2] [1, 1, %3] [1, 1, 1] : tensor<?xf32> into tensor<1x8x?xf32>
        }
      }
      return %1#0, %1#1 : tensor<1x8x?x64xf32>, tensor<1x8x?xf32>
    }
    func.func @unscheduled(%arg0: tensor<2x96x?xf32>) -> tensor<2x96x?xf32> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg0, %arg0 : tensor<2x96x?xf32>, tensor<2x96x?xf32>, tensor<2x96x?xf32>) outs(%arg0 : tensor<2x96x?xf32>) -> tensor<2x96x?xf32>
      return %0 : tensor<2x96x?xf32>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @plain(%arg0: tensor<2x?x128xf16>) -> tensor<2x?x128xf16> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>) ins(%arg0, %arg0, %arg0 : tensor<2x?x128xf16>, tensor<2x?x128xf16>, tensor<2x?x128xf16>) outs(%arg0 : tensor<2x?x128xf16>) -> tensor<2x?x128xf16>
      return %0 : tensor<2x?x128xf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @long_heads(%arg0: tensor<2x?x256xbf16>) -> tensor<2x?x256xbf16> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.gpu_attention<rows = 128, keys = 32, warps = 8>) ins(%arg0, %arg0, %arg0 : tensor<2x?x256xbf16>, tensor<2x?x256xbf16>, tensor<2x?x256xbf16>) outs(%arg0 : tensor<2x?x256xbf16>) -> tensor<2x?x256xbf16>
      return %0 : tensor<2x?x256xbf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @few_rows(%arg0: tensor<8x2x64xf16>, %arg1: tensor<2x?x64xf16>) -> tensor<8x2x64xf16> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 7, splitKeys = 256, items = 756>) ins(%arg0, %arg1, %arg1 : tensor<8x2x64xf16>, tensor<2x?x64xf16>, tensor<2x?x64xf16>) outs(%arg0 : tensor<8x2x64xf16>) -> tensor<8x2x64xf16>
      return %0 : tensor<8x2x64xf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @few_keys(%arg0: tensor<8x2x64xf16>, %arg1: tensor<2x256x64xf16>) -> tensor<8x2x64xf16> {
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 7>) ins(%arg0, %arg1, %arg1 : tensor<8x2x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) outs(%arg0 : tensor<8x2x64xf16>) -> tensor<8x2x64xf16>
      return %0 : tensor<8x2x64xf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @large(%arg0: tensor<8192x4096xbf16>, %arg1: tensor<4096x4096xbf16>, %arg2: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
      %0 = attn.linear schedule(#attn.gpu_product<rows = 128, columns = 128, depth = 32, rowWarps = 4, columnWarps = 2, stages = 3>) ins(%arg0, %arg1 : tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) outs(%arg2 : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16>
      return %0 : tensor<8192x4096xbf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @small(%arg0: tensor<64x512xbf16>, %arg1: tensor<512x512xbf16>, %arg2: tensor<64x512xbf16>) -> tensor<64x512xbf16> {
      %0 = attn.linear schedule(#attn.gpu_product<rows = 32, columns = 64, depth = 32, rowWarps = 2, columnWarps = 2, stages = 3>) ins(%arg0, %arg1 : tensor<64x512xbf16>, tensor<512x512xbf16>) outs(%arg2 : tensor<64x512xbf16>) -> tensor<64x512xbf16>
      return %0 : tensor<64x512xbf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @wide(%arg0: tensor<?x512xf64>, %arg1: tensor<512x512xf64>, %arg2: tensor<?x512xf64>) -> tensor<?x512xf64> {
      %0 = attn.linear schedule(#attn.gpu_product<rows = 128, columns = 64, depth = 16, rowWarps = 4, columnWarps = 2, stages = 3>) ins(%arg0, %arg1 : tensor<?x512xf64>, tensor<512x512xf64>) outs(%arg2 : tensor<?x512xf64>) -> tensor<?x512xf64>
      return %0 : tensor<?x512xf64>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @rows(%arg0: tensor<2x1x512xf16>, %arg1: tensor<4096x512xf16>, %arg2: tensor<4096x64xf16>, %arg3: tensor<2x1x4096xf16>, %arg4: tensor<2x1x64xf16>) -> tensor<2x1x64xf16> {
      %0 = attn.linear weight(out_in) schedule(#attn.gpu_dots<rows = 2, columns = 4, blockWarps = 4, width = 8>) ins(%arg0, %arg1 : tensor<2x1x512xf16>, tensor<4096x512xf16>) outs(%arg3 : tensor<2x1x4096xf16>) -> tensor<2x1x4096xf16>
      %1 = attn.linear schedule(#attn.gpu_dots<rows = 2, columns = 32, blockWarps = 8, width = 8>) ins(%0, %arg2 : tensor<2x1x4096xf16>, tensor<4096x64xf16>) outs(%arg4 : tensor<2x1x64xf16>) -> tensor<2x1x64xf16>
      return %1 : tensor<2x1x64xf16>
    }
  }
  module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_80", triple = "nvptx64-nvidia-cuda", features = ["sm_80", "ptx70"], vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>} {
    func.func @few_long(%arg0: tensor<4x65536xf32>) -> tensor<4x65536xf32> {
      %0 = tensor.empty() : tensor<4x65536xf32>
      %1 = attn.norm rms axes [1] eps(1.000000e-05) schedule(#attn.gpu_rows<rowWarps = 8, blockWarps = 8, width = 4>) ins(%arg0 : tensor<4x65536xf32>)  outs(%0 : tensor<4x65536xf32>)  -> tensor<4x65536xf32>
      return %1 : tensor<4x65536xf32>
    }
    func.func @many_long(%arg0: tensor<108x65536xf32>) -> tensor<108x65536xf32> {
      %0 = tensor.empty() : tensor<108x65536xf32>
      %1 = attn.norm rms axes [1] eps(1.000000e-05) schedule(#attn.gpu_rows<rowWarps = 8, blockWarps = 8, width = 4>) ins(%arg0 : tensor<108x65536xf32>)  outs(%0 : tensor<108x65536xf32>)  -> tensor<108x65536xf32>
      return %1 : tensor<108x65536xf32>
    }
    func.func @few_short(%arg0: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
      %0 = tensor.empty() : tensor<4x4096xf32>
      %1 = attn.norm rms axes [1] eps(1.000000e-05) schedule(#attn.gpu_rows<rowWarps = 8, blockWarps = 8, pieces = 16, width = 4>) ins(%arg0 : tensor<4x4096xf32>)  outs(%0 : tensor<4x4096xf32>)  -> tensor<4x4096xf32>
      return %1 : tensor<4x4096xf32>
    }
  }
}

