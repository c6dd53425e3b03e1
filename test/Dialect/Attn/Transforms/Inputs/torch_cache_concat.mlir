#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<()[s0] -> (s0 + 1)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @main(%arg0: tensor<1x4x1x8xf32>, %arg1: tensor<1x2x1x8xf32>, %arg2: tensor<1x2x1x8xf32>, %arg3: tensor<1x2x?x8xf32>, %arg4: tensor<1x2x?x8xf32>) -> (tensor<1x4x1x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0xFFF0000000000000 : f64
    %cst_3 = arith.constant 0.59460355750136051 : f64
    %dim = tensor.dim %arg4, %c2 : tensor<1x2x?x8xf32>
    %0 = arith.index_cast %dim : index to i64
    %concat = tensor.concat dim(2) %arg3, %arg1 : (tensor<1x2x?x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x?x8xf32>
    %concat_4 = tensor.concat dim(2) %arg4, %arg2 : (tensor<1x2x?x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x?x8xf32>
    %1 = arith.addi %0, %c1_i64 : i64
    %2 = tensor.empty() : tensor<1x4x1x8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x4x1x8xf32>) outs(%2 : tensor<1x4x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.truncf %cst_3 : f64 to f32
      %47 = arith.mulf %in, %46 : f32
      linalg.yield %47 : f32
    } -> tensor<1x4x1x8xf32>
    %dim_5 = tensor.dim %arg3, %c2 : tensor<1x2x?x8xf32>
    %4 = affine.apply #map1()[%dim_5]
    %expanded = tensor.expand_shape %concat [[0], [1], [2, 3], [4]] output_shape [1, 2, 1, %4, 8] : tensor<1x2x?x8xf32> into tensor<1x2x1x?x8xf32>
    %5 = arith.index_cast %1 : i64 to index
    %6 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %7 = tensor.empty(%5) : tensor<1x2x2x?x8xf32>
    %8 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%7 : tensor<1x2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 1 : index
      %47 = linalg.index 3 : index
      %48 = linalg.index 4 : index
      %49 = arith.cmpi eq, %4, %c1 : index
      %50 = arith.select %49, %c0, %47 : index
      %extracted = tensor.extract %expanded[%c0, %46, %c0, %50, %48] : tensor<1x2x1x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x2x2x?x8xf32>
    %collapsed = tensor.collapse_shape %8 [[0], [1, 2], [3], [4]] : tensor<1x2x2x?x8xf32> into tensor<1x4x?x8xf32>
    %9 = affine.apply #map1()[%dim]
    %expanded_6 = tensor.expand_shape %concat_4 [[0], [1], [2, 3], [4]] output_shape [1, 2, 1, %9, 8] : tensor<1x2x?x8xf32> into tensor<1x2x1x?x8xf32>
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %10 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%7 : tensor<1x2x2x?x8xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 1 : index
      %47 = linalg.index 3 : index
      %48 = linalg.index 4 : index
      %49 = arith.cmpi eq, %9, %c1 : index
      %50 = arith.select %49, %c0, %47 : index
      %extracted = tensor.extract %expanded_6[%c0, %46, %c0, %50, %48] : tensor<1x2x1x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x2x2x?x8xf32>
    %collapsed_7 = tensor.collapse_shape %10 [[0], [1, 2], [3], [4]] : tensor<1x2x2x?x8xf32> into tensor<1x4x?x8xf32>
    %11 = tensor.empty(%5) : tensor<1x4x8x?xf32>
    %transposed = linalg.transpose ins(%collapsed : tensor<1x4x?x8xf32>) outs(%11 : tensor<1x4x8x?xf32>) permutation = [0, 1, 3, 2] 
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x4x8x?xf32>) outs(%11 : tensor<1x4x8x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.truncf %cst_3 : f64 to f32
      %47 = arith.mulf %in, %46 : f32
      linalg.yield %47 : f32
    } -> tensor<1x4x8x?xf32>
    %collapsed_8 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<1x4x1x8xf32> into tensor<4x1x8xf32>
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %13 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%11 : tensor<1x4x8x?xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 1 : index
      %47 = linalg.index 2 : index
      %48 = linalg.index 3 : index
      %49 = arith.cmpi eq, %5, %c1 : index
      %50 = arith.select %49, %c0, %48 : index
      %extracted = tensor.extract %12[%c0, %46, %47, %50] : tensor<1x4x8x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x8x?xf32>
    %collapsed_9 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<1x4x8x?xf32> into tensor<4x8x?xf32>
    %14 = tensor.empty(%5) : tensor<4x1x?xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
    %16 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<4x1x8xf32>, tensor<4x8x?xf32>) outs(%15 : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
    %expanded_10 = tensor.expand_shape %16 [[0, 1], [2], [3]] output_shape [1, 4, 1, %5] : tensor<4x1x?xf32> into tensor<1x4x1x?xf32>
    %17 = tensor.empty() : tensor<1x4x1xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<1x4x1xi64>) -> tensor<1x4x1xi64>
    %19 = tensor.empty() : tensor<1x4x1xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
    %21:2 = linalg.generic {indexing_maps = [#map, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_10 : tensor<1x4x1x?xf32>) outs(%20, %18 : tensor<1x4x1xf32>, tensor<1x4x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %46 = linalg.index 3 : index
      %47 = arith.index_cast %46 : index to i64
      %48 = arith.maximumf %in, %out : f32
      %49 = arith.cmpf ogt, %in, %out : f32
      %50 = arith.select %49, %47, %out_15 : i64
      linalg.yield %48, %50 : f32, i64
    } -> (tensor<1x4x1xf32>, tensor<1x4x1xi64>)
    %expanded_11 = tensor.expand_shape %21#0 [[0], [1], [2, 3]] output_shape [1, 4, 1, 1] : tensor<1x4x1xf32> into tensor<1x4x1x1xf32>
    %22 = tensor.empty(%5) : tensor<1x4x1x?xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10, %expanded_11 : tensor<1x4x1x?xf32>, tensor<1x4x1x1xf32>) outs(%22 : tensor<1x4x1x?xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %46 = arith.subf %in, %in_15 : f32
      linalg.yield %46 : f32
    } -> tensor<1x4x1x?xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<1x4x1x?xf32>) outs(%22 : tensor<1x4x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = math.exp %in : f32
      linalg.yield %46 : f32
    } -> tensor<1x4x1x?xf32>
    %25 = tensor.empty() : tensor<1x4x1x1xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<1x4x1x?xf32>) outs(%26 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.addf %in, %out : f32
      linalg.yield %46 : f32
    } -> tensor<1x4x1x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<1x4x1x?xf32>, tensor<1x4x1x1xf32>) outs(%22 : tensor<1x4x1x?xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %46 = arith.divf %in, %in_15 : f32
      linalg.yield %46 : f32
    } -> tensor<1x4x1x?xf32>
    %29 = tensor.empty(%5) : tensor<1x4x1x?xi1>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<1x4x1x?xf32>) outs(%29 : tensor<1x4x1x?xi1>) {
    ^bb0(%in: f32, %out: i1):
      %46 = arith.extf %in : f32 to f64
      %47 = arith.cmpf oeq, %46, %cst_2 : f64
      linalg.yield %47 : i1
    } -> tensor<1x4x1x?xi1>
    %31 = tensor.empty() : tensor<1x4x1x1xi1>
    %32 = linalg.fill ins(%true : i1) outs(%31 : tensor<1x4x1x1xi1>) -> tensor<1x4x1x1xi1>
    %33 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<1x4x1x?xi1>) outs(%32 : tensor<1x4x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %46 = arith.andi %in, %out : i1
      linalg.yield %46 : i1
    } -> tensor<1x4x1x1xi1>
    %34 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %34, "negative values not allowed in new dimensions"
    %35 = arith.index_cast %1 : i64 to index
    %36 = tensor.empty(%35) : tensor<1x4x1x?xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%36 : tensor<1x4x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x1x?xf32>
    %38 = arith.cmpi eq, %35, %5 : index
    cf.assert %38, "mismatched size for broadcast"
    %39 = linalg.generic {indexing_maps = [#map4, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %37, %28 : tensor<1x4x1x1xi1>, tensor<1x4x1x?xf32>, tensor<1x4x1x?xf32>) outs(%36 : tensor<1x4x1x?xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %46 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %46 : f32
    } -> tensor<1x4x1x?xf32>
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %40 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%22 : tensor<1x4x1x?xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 1 : index
      %47 = linalg.index 3 : index
      %48 = arith.cmpi eq, %35, %c1 : index
      %49 = arith.select %48, %c0, %47 : index
      %extracted = tensor.extract %39[%c0, %46, %c0, %49] : tensor<1x4x1x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x1x?xf32>
    %collapsed_12 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<1x4x1x?xf32> into tensor<4x1x?xf32>
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %41 = tensor.empty(%5) : tensor<1x4x?x8xf32>
    %42 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%41 : tensor<1x4x?x8xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 1 : index
      %47 = linalg.index 2 : index
      %48 = linalg.index 3 : index
      %49 = arith.cmpi eq, %5, %c1 : index
      %50 = arith.select %49, %c0, %47 : index
      %extracted = tensor.extract %collapsed_7[%c0, %46, %50, %48] : tensor<1x4x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x?x8xf32>
    %collapsed_13 = tensor.collapse_shape %42 [[0, 1], [2], [3]] : tensor<1x4x?x8xf32> into tensor<4x?x8xf32>
    %43 = tensor.empty() : tensor<4x1x8xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %45 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<4x1x?xf32>, tensor<4x?x8xf32>) outs(%44 : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %expanded_14 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [1, 4, 1, 8] : tensor<4x1x8xf32> into tensor<1x4x1x8xf32>
    return %expanded_14, %concat, %concat_4 : tensor<1x4x1x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
  }
}
