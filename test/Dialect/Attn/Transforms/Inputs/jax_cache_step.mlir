#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0) -> ()>
#map3 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map10 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map12 = affine_map<(d0, d1, d2, d3) -> ()>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (0, d1, d2, d3, d4)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map18 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map19 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map20 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map21 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x1x4x8xf32>, %arg1: tensor<1x1x2x8xf32>, %arg2: tensor<1x1x2x8xf32>, %arg3: tensor<1x9x2x8xf32> {tf.aliasing_output = 1 : i32}, %arg4: tensor<1x9x2x8xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<i32>) -> (tensor<1x1x4x8xf32> {jax.result_info = "result[0]"}, tensor<1x9x2x8xf32> {jax.result_info = "result[1]"}, tensor<1x9x2x8xf32> {jax.result_info = "result[2]"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant dense<0.353553385> : tensor<f32>
    %0 = tensor.empty() : tensor<i1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg5 : tensor<i32>) outs(%0 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %57 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %57 : i1
    } -> tensor<i1>
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg5 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %57 = arith.addi %in, %c9_i32 : i32
      linalg.yield %57 : i32
    } -> tensor<i32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = []} ins(%1, %3, %arg5 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i1, %in_6: i32, %in_7: i32, %out: i32):
      %57 = arith.select %in, %in_6, %in_7 : i32
      linalg.yield %57 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %4[] : tensor<i32>
    %5 = arith.index_cast %extracted : i32 to index
    %6 = arith.maxsi %5, %c0 : index
    %7 = arith.minsi %6, %c8 : index
    %inserted_slice = tensor.insert_slice %arg1 into %arg3[0, %7, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %inserted_slice_5 = tensor.insert_slice %arg2 into %arg4[0, %7, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %8 = tensor.empty() : tensor<9xi32>
    %9 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%8 : tensor<9xi32>) {
    ^bb0(%out: i32):
      %57 = linalg.index 0 : index
      %58 = arith.index_cast %57 : index to i32
      linalg.yield %58 : i32
    } -> tensor<9xi32>
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel"]} ins(%arg5 : tensor<i32>) outs(%8 : tensor<9xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<9xi32>
    %11 = tensor.empty() : tensor<9xi1>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%9, %10 : tensor<9xi32>, tensor<9xi32>) outs(%11 : tensor<9xi1>) {
    ^bb0(%in: i32, %in_6: i32, %out: i1):
      %57 = arith.cmpi sle, %in, %in_6 : i32
      linalg.yield %57 : i1
    } -> tensor<9xi1>
    %13 = tensor.empty() : tensor<1x1x1x9xi1>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<9xi1>) outs(%13 : tensor<1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x9xi1>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3], [4]] output_shape [1, 1, 2, 2, 8] : tensor<1x1x4x8xf32> into tensor<1x1x2x2x8xf32>
    %15 = tensor.empty() : tensor<1x1x1x1x9xi1>
    %16 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<1x1x1x9xi1>) outs(%15 : tensor<1x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x1x9xi1>
    %17 = tensor.empty() : tensor<1x1x2x1x9xi1>
    %18 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x1x1x1x9xi1>) outs(%17 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %19 = tensor.empty() : tensor<1x2x1x2x9xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<1x2x1x2x9xf32>) -> tensor<1x2x1x2x9xf32>
    %21 = linalg.generic {indexing_maps = [#map8, #map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %inserted_slice : tensor<1x1x2x2x8xf32>, tensor<1x9x2x8xf32>) outs(%20 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.mulf %in, %in_6 : f32
      %58 = arith.addf %out, %57 : f32
      linalg.yield %58 : f32
    } -> tensor<1x2x1x2x9xf32>
    %22 = linalg.generic {indexing_maps = [#map11, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%19 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x9xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21, %22 : tensor<1x2x1x2x9xf32>, tensor<1x2x1x2x9xf32>) outs(%19 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.mulf %in, %in_6 : f32
      linalg.yield %57 : f32
    } -> tensor<1x2x1x2x9xf32>
    %24 = tensor.empty() : tensor<1x2x1x9xi1>
    %25 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%24 : tensor<1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x1x9xi1>
    %26 = linalg.generic {indexing_maps = [#map13, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<1x2x1x9xi1>) outs(%17 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %27 = tensor.empty() : tensor<2x1x1x1x9xi1>
    %28 = linalg.generic {indexing_maps = [#map14, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x1x2x1x9xi1>) outs(%27 : tensor<2x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x1x9xi1>
    %29 = tensor.empty() : tensor<2x1x2x1x9xi1>
    %30 = linalg.generic {indexing_maps = [#map15, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<1x1x2x1x9xi1>) outs(%29 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %31 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x1x1x1x9xi1>) outs(%29 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %32 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%30, %31 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xi1>) outs(%29 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %in_6: i1, %out: i1):
      %57 = arith.andi %in, %in_6 : i1
      linalg.yield %57 : i1
    } -> tensor<2x1x2x1x9xi1>
    %33 = call @_where(%32, %23, %cst_2) : (tensor<2x1x2x1x9xi1>, tensor<1x2x1x2x9xf32>, tensor<f32>) -> tensor<2x1x2x1x9xf32>
    %34 = tensor.empty() : tensor<2x1x2x1xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %36 = linalg.generic {indexing_maps = [#map6, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x1x2x1x9xf32>) outs(%35 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.maximumf %out, %in : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1xf32>
    %37 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%34 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %36 : tensor<2x1x2x1xf32>, tensor<2x1x2x1xf32>) outs(%34 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.maximumf %in, %in_6 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1xf32>
    %39 = tensor.empty() : tensor<2x1x2x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#map16, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<2x1x2x1xf32>) outs(%39 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %41 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %42 = linalg.generic {indexing_maps = [#map17, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<2x1x2x1x1xf32>) outs(%41 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %43 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33, %42 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%41 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.subf %in, %in_6 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1x9xf32>
    %44 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<2x1x2x1x9xf32>) outs(%41 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = math.exp %in : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1x9xf32>
    %45 = linalg.fill ins(%cst_0 : f32) outs(%34 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%44 : tensor<2x1x2x1x9xf32>) outs(%45 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.addf %out, %in : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1xf32>
    %47 = linalg.generic {indexing_maps = [#map16, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x1x2x1xf32>) outs(%39 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %48 = linalg.generic {indexing_maps = [#map17, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<2x1x2x1x1xf32>) outs(%41 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %49 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%44, %48 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%41 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.divf %in, %in_6 : f32
      linalg.yield %57 : f32
    } -> tensor<2x1x2x1x9xf32>
    %50 = tensor.empty() : tensor<1x2x8x2x1xf32>
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<1x2x8x2x1xf32>) -> tensor<1x2x8x2x1xf32>
    %52 = linalg.generic {indexing_maps = [#map18, #map19, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%inserted_slice_5, %49 : tensor<1x9x2x8xf32>, tensor<2x1x2x1x9xf32>) outs(%51 : tensor<1x2x8x2x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %57 = arith.mulf %in, %in_6 : f32
      %58 = arith.addf %out, %57 : f32
      linalg.yield %58 : f32
    } -> tensor<1x2x8x2x1xf32>
    %53 = tensor.empty() : tensor<2x1x1x2x8xf32>
    %54 = linalg.generic {indexing_maps = [#map20, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<1x2x8x2x1xf32>) outs(%53 : tensor<2x1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x2x8xf32>
    %55 = tensor.empty() : tensor<1x1x2x2x8xf32>
    %56 = linalg.generic {indexing_maps = [#map21, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<2x1x1x2x8xf32>) outs(%55 : tensor<1x1x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x2x8xf32>
    %collapsed = tensor.collapse_shape %56 [[0], [1], [2, 3], [4]] : tensor<1x1x2x2x8xf32> into tensor<1x1x4x8xf32>
    return %collapsed, %inserted_slice, %inserted_slice_5 : tensor<1x1x4x8xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x2x1x9xi1>, %arg1: tensor<1x2x1x2x9xf32>, %arg2: tensor<f32>) -> tensor<2x1x2x1x9xf32> {
    %0 = tensor.empty() : tensor<1x2x1x9xf32>
    %1 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x9xf32>
    %2 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %3 = linalg.generic {indexing_maps = [#map13, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %4 = linalg.generic {indexing_maps = [#map22, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x2x1x2x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %5 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %4, %3 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x1x2x1x9xf32>
    return %5 : tensor<2x1x2x1x9xf32>
  }
}

