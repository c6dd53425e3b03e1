#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> ()>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x4x1x8xf32>, %arg1: tensor<2x2x1x8xf32>, %arg2: tensor<2x2x1x8xf32>, %arg3: tensor<2x2x9x8xf32>, %arg4: tensor<2x2x9x8xf32>, %arg5: tensor<2xi64>) -> (tensor<2x4x1x8xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x4x1x9xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0.59460355750136051 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<9xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %42 = linalg.index 0 : index
      %43 = arith.index_cast %42 : index to i64
      linalg.yield %43 : i64
    } -> tensor<9xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 9] : tensor<9xi64> into tensor<1x9xi64>
    %expanded_6 = tensor.expand_shape %arg5 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x9xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x9xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x9xi1>) {
    ^bb0(%in: i64, %in_16: i64, %out: i1):
      %42 = arith.cmpi eq, %in, %in_16 : i64
      linalg.yield %42 : i1
    } -> tensor<2x9xi1>
    %expanded_7 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 1, 9, 1] : tensor<2x9xi1> into tensor<2x1x9x1xi1>
    %4 = tensor.empty() : tensor<2x2x9x8xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map5, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %arg1, %arg3 : tensor<2x1x9x1xi1>, tensor<2x2x1x8xf32>, tensor<2x2x9x8xf32>) outs(%4 : tensor<2x2x9x8xf32>) {
    ^bb0(%in: i1, %in_16: f32, %in_17: f32, %out: f32):
      %42 = arith.select %in, %in_16, %in_17 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x9x8xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map5, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %arg2, %arg4 : tensor<2x1x9x1xi1>, tensor<2x2x1x8xf32>, tensor<2x2x9x8xf32>) outs(%4 : tensor<2x2x9x8xf32>) {
    ^bb0(%in: i1, %in_16: f32, %in_17: f32, %out: f32):
      %42 = arith.select %in, %in_16, %in_17 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x9x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x9xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x9xi1>) {
    ^bb0(%in: i64, %in_16: i64, %out: i1):
      %42 = arith.cmpi sle, %in, %in_16 : i64
      linalg.yield %42 : i1
    } -> tensor<2x9xi1>
    %expanded_8 = tensor.expand_shape %7 [[0], [1, 2, 3]] output_shape [2, 1, 1, 9] : tensor<2x9xi1> into tensor<2x1x1x9xi1>
    %8 = tensor.empty() : tensor<2x1x1x9xf32>
    %9 = linalg.generic {indexing_maps = [#map6, #map7, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8, %cst_2, %cst_3 : tensor<2x1x1x9xi1>, tensor<f32>, tensor<f32>) outs(%8 : tensor<2x1x1x9xf32>) {
    ^bb0(%in: i1, %in_16: f32, %in_17: f32, %out: f32):
      %42 = arith.select %in, %in_16, %in_17 : f32
      linalg.yield %42 : f32
    } -> tensor<2x1x1x9xf32>
    %10 = tensor.empty() : tensor<2x4x1x8xf32>
    %11 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x1x8xf32>) outs(%10 : tensor<2x4x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.truncf %cst_4 : f64 to f32
      %43 = arith.mulf %in, %42 : f32
      linalg.yield %43 : f32
    } -> tensor<2x4x1x8xf32>
    %12 = tensor.empty() : tensor<2x2x2x9x8xf32>
    %13 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x2x9x8xf32>) outs(%12 : tensor<2x2x2x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x9x8xf32>
    %collapsed = tensor.collapse_shape %13 [[0], [1, 2], [3], [4]] : tensor<2x2x2x9x8xf32> into tensor<2x4x9x8xf32>
    %14 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x2x9x8xf32>) outs(%12 : tensor<2x2x2x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x9x8xf32>
    %15 = tensor.empty() : tensor<2x4x8x9xf32>
    %transposed = linalg.transpose ins(%collapsed : tensor<2x4x9x8xf32>) outs(%15 : tensor<2x4x8x9xf32>) permutation = [0, 1, 3, 2] 
    %16 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x4x8x9xf32>) outs(%15 : tensor<2x4x8x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.truncf %cst_4 : f64 to f32
      %43 = arith.mulf %in, %42 : f32
      linalg.yield %43 : f32
    } -> tensor<2x4x8x9xf32>
    %collapsed_9 = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x4x1x8xf32> into tensor<8x1x8xf32>
    %collapsed_10 = tensor.collapse_shape %16 [[0, 1], [2], [3]] : tensor<2x4x8x9xf32> into tensor<8x8x9xf32>
    %17 = tensor.empty() : tensor<8x1x9xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<8x1x9xf32>) -> tensor<8x1x9xf32>
    %19 = linalg.batch_matmul ins(%collapsed_9, %collapsed_10 : tensor<8x1x8xf32>, tensor<8x8x9xf32>) outs(%18 : tensor<8x1x9xf32>) -> tensor<8x1x9xf32>
    %expanded_11 = tensor.expand_shape %19 [[0, 1], [2], [3]] output_shape [2, 4, 1, 9] : tensor<8x1x9xf32> into tensor<2x4x1x9xf32>
    %20 = tensor.empty() : tensor<2x4x1x9xf32>
    %21 = linalg.generic {indexing_maps = [#map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11, %9 : tensor<2x4x1x9xf32>, tensor<2x1x1x9xf32>) outs(%20 : tensor<2x4x1x9xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %42 = arith.addf %in, %in_16 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x9xf32>
    %22 = tensor.empty() : tensor<2x4x1xi64>
    %23 = linalg.fill ins(%c0_i64 : i64) outs(%22 : tensor<2x4x1xi64>) -> tensor<2x4x1xi64>
    %24 = tensor.empty() : tensor<2x4x1xf32>
    %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
    %26:2 = linalg.generic {indexing_maps = [#map6, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x1x9xf32>) outs(%25, %23 : tensor<2x4x1xf32>, tensor<2x4x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_16: i64):
      %42 = linalg.index 3 : index
      %43 = arith.index_cast %42 : index to i64
      %44 = arith.maximumf %in, %out : f32
      %45 = arith.cmpf ogt, %in, %out : f32
      %46 = arith.select %45, %43, %out_16 : i64
      linalg.yield %44, %46 : f32, i64
    } -> (tensor<2x4x1xf32>, tensor<2x4x1xi64>)
    %expanded_12 = tensor.expand_shape %26#0 [[0], [1], [2, 3]] output_shape [2, 4, 1, 1] : tensor<2x4x1xf32> into tensor<2x4x1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_12 : tensor<2x4x1x9xf32>, tensor<2x4x1x1xf32>) outs(%20 : tensor<2x4x1x9xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %42 = arith.subf %in, %in_16 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x9xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x1x9xf32>) outs(%20 : tensor<2x4x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = math.exp %in : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x9xf32>
    %29 = tensor.empty() : tensor<2x4x1x1xf32>
    %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<2x4x1x1xf32>) -> tensor<2x4x1x1xf32>
    %31 = linalg.generic {indexing_maps = [#map6, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<2x4x1x9xf32>) outs(%30 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x1xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %31 : tensor<2x4x1x9xf32>, tensor<2x4x1x1xf32>) outs(%20 : tensor<2x4x1x9xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %42 = arith.divf %in, %in_16 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x9xf32>
    %33 = tensor.empty() : tensor<2x4x1x9xi1>
    %34 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x1x9xf32>) outs(%33 : tensor<2x4x1x9xi1>) {
    ^bb0(%in: f32, %out: i1):
      %42 = arith.extf %in : f32 to f64
      %43 = arith.cmpf oeq, %42, %cst_5 : f64
      linalg.yield %43 : i1
    } -> tensor<2x4x1x9xi1>
    %35 = tensor.empty() : tensor<2x4x1x1xi1>
    %36 = linalg.fill ins(%true : i1) outs(%35 : tensor<2x4x1x1xi1>) -> tensor<2x4x1x1xi1>
    %37 = linalg.generic {indexing_maps = [#map6, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%34 : tensor<2x4x1x9xi1>) outs(%36 : tensor<2x4x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %42 = arith.andi %in, %out : i1
      linalg.yield %42 : i1
    } -> tensor<2x4x1x1xi1>
    %38 = linalg.generic {indexing_maps = [#map12, #map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %cst_1, %32 : tensor<2x4x1x1xi1>, tensor<2x4x1x9xf32>, tensor<2x4x1x9xf32>) outs(%20 : tensor<2x4x1x9xf32>) {
    ^bb0(%in: i1, %in_16: f32, %in_17: f32, %out: f32):
      %42 = arith.select %in, %in_16, %in_17 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x1x9xf32>
    %collapsed_13 = tensor.collapse_shape %38 [[0, 1], [2], [3]] : tensor<2x4x1x9xf32> into tensor<8x1x9xf32>
    %collapsed_14 = tensor.collapse_shape %14 [[0, 1, 2], [3], [4]] : tensor<2x2x2x9x8xf32> into tensor<8x9x8xf32>
    %39 = tensor.empty() : tensor<8x1x8xf32>
    %40 = linalg.fill ins(%cst : f32) outs(%39 : tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
    %41 = linalg.batch_matmul ins(%collapsed_13, %collapsed_14 : tensor<8x1x9xf32>, tensor<8x9x8xf32>) outs(%40 : tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
    %expanded_15 = tensor.expand_shape %41 [[0, 1], [2], [3]] output_shape [2, 4, 1, 8] : tensor<8x1x8xf32> into tensor<2x4x1x8xf32>
    return %expanded_15, %5, %6 : tensor<2x4x1x8xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>
  }
}
