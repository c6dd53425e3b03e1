#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3, d0)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit_jax_concat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x1x4x8xf32>, %arg1: tensor<1x1x2x8xf32>, %arg2: tensor<1x1x2x8xf32>, %arg3: tensor<1x9x2x8xf32>, %arg4: tensor<1x9x2x8xf32>) -> (tensor<1x1x4x8xf32> {jax.result_info = "result[0]"}, tensor<1x10x2x8xf32> {jax.result_info = "result[1]"}, tensor<1x10x2x8xf32> {jax.result_info = "result[2]"}) {
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<0.353553385> : tensor<f32>
    %0 = tensor.empty() : tensor<1x10x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<1x10x2x8xf32>) {
    ^bb0(%out: f32):
      %34 = linalg.index 2 : index
      %35 = linalg.index 3 : index
      %36 = linalg.index 1 : index
      %37 = arith.cmpi ult, %36, %c9 : index
      %38 = scf.if %37 -> (f32) {
        %extracted = tensor.extract %arg3[%c0, %36, %34, %35] : tensor<1x9x2x8xf32>
        scf.yield %extracted : f32
      } else {
        %39 = arith.subi %36, %c9 : index
        %extracted = tensor.extract %arg1[%c0, %39, %34, %35] : tensor<1x1x2x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %38 : f32
    } -> tensor<1x10x2x8xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<1x10x2x8xf32>) {
    ^bb0(%out: f32):
      %34 = linalg.index 2 : index
      %35 = linalg.index 3 : index
      %36 = linalg.index 1 : index
      %37 = arith.cmpi ult, %36, %c9 : index
      %38 = scf.if %37 -> (f32) {
        %extracted = tensor.extract %arg4[%c0, %36, %34, %35] : tensor<1x9x2x8xf32>
        scf.yield %extracted : f32
      } else {
        %39 = arith.subi %36, %c9 : index
        %extracted = tensor.extract %arg2[%c0, %39, %34, %35] : tensor<1x1x2x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %38 : f32
    } -> tensor<1x10x2x8xf32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3], [4]] output_shape [1, 1, 2, 2, 8] : tensor<1x1x4x8xf32> into tensor<1x1x2x2x8xf32>
    %3 = tensor.empty() : tensor<1x2x1x2x10xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<1x2x1x2x10xf32>) -> tensor<1x2x1x2x10xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %1 : tensor<1x1x2x2x8xf32>, tensor<1x10x2x8xf32>) outs(%4 : tensor<1x2x1x2x10xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      %35 = arith.addf %out, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<1x2x1x2x10xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%3 : tensor<1x2x1x2x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x10xf32>
    %7 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%5, %6 : tensor<1x2x1x2x10xf32>, tensor<1x2x1x2x10xf32>) outs(%3 : tensor<1x2x1x2x10xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<1x2x1x2x10xf32>
    %8 = tensor.empty() : tensor<1x2x1x2xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
    %10 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<1x2x1x2x10xf32>) outs(%9 : tensor<1x2x1x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.maximumf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<1x2x1x2xf32>
    %11 = linalg.generic {indexing_maps = [#map7, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%8 : tensor<1x2x1x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %10 : tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) outs(%8 : tensor<1x2x1x2xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.maximumf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<1x2x1x2xf32>
    %13 = tensor.empty() : tensor<2x1x2x1xf32>
    %14 = linalg.generic {indexing_maps = [#map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x2x1x2xf32>) outs(%13 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1xf32>
    %15 = tensor.empty() : tensor<2x1x2x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x1x2x1xf32>) outs(%15 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %17 = tensor.empty() : tensor<2x1x2x1x10xf32>
    %18 = linalg.generic {indexing_maps = [#map9, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<1x2x1x2x10xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x10xf32>
    %19 = linalg.generic {indexing_maps = [#map10, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x1x2x1x1xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x10xf32>
    %20 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18, %19 : tensor<2x1x2x1x10xf32>, tensor<2x1x2x1x10xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.subf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<2x1x2x1x10xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x1x2x1x10xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<2x1x2x1x10xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x1x2x1x10xf32>) outs(%22 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<2x1x2x1xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x1x2x1xf32>) outs(%15 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map10, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x1x2x1x1xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x10xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<2x1x2x1x10xf32>, tensor<2x1x2x1x10xf32>) outs(%17 : tensor<2x1x2x1x10xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.divf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<2x1x2x1x10xf32>
    %27 = tensor.empty() : tensor<1x2x8x2x1xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<1x2x8x2x1xf32>) -> tensor<1x2x8x2x1xf32>
    %29 = linalg.generic {indexing_maps = [#map11, #map12, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%2, %26 : tensor<1x10x2x8xf32>, tensor<2x1x2x1x10xf32>) outs(%28 : tensor<1x2x8x2x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      %35 = arith.addf %out, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<1x2x8x2x1xf32>
    %30 = tensor.empty() : tensor<2x1x1x2x8xf32>
    %31 = linalg.generic {indexing_maps = [#map13, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x2x8x2x1xf32>) outs(%30 : tensor<2x1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x2x8xf32>
    %32 = tensor.empty() : tensor<1x1x2x2x8xf32>
    %33 = linalg.generic {indexing_maps = [#map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x1x1x2x8xf32>) outs(%32 : tensor<1x1x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x2x8xf32>
    %collapsed = tensor.collapse_shape %33 [[0], [1], [2, 3], [4]] : tensor<1x1x2x2x8xf32> into tensor<1x1x4x8xf32>
    return %collapsed, %1, %2 : tensor<1x1x4x8xf32>, tensor<1x10x2x8xf32>, tensor<1x10x2x8xf32>
  }
}

