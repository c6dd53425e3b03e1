#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d1, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
module @jit_function attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x5x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<2x6x5x16xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<9.99999997E-7> : tensor<f32>
    %cst_1 = arith.constant dense<1.200000e+02> : tensor<f32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 6, 5, 4, 4] : tensor<2x6x5x16xf32> into tensor<2x6x5x4x4xf32>
    %0 = tensor.empty() : tensor<2x6x5x4x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded : tensor<2x6x5x4x4xf32>, tensor<2x6x5x4x4xf32>) outs(%0 : tensor<2x6x5x4x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.mulf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x6x5x4x4xf32>
    %2 = tensor.empty() : tensor<2x4xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%expanded : tensor<2x6x5x4x4xf32>) outs(%3 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %out, %in : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.divf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%1 : tensor<2x6x5x4x4xf32>) outs(%3 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %out, %in : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%7, %5 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.divf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %9 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%6, %6 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.mulf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.subf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%11, %10 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%2 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.maximumf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4xf32>
    %13 = tensor.empty() : tensor<2x4x4xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4xf32>) outs(%13 : tensor<2x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4xf32>
    %collapsed = tensor.collapse_shape %14 [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x4xf32>) outs(%13 : tensor<2x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4xf32>
    %collapsed_3 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32>
    %16 = tensor.empty() : tensor<2x1x1x16xf32>
    %17 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x16xf32>
    %18 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_3 : tensor<2x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x16xf32>
    %19 = tensor.empty() : tensor<2x6x5x16xf32>
    %20 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x1x1x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x5x16xf32>
    %21 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %20 : tensor<2x6x5x16xf32>, tensor<2x6x5x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.subf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x6x5x16xf32>
    %22 = linalg.generic {indexing_maps = [#map10, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x16xf32>
    %23 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<2x1x1x16xf32>, tensor<2x1x1x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.addf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x1x1x16xf32>
    %24 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x1x1x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.rsqrt %in : f32
      linalg.yield %31 : f32
    } -> tensor<2x1x1x16xf32>
    %expanded_4 = tensor.expand_shape %arg1 [[0, 1, 2, 3]] output_shape [1, 1, 1, 16] : tensor<16xf32> into tensor<1x1x1x16xf32>
    %25 = linalg.generic {indexing_maps = [#map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4 : tensor<1x1x1x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x16xf32>
    %26 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %25 : tensor<2x1x1x16xf32>, tensor<2x1x1x16xf32>) outs(%16 : tensor<2x1x1x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.mulf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x1x1x16xf32>
    %27 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x1x1x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x5x16xf32>
    %28 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %27 : tensor<2x6x5x16xf32>, tensor<2x6x5x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.mulf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x6x5x16xf32>
    %expanded_5 = tensor.expand_shape %arg2 [[0, 1, 2, 3]] output_shape [1, 1, 1, 16] : tensor<16xf32> into tensor<1x1x1x16xf32>
    %29 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<1x1x1x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x5x16xf32>
    %30 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %29 : tensor<2x6x5x16xf32>, tensor<2x6x5x16xf32>) outs(%19 : tensor<2x6x5x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %31 = arith.addf %in, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<2x6x5x16xf32>
    return %30 : tensor<2x6x5x16xf32>
  }
}

