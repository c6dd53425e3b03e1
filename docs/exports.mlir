#loc1 = loc("torch/nn/modules/normalization.py":228:0)
#loc2 = loc("model.py":46:0)
#loc3 = loc("model.py":58:0)
#loc4 = loc("model.py":71:0)
#loc5 = loc("model.py":33:0)
#loc6 = loc("torch/nn/modules/linear.py":134:0)
#loc8 = loc("model.py":32:0)
#loc10 = loc("model.py":35:0)
#loc11 = loc("model.py":47:0)
#loc12 = loc("model.py":59:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#loc13 = loc(callsite(#loc3 at #loc4))
#loc14 = loc(callsite(#loc12 at #loc4))
#loc15 = loc(callsite(#loc2 at #loc13))
#loc16 = loc(callsite(#loc11 at #loc13))
#loc17 = loc(callsite(#loc1 at #loc14))
#loc18 = loc(callsite(#loc1 at #loc15))
#loc19 = loc(callsite(#loc5 at #loc15))
#loc21 = loc(callsite(#loc8 at #loc15))
#loc23 = loc(callsite(#loc10 at #loc15))
#loc24 = loc(callsite(#loc1 at #loc16))
#loc25 = loc(callsite(#loc6 at #loc16))
#loc27 = loc(callsite(#loc6 at #loc23))
module {
  func.func @main(%arg0: tensor<1x4x8xf32> loc(callsite(#loc1 at #loc15)), %arg1: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg2: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg3: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg4: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg5: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg6: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg7: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg8: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg9: tensor<16x8xf32> loc(callsite(#loc1 at #loc15)), %arg10: tensor<8x16xf32> loc(callsite(#loc1 at #loc15)), %arg11: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg12: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg13: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg14: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg15: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg16: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg17: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg18: tensor<8x8xf32> loc(callsite(#loc1 at #loc15)), %arg19: tensor<16x8xf32> loc(callsite(#loc1 at #loc15)), %arg20: tensor<8x16xf32> loc(callsite(#loc1 at #loc15)), %arg21: tensor<8xf32> loc(callsite(#loc1 at #loc15)), %arg22: tensor<8xf32> loc(callsite(#loc1 at #loc15))) -> tensor<1x4x8xf32> {
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst_1 = arith.constant 0xFF800000 : f32 loc(#loc)
    %cst_2 = arith.constant 1.000000e-03 : f64 loc(#loc19)
    %cst_3 = arith.constant 1.000000e-05 : f64 loc(#loc18)
    %cst_4 = arith.constant 8.000000e+00 : f64 loc(#loc)
    %cst_5 = arith.constant 8.000000e+00 : f32 loc(#loc)
    %cst_6 = arith.constant 2.000000e+00 : f32 loc(#loc)
    %cst_7 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<1x4x8xf64> loc(#loc18)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x4x8xf32>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.extf %in : f32 to f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %2 = tensor.empty() : tensor<1x4x1xf64> loc(#loc18)
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<1x4x1xf64>) -> tensor<1x4x1xf64> loc(#loc18)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<1x4x8xf64>, tensor<1x4x1xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %in_59: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.subf %in, %in_59 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<1x4x8xf64>, tensor<1x4x8xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %in_59: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %10 = tensor.empty() : tensor<1x4x1xf32> loc(#loc18)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x4x1xf64>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.truncf %in : f64 to f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<1x4x1xf32>) -> tensor<1x4x1xf32> loc(#loc18)
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<1x4x8xf32>) outs(%12 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_5 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.truncf %cst_3 : f64 to f32 loc(#loc18)
      %141 = arith.addf %in, %140 : f32 loc(#loc18)
      linalg.yield %141 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = math.rsqrt %in : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %17 = tensor.empty() : tensor<1x4x8xf32> loc(#loc18)
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg1 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg2 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %22 = tensor.empty() : tensor<8x8xf32> loc(#loc26)
    %transposed = linalg.transpose ins(%arg5 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32> loc(#loc26)
    %23 = tensor.empty() : tensor<4x8xf32> loc(#loc26)
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded = tensor.expand_shape %25 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %26 = tensor.empty() : tensor<1x2x4x4xf32> loc(#loc20)
    %transposed_8 = linalg.transpose ins(%expanded : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc20)
    %transposed_9 = linalg.transpose ins(%arg6 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %27 = linalg.matmul ins(%collapsed, %transposed_9 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded_10 = tensor.expand_shape %27 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %transposed_11 = linalg.transpose ins(%arg7 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %28 = linalg.matmul ins(%collapsed, %transposed_11 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded_12 = tensor.expand_shape %28 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %transposed_13 = linalg.transpose ins(%expanded_12 : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc20)
    %transposed_14 = linalg.transpose ins(%expanded_10 : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 3, 1]  loc(#loc21)
    %collapsed_15 = tensor.collapse_shape %transposed_8 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc21)
    %collapsed_16 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc21)
    %29 = tensor.empty() : tensor<2x4x4xf32> loc(#loc21)
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc(#loc21)
    %31 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%30 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc(#loc21)
    %expanded_17 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [1, 2, 4, 4] : tensor<2x4x4xf32> into tensor<1x2x4x4xf32> loc(#loc21)
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.divf %in, %cst_6 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %33 = tensor.empty() : tensor<1x2x4xi64> loc(#loc21)
    %34 = linalg.fill ins(%c0_i64 : i64) outs(%33 : tensor<1x2x4xi64>) -> tensor<1x2x4xi64> loc(#loc21)
    %35 = tensor.empty() : tensor<1x2x4xf32> loc(#loc21)
    %36 = linalg.fill ins(%cst_1 : f32) outs(%35 : tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc(#loc21)
    %37:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<1x2x4x4xf32>) outs(%36, %34 : tensor<1x2x4xf32>, tensor<1x2x4xi64>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15)), %out_59: i64 loc(callsite(#loc8 at #loc15))):
      %140 = linalg.index 3 : index loc(#loc21)
      %141 = arith.index_cast %140 : index to i64 loc(#loc21)
      %142 = arith.maximumf %in, %out : f32 loc(#loc21)
      %143 = arith.cmpf ogt, %in, %out : f32 loc(#loc21)
      %144 = arith.select %143, %141, %out_59 : i64 loc(#loc21)
      linalg.yield %142, %144 : f32, i64 loc(#loc21)
    } -> (tensor<1x2x4xf32>, tensor<1x2x4xi64>) loc(#loc21)
    %expanded_18 = tensor.expand_shape %37#0 [[0], [1], [2, 3]] output_shape [1, 2, 4, 1] : tensor<1x2x4xf32> into tensor<1x2x4x1xf32> loc(#loc21)
    %38 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %expanded_18 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %in_59: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %39 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = math.exp %in : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %40 = tensor.empty() : tensor<1x2x4x1xf32> loc(#loc21)
    %41 = linalg.fill ins(%cst_0 : f32) outs(%40 : tensor<1x2x4x1xf32>) -> tensor<1x2x4x1xf32> loc(#loc21)
    %42 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%39 : tensor<1x2x4x4xf32>) outs(%41 : tensor<1x2x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.addf %in, %out : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x1xf32> loc(#loc21)
    %43 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %42 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %in_59: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.divf %in, %in_59 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %44 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc5 at #loc15))):
      %140 = arith.truncf %cst_2 : f64 to f32 loc(#loc19)
      %141 = arith.cmpf ult, %in, %140 : f32 loc(#loc19)
      %142 = arith.select %141, %140, %in : f32 loc(#loc19)
      %143 = arith.cmpf ugt, %142, %cst_7 : f32 loc(#loc19)
      %144 = arith.select %143, %cst_7, %142 : f32 loc(#loc19)
      linalg.yield %144 : f32 loc(#loc19)
    } -> tensor<1x2x4x4xf32> loc(#loc19)
    %collapsed_19 = tensor.collapse_shape %44 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc22)
    %collapsed_20 = tensor.collapse_shape %transposed_13 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc22)
    %45 = linalg.batch_matmul ins(%collapsed_19, %collapsed_20 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%30 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc(#loc22)
    %expanded_21 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [1, 2, 4, 4] : tensor<2x4x4xf32> into tensor<1x2x4x4xf32> loc(#loc22)
    %46 = tensor.empty() : tensor<1x4x2x4xf32> loc(#loc22)
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<1x2x4x4xf32>) outs(%46 : tensor<1x4x2x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc22)
    %transposed_23 = linalg.transpose ins(%arg8 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc27)
    %collapsed_24 = tensor.collapse_shape %transposed_22 [[0, 1], [2, 3]] : tensor<1x4x2x4xf32> into tensor<4x8xf32> loc(#loc27)
    %47 = linalg.matmul ins(%collapsed_24, %transposed_23 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc27)
    %expanded_25 = tensor.expand_shape %47 [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32> loc(#loc27)
    %48 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_25 : tensor<1x4x8xf32>, tensor<1x4x8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc6 at #loc23)), %out: f32 loc(callsite(#loc2 at #loc13))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc15)
      linalg.yield %140 : f32 loc(#loc15)
    } -> tensor<1x4x8xf32> loc(#loc15)
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48 : tensor<1x4x8xf32>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.extf %in : f32 to f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %50 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%49 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %51 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %52 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %51 : tensor<1x4x8xf64>, tensor<1x4x1xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %in_59: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.subf %in, %in_59 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %53 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %52 : tensor<1x4x8xf64>, tensor<1x4x8xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %in_59: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %54 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%53 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %55 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %56 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<1x4x1xf64>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.truncf %in : f64 to f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %57 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%48 : tensor<1x4x8xf32>) outs(%12 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_5 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.truncf %cst_3 : f64 to f32 loc(#loc24)
      %141 = arith.addf %in, %140 : f32 loc(#loc24)
      linalg.yield %141 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %60 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = math.rsqrt %in : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %61 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %58 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %62 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %60 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %63 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %arg3 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %64 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63, %arg4 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %65 = tensor.empty() : tensor<8x16xf32> loc(#loc25)
    %transposed_26 = linalg.transpose ins(%arg9 : tensor<16x8xf32>) outs(%65 : tensor<8x16xf32>) permutation = [1, 0]  loc(#loc25)
    %collapsed_27 = tensor.collapse_shape %64 [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32> loc(#loc25)
    %66 = tensor.empty() : tensor<4x16xf32> loc(#loc25)
    %67 = linalg.fill ins(%cst_0 : f32) outs(%66 : tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc25)
    %68 = linalg.matmul ins(%collapsed_27, %transposed_26 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%67 : tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc25)
    %expanded_28 = tensor.expand_shape %68 [[0, 1], [2]] output_shape [1, 4, 16] : tensor<4x16xf32> into tensor<1x4x16xf32> loc(#loc25)
    %69 = tensor.empty() : tensor<1x4x16xf32> loc(#loc16)
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_28 : tensor<1x4x16xf32>) outs(%69 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc6 at #loc16)), %out: f32 loc(callsite(#loc11 at #loc13))):
      %140 = arith.cmpf ugt, %in, %cst_0 : f32 loc(#loc16)
      %141 = arith.select %140, %in, %cst_0 : f32 loc(#loc16)
      linalg.yield %141 : f32 loc(#loc16)
    } -> tensor<1x4x16xf32> loc(#loc16)
    %71 = tensor.empty() : tensor<16x8xf32> loc(#loc25)
    %transposed_29 = linalg.transpose ins(%arg10 : tensor<8x16xf32>) outs(%71 : tensor<16x8xf32>) permutation = [1, 0]  loc(#loc25)
    %collapsed_30 = tensor.collapse_shape %70 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32> loc(#loc25)
    %72 = linalg.matmul ins(%collapsed_30, %transposed_29 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc25)
    %expanded_31 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32> loc(#loc25)
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %expanded_31 : tensor<1x4x8xf32>, tensor<1x4x8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %in_59: f32 loc(callsite(#loc6 at #loc16)), %out: f32 loc(callsite(#loc11 at #loc13))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc16)
      linalg.yield %140 : f32 loc(#loc16)
    } -> tensor<1x4x8xf32> loc(#loc16)
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<1x4x8xf32>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.extf %in : f32 to f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %75 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%74 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %76 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %77 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %76 : tensor<1x4x8xf64>, tensor<1x4x1xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %in_59: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.subf %in, %in_59 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %78 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %77 : tensor<1x4x8xf64>, tensor<1x4x8xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %in_59: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x8xf64> loc(#loc18)
    %79 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%78 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %80 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f64 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc18)
      linalg.yield %140 : f64 loc(#loc18)
    } -> tensor<1x4x1xf64> loc(#loc18)
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<1x4x1xf64>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.truncf %in : f64 to f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %82 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%73 : tensor<1x4x8xf32>) outs(%12 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %out : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.divf %in, %cst_5 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %84 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.truncf %cst_3 : f64 to f32 loc(#loc18)
      %141 = arith.addf %in, %140 : f32 loc(#loc18)
      linalg.yield %141 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %85 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = math.rsqrt %in : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x1xf32> loc(#loc18)
    %86 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %83 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %87 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %85 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %88 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %arg11 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %89 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %arg12 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc15)), %in_59: f32 loc(callsite(#loc1 at #loc15)), %out: f32 loc(callsite(#loc1 at #loc15))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc18)
      linalg.yield %140 : f32 loc(#loc18)
    } -> tensor<1x4x8xf32> loc(#loc18)
    %transposed_32 = linalg.transpose ins(%arg15 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %collapsed_33 = tensor.collapse_shape %89 [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32> loc(#loc26)
    %90 = linalg.matmul ins(%collapsed_33, %transposed_32 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded_34 = tensor.expand_shape %90 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %transposed_35 = linalg.transpose ins(%expanded_34 : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc20)
    %transposed_36 = linalg.transpose ins(%arg16 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %91 = linalg.matmul ins(%collapsed_33, %transposed_36 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded_37 = tensor.expand_shape %91 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %transposed_38 = linalg.transpose ins(%arg17 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc26)
    %92 = linalg.matmul ins(%collapsed_33, %transposed_38 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc26)
    %expanded_39 = tensor.expand_shape %92 [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32> loc(#loc20)
    %transposed_40 = linalg.transpose ins(%expanded_39 : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc20)
    %transposed_41 = linalg.transpose ins(%expanded_37 : tensor<1x4x2x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) permutation = [0, 2, 3, 1]  loc(#loc21)
    %collapsed_42 = tensor.collapse_shape %transposed_35 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc21)
    %collapsed_43 = tensor.collapse_shape %transposed_41 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc21)
    %93 = linalg.batch_matmul ins(%collapsed_42, %collapsed_43 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%30 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc(#loc21)
    %expanded_44 = tensor.expand_shape %93 [[0, 1], [2], [3]] output_shape [1, 2, 4, 4] : tensor<2x4x4xf32> into tensor<1x2x4x4xf32> loc(#loc21)
    %94 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_44 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.divf %in, %cst_6 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %95:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%94 : tensor<1x2x4x4xf32>) outs(%36, %34 : tensor<1x2x4xf32>, tensor<1x2x4xi64>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15)), %out_59: i64 loc(callsite(#loc8 at #loc15))):
      %140 = linalg.index 3 : index loc(#loc21)
      %141 = arith.index_cast %140 : index to i64 loc(#loc21)
      %142 = arith.maximumf %in, %out : f32 loc(#loc21)
      %143 = arith.cmpf ogt, %in, %out : f32 loc(#loc21)
      %144 = arith.select %143, %141, %out_59 : i64 loc(#loc21)
      linalg.yield %142, %144 : f32, i64 loc(#loc21)
    } -> (tensor<1x2x4xf32>, tensor<1x2x4xi64>) loc(#loc21)
    %expanded_45 = tensor.expand_shape %95#0 [[0], [1], [2, 3]] output_shape [1, 2, 4, 1] : tensor<1x2x4xf32> into tensor<1x2x4x1xf32> loc(#loc21)
    %96 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %expanded_45 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %in_59: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %97 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%96 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = math.exp %in : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %98 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%97 : tensor<1x2x4x4xf32>) outs(%41 : tensor<1x2x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.addf %in, %out : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x1xf32> loc(#loc21)
    %99 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%97, %98 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %in_59: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc8 at #loc15))):
      %140 = arith.divf %in, %in_59 : f32 loc(#loc21)
      linalg.yield %140 : f32 loc(#loc21)
    } -> tensor<1x2x4x4xf32> loc(#loc21)
    %100 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%99 : tensor<1x2x4x4xf32>) outs(%26 : tensor<1x2x4x4xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc8 at #loc15)), %out: f32 loc(callsite(#loc5 at #loc15))):
      %140 = arith.truncf %cst_2 : f64 to f32 loc(#loc19)
      %141 = arith.cmpf ult, %in, %140 : f32 loc(#loc19)
      %142 = arith.select %141, %140, %in : f32 loc(#loc19)
      %143 = arith.cmpf ugt, %142, %cst_7 : f32 loc(#loc19)
      %144 = arith.select %143, %cst_7, %142 : f32 loc(#loc19)
      linalg.yield %144 : f32 loc(#loc19)
    } -> tensor<1x2x4x4xf32> loc(#loc19)
    %collapsed_46 = tensor.collapse_shape %100 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc22)
    %collapsed_47 = tensor.collapse_shape %transposed_40 [[0, 1], [2], [3]] : tensor<1x2x4x4xf32> into tensor<2x4x4xf32> loc(#loc22)
    %101 = linalg.batch_matmul ins(%collapsed_46, %collapsed_47 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%30 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc(#loc22)
    %expanded_48 = tensor.expand_shape %101 [[0, 1], [2], [3]] output_shape [1, 2, 4, 4] : tensor<2x4x4xf32> into tensor<1x2x4x4xf32> loc(#loc22)
    %transposed_49 = linalg.transpose ins(%expanded_48 : tensor<1x2x4x4xf32>) outs(%46 : tensor<1x4x2x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc22)
    %transposed_50 = linalg.transpose ins(%arg18 : tensor<8x8xf32>) outs(%22 : tensor<8x8xf32>) permutation = [1, 0]  loc(#loc27)
    %collapsed_51 = tensor.collapse_shape %transposed_49 [[0, 1], [2, 3]] : tensor<1x4x2x4xf32> into tensor<4x8xf32> loc(#loc27)
    %102 = linalg.matmul ins(%collapsed_51, %transposed_50 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc27)
    %expanded_52 = tensor.expand_shape %102 [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32> loc(#loc27)
    %103 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %expanded_52 : tensor<1x4x8xf32>, tensor<1x4x8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %in_59: f32 loc(callsite(#loc6 at #loc23)), %out: f32 loc(callsite(#loc2 at #loc13))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc15)
      linalg.yield %140 : f32 loc(#loc15)
    } -> tensor<1x4x8xf32> loc(#loc15)
    %104 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<1x4x8xf32>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.extf %in : f32 to f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %105 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%104 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %106 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %107 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %106 : tensor<1x4x8xf64>, tensor<1x4x1xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %in_59: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.subf %in, %in_59 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %108 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %107 : tensor<1x4x8xf64>, tensor<1x4x8xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %in_59: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x8xf64> loc(#loc24)
    %109 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%108 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %110 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f64 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc24)
      linalg.yield %140 : f64 loc(#loc24)
    } -> tensor<1x4x1xf64> loc(#loc24)
    %111 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110 : tensor<1x4x1xf64>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.truncf %in : f64 to f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %112 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%103 : tensor<1x4x8xf32>) outs(%12 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %out : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %113 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.divf %in, %cst_5 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %114 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.truncf %cst_3 : f64 to f32 loc(#loc24)
      %141 = arith.addf %in, %140 : f32 loc(#loc24)
      linalg.yield %141 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %115 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = math.rsqrt %in : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x1xf32> loc(#loc24)
    %116 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %113 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %117 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %115 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %118 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %arg13 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %119 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %arg14 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc16)), %in_59: f32 loc(callsite(#loc1 at #loc16)), %out: f32 loc(callsite(#loc1 at #loc16))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc24)
      linalg.yield %140 : f32 loc(#loc24)
    } -> tensor<1x4x8xf32> loc(#loc24)
    %transposed_53 = linalg.transpose ins(%arg19 : tensor<16x8xf32>) outs(%65 : tensor<8x16xf32>) permutation = [1, 0]  loc(#loc25)
    %collapsed_54 = tensor.collapse_shape %119 [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32> loc(#loc25)
    %120 = linalg.matmul ins(%collapsed_54, %transposed_53 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%67 : tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc25)
    %expanded_55 = tensor.expand_shape %120 [[0, 1], [2]] output_shape [1, 4, 16] : tensor<4x16xf32> into tensor<1x4x16xf32> loc(#loc25)
    %121 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_55 : tensor<1x4x16xf32>) outs(%69 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc6 at #loc16)), %out: f32 loc(callsite(#loc11 at #loc13))):
      %140 = arith.cmpf ugt, %in, %cst_0 : f32 loc(#loc16)
      %141 = arith.select %140, %in, %cst_0 : f32 loc(#loc16)
      linalg.yield %141 : f32 loc(#loc16)
    } -> tensor<1x4x16xf32> loc(#loc16)
    %transposed_56 = linalg.transpose ins(%arg20 : tensor<8x16xf32>) outs(%71 : tensor<16x8xf32>) permutation = [1, 0]  loc(#loc25)
    %collapsed_57 = tensor.collapse_shape %121 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32> loc(#loc25)
    %122 = linalg.matmul ins(%collapsed_57, %transposed_56 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%24 : tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc25)
    %expanded_58 = tensor.expand_shape %122 [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32> loc(#loc25)
    %123 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %expanded_58 : tensor<1x4x8xf32>, tensor<1x4x8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc2 at #loc13)), %in_59: f32 loc(callsite(#loc6 at #loc16)), %out: f32 loc(callsite(#loc11 at #loc13))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc16)
      linalg.yield %140 : f32 loc(#loc16)
    } -> tensor<1x4x8xf32> loc(#loc16)
    %124 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123 : tensor<1x4x8xf32>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.extf %in : f32 to f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x8xf64> loc(#loc17)
    %125 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%124 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.addf %in, %out : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x1xf64> loc(#loc17)
    %126 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x1xf64> loc(#loc17)
    %127 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124, %126 : tensor<1x4x8xf64>, tensor<1x4x1xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %in_59: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.subf %in, %in_59 : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x8xf64> loc(#loc17)
    %128 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %127 : tensor<1x4x8xf64>, tensor<1x4x8xf64>) outs(%0 : tensor<1x4x8xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %in_59: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.mulf %in, %in_59 : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x8xf64> loc(#loc17)
    %129 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%128 : tensor<1x4x8xf64>) outs(%3 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.addf %in, %out : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x1xf64> loc(#loc17)
    %130 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129 : tensor<1x4x1xf64>) outs(%2 : tensor<1x4x1xf64>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %out: f64 loc(callsite(#loc1 at #loc14))):
      %140 = arith.divf %in, %cst_4 : f64 loc(#loc17)
      linalg.yield %140 : f64 loc(#loc17)
    } -> tensor<1x4x1xf64> loc(#loc17)
    %131 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130 : tensor<1x4x1xf64>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f64 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.truncf %in : f64 to f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x1xf32> loc(#loc17)
    %132 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%123 : tensor<1x4x8xf32>) outs(%12 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.addf %in, %out : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x1xf32> loc(#loc17)
    %133 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.divf %in, %cst_5 : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x1xf32> loc(#loc17)
    %134 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.truncf %cst_3 : f64 to f32 loc(#loc17)
      %141 = arith.addf %in, %140 : f32 loc(#loc17)
      linalg.yield %141 : f32 loc(#loc17)
    } -> tensor<1x4x1xf32> loc(#loc17)
    %135 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<1x4x1xf32>) outs(%10 : tensor<1x4x1xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = math.rsqrt %in : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x1xf32> loc(#loc17)
    %136 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123, %133 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc11 at #loc13)), %in_59: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.subf %in, %in_59 : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x8xf32> loc(#loc17)
    %137 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %135 : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %in_59: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x8xf32> loc(#loc17)
    %138 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %arg21 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %in_59: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.mulf %in, %in_59 : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x8xf32> loc(#loc17)
    %139 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138, %arg22 : tensor<1x4x8xf32>, tensor<8xf32>) outs(%17 : tensor<1x4x8xf32>) {
    ^bb0(%in: f32 loc(callsite(#loc1 at #loc14)), %in_59: f32 loc(callsite(#loc1 at #loc14)), %out: f32 loc(callsite(#loc1 at #loc14))):
      %140 = arith.addf %in, %in_59 : f32 loc(#loc17)
      linalg.yield %140 : f32 loc(#loc17)
    } -> tensor<1x4x8xf32> loc(#loc17)
    return %139 : tensor<1x4x8xf32> loc(#loc17)
  } loc(#loc18)
} loc(#loc)
#loc = loc(unknown)
#loc7 = loc("model.py":31:0)
#loc9 = loc("model.py":34:0)
#loc20 = loc(callsite(#loc7 at #loc15))
#loc22 = loc(callsite(#loc9 at #loc15))
#loc26 = loc(callsite(#loc6 at #loc20))
