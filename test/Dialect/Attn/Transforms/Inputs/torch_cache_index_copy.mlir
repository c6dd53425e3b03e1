#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0, d1) -> ()>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<1x4x1x8xf32>, %arg1: tensor<1x2x1x8xf32>, %arg2: tensor<1x2x1x8xf32>, %arg3: tensor<1x2x9x8xf32>, %arg4: tensor<1x2x9x8xf32>, %arg5: tensor<1xi64>) -> (tensor<1x4x1x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x4x1x9xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0.59460355750136051 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<8xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %51 = linalg.index 0 : index
      %52 = arith.index_cast %51 : index to i64
      linalg.yield %52 : i64
    } -> tensor<8xi64>
    %2 = tensor.empty() : tensor<2xi64>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %51 = linalg.index 0 : index
      %52 = arith.index_cast %51 : index to i64
      linalg.yield %52 : i64
    } -> tensor<2xi64>
    %4 = tensor.empty() : tensor<1xi64>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%4 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %6 = tensor.empty() : tensor<1x2x1x8xi64>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [1, 1] : tensor<1xi64> into tensor<1x1xi64>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1xi64>) outs(%6 : tensor<1x2x1x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<1x2x1x8xi64>
    %collapsed = tensor.collapse_shape %7 [[0, 1, 2, 3]] : tensor<1x2x1x8xi64> into tensor<16xi64>
    %expanded_6 = tensor.expand_shape %3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %8 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x1xi64>) outs(%6 : tensor<1x2x1x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<1x2x1x8xi64>
    %collapsed_7 = tensor.collapse_shape %8 [[0, 1, 2, 3]] : tensor<1x2x1x8xi64> into tensor<16xi64>
    %9 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5 : tensor<1xi64>) outs(%6 : tensor<1x2x1x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<1x2x1x8xi64>
    %collapsed_8 = tensor.collapse_shape %9 [[0, 1, 2, 3]] : tensor<1x2x1x8xi64> into tensor<16xi64>
    %10 = linalg.generic {indexing_maps = [#map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<8xi64>) outs(%6 : tensor<1x2x1x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<1x2x1x8xi64>
    %collapsed_9 = tensor.collapse_shape %10 [[0, 1, 2, 3]] : tensor<1x2x1x8xi64> into tensor<16xi64>
    %expanded_10 = tensor.expand_shape %collapsed [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %expanded_11 = tensor.expand_shape %collapsed_7 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %expanded_12 = tensor.expand_shape %collapsed_8 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %expanded_13 = tensor.expand_shape %collapsed_9 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %concat = tensor.concat dim(1) %expanded_10, %expanded_11, %expanded_12, %expanded_13 : (tensor<16x1xi64>, tensor<16x1xi64>, tensor<16x1xi64>, tensor<16x1xi64>) -> tensor<16x4xi64>
    %collapsed_14 = tensor.collapse_shape %arg1 [[0, 1, 2, 3]] : tensor<1x2x1x8xf32> into tensor<16xf32>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0, 1, 2, 3, 4]] output_shape [16, 1, 1, 1, 1] : tensor<16xf32> into tensor<16x1x1x1x1xf32>
    %11 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%expanded_15, %concat : tensor<16x1x1x1x1xf32>, tensor<16x4xi64>) outs(%arg3 : tensor<1x2x9x8xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      tm_tensor.yield %arg6 : f32
    } -> tensor<1x2x9x8xf32>
    %collapsed_16 = tensor.collapse_shape %arg2 [[0, 1, 2, 3]] : tensor<1x2x1x8xf32> into tensor<16xf32>
    %expanded_17 = tensor.expand_shape %collapsed_16 [[0, 1, 2, 3, 4]] output_shape [16, 1, 1, 1, 1] : tensor<16xf32> into tensor<16x1x1x1x1xf32>
    %12 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2, 3>} unique_indices(true) ins(%expanded_17, %concat : tensor<16x1x1x1x1xf32>, tensor<16x4xi64>) outs(%arg4 : tensor<1x2x9x8xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      tm_tensor.yield %arg6 : f32
    } -> tensor<1x2x9x8xf32>
    %13 = tensor.empty() : tensor<9xi64>
    %14 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%13 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %51 = linalg.index 0 : index
      %52 = arith.index_cast %51 : index to i64
      linalg.yield %52 : i64
    } -> tensor<9xi64>
    %expanded_18 = tensor.expand_shape %14 [[0, 1]] output_shape [1, 9] : tensor<9xi64> into tensor<1x9xi64>
    %expanded_19 = tensor.expand_shape %arg5 [[0, 1]] output_shape [1, 1] : tensor<1xi64> into tensor<1x1xi64>
    %15 = tensor.empty() : tensor<1x9xi1>
    %16 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_18, %expanded_19 : tensor<1x9xi64>, tensor<1x1xi64>) outs(%15 : tensor<1x9xi1>) {
    ^bb0(%in: i64, %in_28: i64, %out: i1):
      %51 = arith.cmpi sle, %in, %in_28 : i64
      linalg.yield %51 : i1
    } -> tensor<1x9xi1>
    %17 = tensor.empty() : tensor<1x9xf32>
    %18 = linalg.generic {indexing_maps = [#map6, #map8, #map8, #map6], iterator_types = ["parallel", "parallel"]} ins(%16, %cst_2, %cst_3 : tensor<1x9xi1>, tensor<f32>, tensor<f32>) outs(%17 : tensor<1x9xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %51 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x9xf32>
    %19 = tensor.empty() : tensor<1x4x1x8xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x4x1x8xf32>) outs(%19 : tensor<1x4x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.truncf %cst_4 : f64 to f32
      %52 = arith.mulf %in, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x8xf32>
    %21 = tensor.empty() : tensor<1x2x2x9x8xf32>
    %22 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x2x9x8xf32>) outs(%21 : tensor<1x2x2x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x9x8xf32>
    %collapsed_20 = tensor.collapse_shape %22 [[0], [1, 2], [3], [4]] : tensor<1x2x2x9x8xf32> into tensor<1x4x9x8xf32>
    %23 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x2x9x8xf32>) outs(%21 : tensor<1x2x2x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x9x8xf32>
    %24 = tensor.empty() : tensor<1x4x8x9xf32>
    %transposed = linalg.transpose ins(%collapsed_20 : tensor<1x4x9x8xf32>) outs(%24 : tensor<1x4x8x9xf32>) permutation = [0, 1, 3, 2] 
    %25 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x4x8x9xf32>) outs(%24 : tensor<1x4x8x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.truncf %cst_4 : f64 to f32
      %52 = arith.mulf %in, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x8x9xf32>
    %collapsed_21 = tensor.collapse_shape %20 [[0, 1], [2], [3]] : tensor<1x4x1x8xf32> into tensor<4x1x8xf32>
    %collapsed_22 = tensor.collapse_shape %25 [[0, 1], [2], [3]] : tensor<1x4x8x9xf32> into tensor<4x8x9xf32>
    %26 = tensor.empty() : tensor<4x1x9xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<4x1x9xf32>) -> tensor<4x1x9xf32>
    %28 = linalg.batch_matmul ins(%collapsed_21, %collapsed_22 : tensor<4x1x8xf32>, tensor<4x8x9xf32>) outs(%27 : tensor<4x1x9xf32>) -> tensor<4x1x9xf32>
    %expanded_23 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [1, 4, 1, 9] : tensor<4x1x9xf32> into tensor<1x4x1x9xf32>
    %29 = tensor.empty() : tensor<1x4x1x9xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map11, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_23, %18 : tensor<1x4x1x9xf32>, tensor<1x9xf32>) outs(%29 : tensor<1x4x1x9xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %51 = arith.addf %in, %in_28 : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x9xf32>
    %31 = tensor.empty() : tensor<1x4x1xi64>
    %32 = linalg.fill ins(%c0_i64 : i64) outs(%31 : tensor<1x4x1xi64>) -> tensor<1x4x1xi64>
    %33 = tensor.empty() : tensor<1x4x1xf32>
    %34 = linalg.fill ins(%cst_0 : f32) outs(%33 : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
    %35:2 = linalg.generic {indexing_maps = [#map2, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<1x4x1x9xf32>) outs(%34, %32 : tensor<1x4x1xf32>, tensor<1x4x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_28: i64):
      %51 = linalg.index 3 : index
      %52 = arith.index_cast %51 : index to i64
      %53 = arith.maximumf %in, %out : f32
      %54 = arith.cmpf ogt, %in, %out : f32
      %55 = arith.select %54, %52, %out_28 : i64
      linalg.yield %53, %55 : f32, i64
    } -> (tensor<1x4x1xf32>, tensor<1x4x1xi64>)
    %expanded_24 = tensor.expand_shape %35#0 [[0], [1], [2, 3]] output_shape [1, 4, 1, 1] : tensor<1x4x1xf32> into tensor<1x4x1x1xf32>
    %36 = linalg.generic {indexing_maps = [#map2, #map13, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %expanded_24 : tensor<1x4x1x9xf32>, tensor<1x4x1x1xf32>) outs(%29 : tensor<1x4x1x9xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %51 = arith.subf %in, %in_28 : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x9xf32>
    %37 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<1x4x1x9xf32>) outs(%29 : tensor<1x4x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.exp %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x9xf32>
    %38 = tensor.empty() : tensor<1x4x1x1xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#map2, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%37 : tensor<1x4x1x9xf32>) outs(%39 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %in, %out : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x1xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map13, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %40 : tensor<1x4x1x9xf32>, tensor<1x4x1x1xf32>) outs(%29 : tensor<1x4x1x9xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %51 = arith.divf %in, %in_28 : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x9xf32>
    %42 = tensor.empty() : tensor<1x4x1x9xi1>
    %43 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<1x4x1x9xf32>) outs(%42 : tensor<1x4x1x9xi1>) {
    ^bb0(%in: f32, %out: i1):
      %51 = arith.extf %in : f32 to f64
      %52 = arith.cmpf oeq, %51, %cst_5 : f64
      linalg.yield %52 : i1
    } -> tensor<1x4x1x9xi1>
    %44 = tensor.empty() : tensor<1x4x1x1xi1>
    %45 = linalg.fill ins(%true : i1) outs(%44 : tensor<1x4x1x1xi1>) -> tensor<1x4x1x1xi1>
    %46 = linalg.generic {indexing_maps = [#map2, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%43 : tensor<1x4x1x9xi1>) outs(%45 : tensor<1x4x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %51 = arith.andi %in, %out : i1
      linalg.yield %51 : i1
    } -> tensor<1x4x1x1xi1>
    %47 = linalg.generic {indexing_maps = [#map13, #map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %cst_1, %41 : tensor<1x4x1x1xi1>, tensor<1x4x1x9xf32>, tensor<1x4x1x9xf32>) outs(%29 : tensor<1x4x1x9xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %51 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x4x1x9xf32>
    %collapsed_25 = tensor.collapse_shape %47 [[0, 1], [2], [3]] : tensor<1x4x1x9xf32> into tensor<4x1x9xf32>
    %collapsed_26 = tensor.collapse_shape %23 [[0, 1, 2], [3], [4]] : tensor<1x2x2x9x8xf32> into tensor<4x9x8xf32>
    %48 = tensor.empty() : tensor<4x1x8xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %50 = linalg.batch_matmul ins(%collapsed_25, %collapsed_26 : tensor<4x1x9xf32>, tensor<4x9x8xf32>) outs(%49 : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %expanded_27 = tensor.expand_shape %50 [[0, 1], [2], [3]] output_shape [1, 4, 1, 8] : tensor<4x1x8xf32> into tensor<1x4x1x8xf32>
    return %expanded_27, %11, %12 : tensor<1x4x1x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>
  }
}
