#map = affine_map<(d0, d1, d2, d3) -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<() -> ()>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (0, d1, d2, d3, d4)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map19 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map20 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map21 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map24 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
module @jit_scan_tokens attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x8xf32>, %arg1: tensor<1x2x8xf32>, %arg2: tensor<1x2x8xf32>, %arg3: tensor<1x9x2x8xf32>, %arg4: tensor<1x9x2x8xf32>, %arg5: tensor<i32>) -> (tensor<4x1x4x8xf32> {jax.result_info = "result[0]"}, tensor<1x9x2x8xf32> {jax.result_info = "result[1]"}, tensor<1x9x2x8xf32> {jax.result_info = "result[2]"}) {
    %c1_i32 = arith.constant 1 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<4x1x4x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<4x1x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1x4x8xf32>
    %2:8 = scf.while (%arg6 = %arg1, %arg7 = %arg2, %arg8 = %cst, %arg9 = %arg3, %arg10 = %arg4, %arg11 = %arg5, %arg12 = %arg0, %arg13 = %1) : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<4x1x4x8xf32>) -> (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<4x1x4x8xf32>) {
      %3 = tensor.empty() : tensor<i1>
      %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg8 : tensor<i32>) outs(%3 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %5 = arith.cmpi slt, %in, %c4_i32 : i32
        linalg.yield %5 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %4[] : tensor<i1>
      scf.condition(%extracted) %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13 : tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<4x1x4x8xf32>
    } do {
    ^bb0(%arg6: tensor<1x2x8xf32>, %arg7: tensor<1x2x8xf32>, %arg8: tensor<i32>, %arg9: tensor<1x9x2x8xf32>, %arg10: tensor<1x9x2x8xf32>, %arg11: tensor<i32>, %arg12: tensor<1x4x8xf32>, %arg13: tensor<4x1x4x8xf32>):
      %3:5 = func.call @closed_call(%arg6, %arg7, %arg9, %arg10, %arg11, %arg12) : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>) -> (tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>)
      %4 = func.call @dynamic_update_index_in_dim(%arg13, %3#4, %arg8) : (tensor<4x1x4x8xf32>, tensor<1x4x8xf32>, tensor<i32>) -> tensor<4x1x4x8xf32>
      %5 = tensor.empty() : tensor<i32>
      %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg8 : tensor<i32>) outs(%5 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %7 = arith.addi %in, %c1_i32 : i32
        linalg.yield %7 : i32
      } -> tensor<i32>
      scf.yield %arg6, %arg7, %6, %3#0, %3#1, %3#2, %3#3, %4 : tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<4x1x4x8xf32>
    }
    return %2#7, %2#3, %2#4 : tensor<4x1x4x8xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<1x2x8xf32>, %arg1: tensor<1x2x8xf32>, %arg2: tensor<1x9x2x8xf32>, %arg3: tensor<1x9x2x8xf32>, %arg4: tensor<i32>, %arg5: tensor<1x4x8xf32>) -> (tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
    %c1_i32 = arith.constant 1 : i32
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
    %0 = tensor.empty() : tensor<1x1x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x2x8xf32>) outs(%0 : tensor<1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x8xf32>
    %extracted_slice = tensor.extract_slice %arg5[0, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x2x8xf32>
    %2 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<1x2x8xf32>) outs(%0 : tensor<1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x8xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %2 : tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>) outs(%0 : tensor<1x1x2x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.addf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<1x1x2x8xf32>
    %4 = tensor.empty() : tensor<i1>
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%4 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %66 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %66 : i1
    } -> tensor<i1>
    %6 = tensor.empty() : tensor<i32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%6 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c9_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<i32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = []} ins(%5, %7, %arg4 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%6 : tensor<i32>) {
    ^bb0(%in: i1, %in_6: i32, %in_7: i32, %out: i32):
      %66 = arith.select %in, %in_6, %in_7 : i32
      linalg.yield %66 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %8[] : tensor<i32>
    %9 = arith.index_cast %extracted : i32 to index
    %10 = arith.maxsi %9, %c0 : index
    %11 = arith.minsi %10, %c8 : index
    %inserted_slice = tensor.insert_slice %3 into %arg2[0, %11, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x2x8xf32>) outs(%0 : tensor<1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x8xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %2 : tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>) outs(%0 : tensor<1x1x2x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.subf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<1x1x2x8xf32>
    %inserted_slice_5 = tensor.insert_slice %13 into %arg3[0, %11, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %14 = tensor.empty() : tensor<1x1x4x8xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5 : tensor<1x4x8xf32>) outs(%14 : tensor<1x1x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x4x8xf32>
    %16 = tensor.empty() : tensor<9xi32>
    %17 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%16 : tensor<9xi32>) {
    ^bb0(%out: i32):
      %66 = linalg.index 0 : index
      %67 = arith.index_cast %66 : index to i32
      linalg.yield %67 : i32
    } -> tensor<9xi32>
    %18 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel"]} ins(%arg4 : tensor<i32>) outs(%16 : tensor<9xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<9xi32>
    %19 = tensor.empty() : tensor<9xi1>
    %20 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%17, %18 : tensor<9xi32>, tensor<9xi32>) outs(%19 : tensor<9xi1>) {
    ^bb0(%in: i32, %in_6: i32, %out: i1):
      %66 = arith.cmpi sle, %in, %in_6 : i32
      linalg.yield %66 : i1
    } -> tensor<9xi1>
    %21 = tensor.empty() : tensor<1x1x1x9xi1>
    %22 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<9xi1>) outs(%21 : tensor<1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x9xi1>
    %expanded = tensor.expand_shape %15 [[0], [1], [2, 3], [4]] output_shape [1, 1, 2, 2, 8] : tensor<1x1x4x8xf32> into tensor<1x1x2x2x8xf32>
    %23 = tensor.empty() : tensor<1x1x1x1x9xi1>
    %24 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<1x1x1x9xi1>) outs(%23 : tensor<1x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x1x9xi1>
    %25 = tensor.empty() : tensor<1x1x2x1x9xi1>
    %26 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<1x1x1x1x9xi1>) outs(%25 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %27 = tensor.empty() : tensor<1x2x1x2x9xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<1x2x1x2x9xf32>) -> tensor<1x2x1x2x9xf32>
    %29 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %inserted_slice : tensor<1x1x2x2x8xf32>, tensor<1x9x2x8xf32>) outs(%28 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.mulf %in, %in_6 : f32
      %67 = arith.addf %out, %66 : f32
      linalg.yield %67 : f32
    } -> tensor<1x2x1x2x9xf32>
    %30 = linalg.generic {indexing_maps = [#map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%27 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x9xf32>
    %31 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29, %30 : tensor<1x2x1x2x9xf32>, tensor<1x2x1x2x9xf32>) outs(%27 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.mulf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<1x2x1x2x9xf32>
    %32 = tensor.empty() : tensor<1x2x1x9xi1>
    %33 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%32 : tensor<1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x1x9xi1>
    %34 = linalg.generic {indexing_maps = [#map14, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<1x2x1x9xi1>) outs(%25 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %35 = tensor.empty() : tensor<2x1x1x1x9xi1>
    %36 = linalg.generic {indexing_maps = [#map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<1x1x2x1x9xi1>) outs(%35 : tensor<2x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x1x9xi1>
    %37 = tensor.empty() : tensor<2x1x2x1x9xi1>
    %38 = linalg.generic {indexing_maps = [#map16, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<1x1x2x1x9xi1>) outs(%37 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %39 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x1x1x1x9xi1>) outs(%37 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %40 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38, %39 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xi1>) outs(%37 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %in_6: i1, %out: i1):
      %66 = arith.andi %in, %in_6 : i1
      linalg.yield %66 : i1
    } -> tensor<2x1x2x1x9xi1>
    %41 = call @_where(%40, %31, %cst_2) : (tensor<2x1x2x1x9xi1>, tensor<1x2x1x2x9xf32>, tensor<f32>) -> tensor<2x1x2x1x9xf32>
    %42 = tensor.empty() : tensor<2x1x2x1xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %44 = linalg.generic {indexing_maps = [#map8, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%41 : tensor<2x1x2x1x9xf32>) outs(%43 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.maximumf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%42 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %44 : tensor<2x1x2x1xf32>, tensor<2x1x2x1xf32>) outs(%42 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.maximumf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1xf32>
    %47 = tensor.empty() : tensor<2x1x2x1x1xf32>
    %48 = linalg.generic {indexing_maps = [#map17, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x1x2x1xf32>) outs(%47 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %49 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %50 = linalg.generic {indexing_maps = [#map18, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<2x1x2x1x1xf32>) outs(%49 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %51 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%41, %50 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%49 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.subf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1x9xf32>
    %52 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x1x2x1x9xf32>) outs(%49 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = math.exp %in : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1x9xf32>
    %53 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %54 = linalg.generic {indexing_maps = [#map8, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<2x1x2x1x9xf32>) outs(%53 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1xf32>
    %55 = linalg.generic {indexing_maps = [#map17, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<2x1x2x1xf32>) outs(%47 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %56 = linalg.generic {indexing_maps = [#map18, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<2x1x2x1x1xf32>) outs(%49 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %57 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%52, %56 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%49 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.divf %in, %in_6 : f32
      linalg.yield %66 : f32
    } -> tensor<2x1x2x1x9xf32>
    %58 = tensor.empty() : tensor<1x2x8x2x1xf32>
    %59 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<1x2x8x2x1xf32>) -> tensor<1x2x8x2x1xf32>
    %60 = linalg.generic {indexing_maps = [#map19, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%inserted_slice_5, %57 : tensor<1x9x2x8xf32>, tensor<2x1x2x1x9xf32>) outs(%59 : tensor<1x2x8x2x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %66 = arith.mulf %in, %in_6 : f32
      %67 = arith.addf %out, %66 : f32
      linalg.yield %67 : f32
    } -> tensor<1x2x8x2x1xf32>
    %61 = tensor.empty() : tensor<2x1x1x2x8xf32>
    %62 = linalg.generic {indexing_maps = [#map21, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<1x2x8x2x1xf32>) outs(%61 : tensor<2x1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x2x8xf32>
    %63 = tensor.empty() : tensor<1x1x2x2x8xf32>
    %64 = linalg.generic {indexing_maps = [#map22, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%62 : tensor<2x1x1x2x8xf32>) outs(%63 : tensor<1x1x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x2x8xf32>
    %collapsed = tensor.collapse_shape %64 [[0], [1, 2, 3], [4]] : tensor<1x1x2x2x8xf32> into tensor<1x4x8xf32>
    %65 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%6 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c1_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<i32>
    return %inserted_slice, %inserted_slice_5, %65, %collapsed, %collapsed : tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x2x1x9xi1>, %arg1: tensor<1x2x1x2x9xf32>, %arg2: tensor<f32>) -> tensor<2x1x2x1x9xf32> {
    %0 = tensor.empty() : tensor<1x2x1x9xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x9xf32>
    %2 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %3 = linalg.generic {indexing_maps = [#map14, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %4 = linalg.generic {indexing_maps = [#map23, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x2x1x2x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %5 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %4, %3 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x1x2x1x9xf32>
    return %5 : tensor<2x1x2x1x9xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x1x4x8xf32>, %arg1: tensor<1x4x8xf32>, %arg2: tensor<i32>) -> tensor<4x1x4x8xf32> {
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x1x4x8xf32>
    %1 = linalg.generic {indexing_maps = [#map24, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x4x8xf32>) outs(%0 : tensor<1x1x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x4x8xf32>
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %2 = arith.index_cast %extracted : i32 to index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.minsi %3, %c3 : index
    %inserted_slice = tensor.insert_slice %1 into %arg0[%4, 0, 0, 0] [1, 1, 4, 8] [1, 1, 1, 1] : tensor<1x1x4x8xf32> into tensor<4x1x4x8xf32>
    return %inserted_slice : tensor<4x1x4x8xf32>
  }
}

