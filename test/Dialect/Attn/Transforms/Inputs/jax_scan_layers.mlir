#map = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<() -> ()>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map10 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
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
#map22 = affine_map<(d0, d1) -> (d0, d1)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
module @jit_scan_layers {
  func.func public @main(%arg0: tensor<1x32xf32>, %arg1: tensor<3x32x96xf32>, %arg2: tensor<3x1x9x2x8xf32>, %arg3: tensor<3x1x9x2x8xf32>, %arg4: tensor<i32>) -> (tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c3_i32 = arith.constant 3 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<3x1x9x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<3x1x9x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x9x2x8xf32>
    %2:8 = scf.while (%arg5 = %arg1, %arg6 = %arg2, %arg7 = %arg3, %arg8 = %arg4, %arg9 = %cst, %arg10 = %arg0, %arg11 = %1, %arg12 = %1) : (tensor<3x32x96xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>, tensor<i32>, tensor<i32>, tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>) -> (tensor<3x32x96xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>, tensor<i32>, tensor<i32>, tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>) {
      %3 = tensor.empty() : tensor<i1>
      %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg9 : tensor<i32>) outs(%3 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %5 = arith.cmpi slt, %in, %c3_i32 : i32
        linalg.yield %5 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %4[] : tensor<i1>
      scf.condition(%extracted) %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12 : tensor<3x32x96xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>, tensor<i32>, tensor<i32>, tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>
    } do {
    ^bb0(%arg5: tensor<3x32x96xf32>, %arg6: tensor<3x1x9x2x8xf32>, %arg7: tensor<3x1x9x2x8xf32>, %arg8: tensor<i32>, %arg9: tensor<i32>, %arg10: tensor<1x32xf32>, %arg11: tensor<3x1x9x2x8xf32>, %arg12: tensor<3x1x9x2x8xf32>):
      %3 = func.call @dynamic_index_in_dim(%arg5, %arg9) : (tensor<3x32x96xf32>, tensor<i32>) -> tensor<32x96xf32>
      %4 = func.call @dynamic_index_in_dim_0(%arg6, %arg9) : (tensor<3x1x9x2x8xf32>, tensor<i32>) -> tensor<1x9x2x8xf32>
      %5 = func.call @dynamic_index_in_dim_0(%arg7, %arg9) : (tensor<3x1x9x2x8xf32>, tensor<i32>) -> tensor<1x9x2x8xf32>
      %6:3 = func.call @closed_call(%arg8, %arg10, %3, %4, %5) : (tensor<i32>, tensor<1x32xf32>, tensor<32x96xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>) -> (tensor<1x32xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>)
      %7 = func.call @dynamic_update_index_in_dim(%arg11, %6#1, %arg9) : (tensor<3x1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>) -> tensor<3x1x9x2x8xf32>
      %8 = func.call @dynamic_update_index_in_dim(%arg12, %6#2, %arg9) : (tensor<3x1x9x2x8xf32>, tensor<1x9x2x8xf32>, tensor<i32>) -> tensor<3x1x9x2x8xf32>
      %9 = tensor.empty() : tensor<i32>
      %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg9 : tensor<i32>) outs(%9 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %11 = arith.addi %in, %c1_i32 : i32
        linalg.yield %11 : i32
      } -> tensor<i32>
      scf.yield %arg5, %arg6, %arg7, %arg8, %10, %6#0, %7, %8 : tensor<3x32x96xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>, tensor<i32>, tensor<i32>, tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>
    }
    return %2#5, %2#6, %2#7 : tensor<1x32xf32>, tensor<3x1x9x2x8xf32>, tensor<3x1x9x2x8xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x32x96xf32>, %arg1: tensor<i32>) -> tensor<32x96xf32> {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c2 : index
    %extracted_slice = tensor.extract_slice %arg0[%2, 0, 0] [1, 32, 96] [1, 1, 1] : tensor<3x32x96xf32> to tensor<1x32x96xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x32x96xf32> into tensor<32x96xf32>
    return %collapsed : tensor<32x96xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<3x1x9x2x8xf32>, %arg1: tensor<i32>) -> tensor<1x9x2x8xf32> {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c2 : index
    %extracted_slice = tensor.extract_slice %arg0[%2, 0, 0, 0, 0] [1, 1, 9, 2, 8] [1, 1, 1, 1, 1] : tensor<3x1x9x2x8xf32> to tensor<1x1x9x2x8xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0], [1, 2], [3], [4]] : tensor<1x1x9x2x8xf32> into tensor<1x9x2x8xf32>
    return %collapsed : tensor<1x9x2x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<1x32xf32>, %arg2: tensor<32x96xf32>, %arg3: tensor<1x9x2x8xf32>, %arg4: tensor<1x9x2x8xf32>) -> (tensor<1x32xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant dense<0.353553385> : tensor<f32>
    %0 = tensor.empty() : tensor<1x96xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x96xf32>) -> tensor<1x96xf32>
    %2 = linalg.matmul ins(%arg1, %arg2 : tensor<1x32xf32>, tensor<32x96xf32>) outs(%1 : tensor<1x96xf32>) -> tensor<1x96xf32>
    %collapsed = tensor.collapse_shape %2 [[0, 1]] : tensor<1x96xf32> into tensor<96xf32>
    %expanded = tensor.expand_shape %collapsed [[0, 1, 2, 3, 4]] output_shape [3, 1, 1, 4, 8] : tensor<96xf32> into tensor<3x1x1x4x8xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 0, 0] [1, 1, 1, 4, 8] [1, 1, 1, 1, 1] : tensor<3x1x1x4x8xf32> to tensor<1x1x1x4x8xf32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice [[0], [1], [2, 3], [4]] : tensor<1x1x1x4x8xf32> into tensor<1x1x4x8xf32>
    %extracted_slice_6 = tensor.extract_slice %expanded[1, 0, 0, 0, 0] [1, 1, 1, 4, 8] [1, 1, 1, 1, 1] : tensor<3x1x1x4x8xf32> to tensor<1x1x1x4x8xf32>
    %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0], [1], [2, 3], [4]] : tensor<1x1x1x4x8xf32> into tensor<1x1x4x8xf32>
    %extracted_slice_8 = tensor.extract_slice %expanded[2, 0, 0, 0, 0] [1, 1, 1, 4, 8] [1, 1, 1, 1, 1] : tensor<3x1x1x4x8xf32> to tensor<1x1x1x4x8xf32>
    %collapsed_9 = tensor.collapse_shape %extracted_slice_8 [[0], [1], [2, 3], [4]] : tensor<1x1x1x4x8xf32> into tensor<1x1x4x8xf32>
    %extracted_slice_10 = tensor.extract_slice %collapsed_7[0, 0, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x4x8xf32> to tensor<1x1x2x8xf32>
    %3 = tensor.empty() : tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg0 : tensor<i32>) outs(%3 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %62 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %62 : i1
    } -> tensor<i1>
    %5 = tensor.empty() : tensor<i32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg0 : tensor<i32>) outs(%5 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %62 = arith.addi %in, %c9_i32 : i32
      linalg.yield %62 : i32
    } -> tensor<i32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = []} ins(%4, %6, %arg0 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%5 : tensor<i32>) {
    ^bb0(%in: i1, %in_15: i32, %in_16: i32, %out: i32):
      %62 = arith.select %in, %in_15, %in_16 : i32
      linalg.yield %62 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %7[] : tensor<i32>
    %8 = arith.index_cast %extracted : i32 to index
    %9 = arith.maxsi %8, %c0 : index
    %10 = arith.minsi %9, %c8 : index
    %inserted_slice = tensor.insert_slice %extracted_slice_10 into %arg3[0, %10, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %extracted_slice_11 = tensor.extract_slice %collapsed_9[0, 0, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x4x8xf32> to tensor<1x1x2x8xf32>
    %inserted_slice_12 = tensor.insert_slice %extracted_slice_11 into %arg4[0, %10, 0, 0] [1, 1, 2, 8] [1, 1, 1, 1] : tensor<1x1x2x8xf32> into tensor<1x9x2x8xf32>
    %11 = tensor.empty() : tensor<9xi32>
    %12 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%11 : tensor<9xi32>) {
    ^bb0(%out: i32):
      %62 = linalg.index 0 : index
      %63 = arith.index_cast %62 : index to i32
      linalg.yield %63 : i32
    } -> tensor<9xi32>
    %13 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel"]} ins(%arg0 : tensor<i32>) outs(%11 : tensor<9xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<9xi32>
    %14 = tensor.empty() : tensor<9xi1>
    %15 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%12, %13 : tensor<9xi32>, tensor<9xi32>) outs(%14 : tensor<9xi1>) {
    ^bb0(%in: i32, %in_15: i32, %out: i1):
      %62 = arith.cmpi sle, %in, %in_15 : i32
      linalg.yield %62 : i1
    } -> tensor<9xi1>
    %16 = tensor.empty() : tensor<1x1x1x9xi1>
    %17 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<9xi1>) outs(%16 : tensor<1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x9xi1>
    %expanded_13 = tensor.expand_shape %collapsed_5 [[0], [1], [2, 3], [4]] output_shape [1, 1, 2, 2, 8] : tensor<1x1x4x8xf32> into tensor<1x1x2x2x8xf32>
    %18 = tensor.empty() : tensor<1x1x1x1x9xi1>
    %19 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x1x1x9xi1>) outs(%18 : tensor<1x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x1x1x9xi1>
    %20 = tensor.empty() : tensor<1x1x2x1x9xi1>
    %21 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<1x1x1x1x9xi1>) outs(%20 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %22 = tensor.empty() : tensor<1x2x1x2x9xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<1x2x1x2x9xf32>) -> tensor<1x2x1x2x9xf32>
    %24 = linalg.generic {indexing_maps = [#map9, #map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_13, %inserted_slice : tensor<1x1x2x2x8xf32>, tensor<1x9x2x8xf32>) outs(%23 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.mulf %in, %in_15 : f32
      %63 = arith.addf %out, %62 : f32
      linalg.yield %63 : f32
    } -> tensor<1x2x1x2x9xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%22 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x9xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%24, %25 : tensor<1x2x1x2x9xf32>, tensor<1x2x1x2x9xf32>) outs(%22 : tensor<1x2x1x2x9xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.mulf %in, %in_15 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x1x2x9xf32>
    %27 = tensor.empty() : tensor<1x2x1x9xi1>
    %28 = linalg.generic {indexing_maps = [#map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%27 : tensor<1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x1x9xi1>
    %29 = linalg.generic {indexing_maps = [#map13, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<1x2x1x9xi1>) outs(%20 : tensor<1x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x1x9xi1>
    %30 = tensor.empty() : tensor<2x1x1x1x9xi1>
    %31 = linalg.generic {indexing_maps = [#map14, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<1x1x2x1x9xi1>) outs(%30 : tensor<2x1x1x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x1x9xi1>
    %32 = tensor.empty() : tensor<2x1x2x1x9xi1>
    %33 = linalg.generic {indexing_maps = [#map15, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x1x2x1x9xi1>) outs(%32 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %34 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x1x1x1x9xi1>) outs(%32 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x2x1x9xi1>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33, %34 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xi1>) outs(%32 : tensor<2x1x2x1x9xi1>) {
    ^bb0(%in: i1, %in_15: i1, %out: i1):
      %62 = arith.andi %in, %in_15 : i1
      linalg.yield %62 : i1
    } -> tensor<2x1x2x1x9xi1>
    %36 = call @_where(%35, %26, %cst_2) : (tensor<2x1x2x1x9xi1>, tensor<1x2x1x2x9xf32>, tensor<f32>) -> tensor<2x1x2x1x9xf32>
    %37 = tensor.empty() : tensor<2x1x2x1xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<2x1x2x1x9xf32>) outs(%38 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.maximumf %out, %in : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1xf32>
    %40 = linalg.generic {indexing_maps = [#map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%37 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %39 : tensor<2x1x2x1xf32>, tensor<2x1x2x1xf32>) outs(%37 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.maximumf %in, %in_15 : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1xf32>
    %42 = tensor.empty() : tensor<2x1x2x1x1xf32>
    %43 = linalg.generic {indexing_maps = [#map16, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x1x2x1xf32>) outs(%42 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %44 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %45 = linalg.generic {indexing_maps = [#map17, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<2x1x2x1x1xf32>) outs(%44 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36, %45 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%44 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.subf %in, %in_15 : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1x9xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x1x2x1x9xf32>) outs(%44 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.exp %in : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1x9xf32>
    %48 = linalg.fill ins(%cst_0 : f32) outs(%37 : tensor<2x1x2x1xf32>) -> tensor<2x1x2x1xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<2x1x2x1x9xf32>) outs(%48 : tensor<2x1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.addf %out, %in : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1xf32>
    %50 = linalg.generic {indexing_maps = [#map16, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<2x1x2x1xf32>) outs(%42 : tensor<2x1x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x1xf32>
    %51 = linalg.generic {indexing_maps = [#map17, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x1x2x1x1xf32>) outs(%44 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%47, %51 : tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%44 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.divf %in, %in_15 : f32
      linalg.yield %62 : f32
    } -> tensor<2x1x2x1x9xf32>
    %53 = tensor.empty() : tensor<1x2x8x2x1xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<1x2x8x2x1xf32>) -> tensor<1x2x8x2x1xf32>
    %55 = linalg.generic {indexing_maps = [#map18, #map19, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%inserted_slice_12, %52 : tensor<1x9x2x8xf32>, tensor<2x1x2x1x9xf32>) outs(%54 : tensor<1x2x8x2x1xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.mulf %in, %in_15 : f32
      %63 = arith.addf %out, %62 : f32
      linalg.yield %63 : f32
    } -> tensor<1x2x8x2x1xf32>
    %56 = tensor.empty() : tensor<2x1x1x2x8xf32>
    %57 = linalg.generic {indexing_maps = [#map20, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<1x2x8x2x1xf32>) outs(%56 : tensor<2x1x1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x2x8xf32>
    %58 = tensor.empty() : tensor<1x1x2x2x8xf32>
    %59 = linalg.generic {indexing_maps = [#map21, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<2x1x1x2x8xf32>) outs(%58 : tensor<1x1x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x2x8xf32>
    %collapsed_14 = tensor.collapse_shape %59 [[0], [1, 2, 3, 4]] : tensor<1x1x2x2x8xf32> into tensor<1x32xf32>
    %60 = tensor.empty() : tensor<1x32xf32>
    %61 = linalg.generic {indexing_maps = [#map22, #map22, #map22], iterator_types = ["parallel", "parallel"]} ins(%arg1, %collapsed_14 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%60 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %62 = arith.addf %in, %in_15 : f32
      linalg.yield %62 : f32
    } -> tensor<1x32xf32>
    return %61, %inserted_slice, %inserted_slice_12 : tensor<1x32xf32>, tensor<1x9x2x8xf32>, tensor<1x9x2x8xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x2x1x9xi1>, %arg1: tensor<1x2x1x2x9xf32>, %arg2: tensor<f32>) -> tensor<2x1x2x1x9xf32> {
    %0 = tensor.empty() : tensor<1x2x1x9xf32>
    %1 = linalg.generic {indexing_maps = [#map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x9xf32>
    %2 = tensor.empty() : tensor<2x1x2x1x9xf32>
    %3 = linalg.generic {indexing_maps = [#map13, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %4 = linalg.generic {indexing_maps = [#map23, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x2x1x2x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x2x1x9xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %4, %3 : tensor<2x1x2x1x9xi1>, tensor<2x1x2x1x9xf32>, tensor<2x1x2x1x9xf32>) outs(%2 : tensor<2x1x2x1x9xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x1x2x1x9xf32>
    return %5 : tensor<2x1x2x1x9xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x1x9x2x8xf32>, %arg1: tensor<1x9x2x8xf32>, %arg2: tensor<i32>) -> tensor<3x1x9x2x8xf32> {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x1x9x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map13, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x9x2x8xf32>) outs(%0 : tensor<1x1x9x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x9x2x8xf32>
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %2 = arith.index_cast %extracted : i32 to index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.minsi %3, %c2 : index
    %inserted_slice = tensor.insert_slice %1 into %arg0[%4, 0, 0, 0, 0] [1, 1, 9, 2, 8] [1, 1, 1, 1, 1] : tensor<1x1x9x2x8xf32> into tensor<3x1x9x2x8xf32>
    return %inserted_slice : tensor<3x1x9x2x8xf32>
  }
}

