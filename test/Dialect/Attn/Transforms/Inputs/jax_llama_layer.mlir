#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> ()>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0) -> (d0)>
#map10 = affine_map<(d0) -> ()>
#map11 = affine_map<(d0, d1) -> (d0)>
#map12 = affine_map<(d0, d1) -> (d0, d1)>
#map13 = affine_map<(d0, d1) -> (d1)>
#map14 = affine_map<(d0, d1) -> (d0, 0)>
#map15 = affine_map<(d0, d1) -> (0, d1)>
#map16 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map18 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map19 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map20 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map21 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map22 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map24 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map25 = affine_map<(d0, d1, d2, d3) -> ()>
#map26 = affine_map<(d0, d1) -> ()>
#map27 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map28 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map29 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map30 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map31 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map32 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map33 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
#map34 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map35 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
module @jax_llama_layer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x24x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32x16xf32>, %arg4: tensor<32x16xf32>, %arg5: tensor<32x32xf32>, %arg6: tensor<32xf32>, %arg7: tensor<32x80xf32>, %arg8: tensor<32x80xf32>, %arg9: tensor<80x32xf32>) -> (tensor<1x24x32xf32> {jax.result_info = "result"}) {
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_5 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = arith.constant dense<1.000000e+04> : tensor<f32>
    %cst_7 = arith.constant dense<1.600000e+01> : tensor<f32>
    %cst_8 = arith.constant dense<2.000000e+00> : tensor<f32>
    %cst_9 = arith.constant dense<9.99999997E-7> : tensor<f32>
    %cst_10 = arith.constant dense<3.200000e+01> : tensor<f32>
    %cst_11 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<1x24x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %2 = tensor.empty() : tensor<1x24xf32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<1x24xf32>) -> tensor<1x24xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<1x24x32xf32>) outs(%3 : tensor<1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = arith.addf %out, %in : f32
      linalg.yield %130 : f32
    } -> tensor<1x24xf32>
    %5 = tensor.empty() : tensor<1x24x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x24xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_10 : tensor<f32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %7 : tensor<1x24x1xf32>, tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.divf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_9 : tensor<f32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %9 : tensor<1x24x1xf32>, tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = math.rsqrt %in : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<1x24x1xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x32xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %12 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %14 = tensor.empty() : tensor<1x1x32xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<32xf32>) outs(%14 : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x32xf32>
    %16 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x1x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x32xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %16 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x24x32xf32>) -> tensor<1x24x32xf32>
    %19 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17, %arg2 : tensor<1x24x32xf32>, tensor<32x32xf32>) outs(%18 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x32xf32>
    %expanded = tensor.expand_shape %19 [[0], [1], [2, 3]] output_shape [1, 24, 2, 16] : tensor<1x24x32xf32> into tensor<1x24x2x16xf32>
    %20 = tensor.empty() : tensor<8xf32>
    %21 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel"]} outs(%20 : tensor<8xf32>) {
    ^bb0(%out: f32):
      %130 = linalg.index 0 : index
      %131 = arith.index_cast %130 : index to i32
      %132 = arith.sitofp %131 : i32 to f32
      linalg.yield %132 : f32
    } -> tensor<8xf32>
    %22 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel"]} ins(%cst_8 : tensor<f32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %23 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel"]} ins(%22, %21 : tensor<8xf32>, tensor<8xf32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<8xf32>
    %24 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel"]} ins(%cst_11 : tensor<f32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %25 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel"]} ins(%24, %23 : tensor<8xf32>, tensor<8xf32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<8xf32>
    %26 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel"]} ins(%cst_7 : tensor<f32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %27 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel"]} ins(%25, %26 : tensor<8xf32>, tensor<8xf32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.divf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<8xf32>
    %28 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel"]} ins(%cst_6 : tensor<f32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %29 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel"]} ins(%28, %27 : tensor<8xf32>, tensor<8xf32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = math.powf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<8xf32>
    %30 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel"]} ins(%cst_5 : tensor<f32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %31 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel"]} ins(%30, %29 : tensor<8xf32>, tensor<8xf32>) outs(%20 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.divf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<8xf32>
    %32 = tensor.empty() : tensor<24xf32>
    %33 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel"]} outs(%32 : tensor<24xf32>) {
    ^bb0(%out: f32):
      %130 = linalg.index 0 : index
      %131 = arith.index_cast %130 : index to i32
      %132 = arith.sitofp %131 : i32 to f32
      linalg.yield %132 : f32
    } -> tensor<24xf32>
    %34 = tensor.empty() : tensor<24x1xf32>
    %35 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<24xf32>) outs(%34 : tensor<24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x1xf32>
    %36 = tensor.empty() : tensor<1x8xf32>
    %37 = linalg.generic {indexing_maps = [#map13, #map12], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<8xf32>) outs(%36 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x8xf32>
    %38 = tensor.empty() : tensor<24x8xf32>
    %39 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<24x1xf32>) outs(%38 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x8xf32>
    %40 = linalg.generic {indexing_maps = [#map15, #map12], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<1x8xf32>) outs(%38 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x8xf32>
    %41 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%39, %40 : tensor<24x8xf32>, tensor<24x8xf32>) outs(%38 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<24x8xf32>
    %42 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<24x8xf32>) outs(%38 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = math.cos %in : f32
      linalg.yield %130 : f32
    } -> tensor<24x8xf32>
    %43 = tensor.empty() : tensor<24x1x8xf32>
    %44 = linalg.generic {indexing_maps = [#map16, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<24x8xf32>) outs(%43 : tensor<24x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x1x8xf32>
    %45 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<24x8xf32>) outs(%38 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = math.sin %in : f32
      linalg.yield %130 : f32
    } -> tensor<24x8xf32>
    %46 = linalg.generic {indexing_maps = [#map16, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<24x8xf32>) outs(%43 : tensor<24x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x1x8xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 0] [1, 24, 2, 8] [1, 1, 1, 1] : tensor<1x24x2x16xf32> to tensor<1x24x2x8xf32>
    %extracted_slice_12 = tensor.extract_slice %expanded[0, 0, 0, 8] [1, 24, 2, 8] [1, 1, 1, 1] : tensor<1x24x2x16xf32> to tensor<1x24x2x8xf32>
    %47 = tensor.empty() : tensor<1x24x1x8xf32>
    %48 = linalg.generic {indexing_maps = [#map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1x8xf32>
    %49 = tensor.empty() : tensor<1x24x2x8xf32>
    %50 = linalg.generic {indexing_maps = [#map19, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<1x24x1x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x2x8xf32>
    %51 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %50 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %52 = linalg.generic {indexing_maps = [#map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1x8xf32>
    %53 = linalg.generic {indexing_maps = [#map19, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<1x24x1x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x2x8xf32>
    %54 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_12, %53 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %55 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51, %54 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.subf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %56 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_12, %50 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %57 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %53 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %58 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %57 : tensor<1x24x2x8xf32>, tensor<1x24x2x8xf32>) outs(%49 : tensor<1x24x2x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x2x8xf32>
    %59 = tensor.empty() : tensor<1x24x2x16xf32>
    %60 = linalg.generic {indexing_maps = [#map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%59 : tensor<1x24x2x16xf32>) {
    ^bb0(%out: f32):
      %130 = linalg.index 1 : index
      %131 = linalg.index 2 : index
      %132 = linalg.index 3 : index
      %133 = arith.cmpi ult, %132, %c8 : index
      %134 = scf.if %133 -> (f32) {
        %extracted = tensor.extract %55[%c0, %130, %131, %132] : tensor<1x24x2x8xf32>
        scf.yield %extracted : f32
      } else {
        %135 = arith.subi %132, %c8 : index
        %extracted = tensor.extract %58[%c0, %130, %131, %135] : tensor<1x24x2x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %134 : f32
    } -> tensor<1x24x2x16xf32>
    %61 = tensor.empty() : tensor<1x24x16xf32>
    %62 = linalg.fill ins(%cst_0 : f32) outs(%61 : tensor<1x24x16xf32>) -> tensor<1x24x16xf32>
    %63 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17, %arg3 : tensor<1x24x32xf32>, tensor<32x16xf32>) outs(%62 : tensor<1x24x16xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x16xf32>
    %expanded_13 = tensor.expand_shape %63 [[0], [1], [2, 3]] output_shape [1, 24, 1, 16] : tensor<1x24x16xf32> into tensor<1x24x1x16xf32>
    %extracted_slice_14 = tensor.extract_slice %expanded_13[0, 0, 0, 0] [1, 24, 1, 8] [1, 1, 1, 1] : tensor<1x24x1x16xf32> to tensor<1x24x1x8xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded_13[0, 0, 0, 8] [1, 24, 1, 8] [1, 1, 1, 1] : tensor<1x24x1x16xf32> to tensor<1x24x1x8xf32>
    %64 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %48 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %65 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %52 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %66 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %65 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.subf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %67 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %48 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %68 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %52 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %69 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %68 : tensor<1x24x1x8xf32>, tensor<1x24x1x8xf32>) outs(%47 : tensor<1x24x1x8xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1x8xf32>
    %70 = tensor.empty() : tensor<1x24x1x16xf32>
    %71 = linalg.generic {indexing_maps = [#map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%70 : tensor<1x24x1x16xf32>) {
    ^bb0(%out: f32):
      %130 = linalg.index 1 : index
      %131 = linalg.index 3 : index
      %132 = arith.cmpi ult, %131, %c8 : index
      %133 = scf.if %132 -> (f32) {
        %extracted = tensor.extract %66[%c0, %130, %c0, %131] : tensor<1x24x1x8xf32>
        scf.yield %extracted : f32
      } else {
        %134 = arith.subi %131, %c8 : index
        %extracted = tensor.extract %69[%c0, %130, %c0, %134] : tensor<1x24x1x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %133 : f32
    } -> tensor<1x24x1x16xf32>
    %72 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17, %arg4 : tensor<1x24x32xf32>, tensor<32x16xf32>) outs(%62 : tensor<1x24x16xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x16xf32>
    %expanded_16 = tensor.expand_shape %72 [[0], [1], [2, 3]] output_shape [1, 24, 1, 16] : tensor<1x24x16xf32> into tensor<1x24x1x16xf32>
    %expanded_17 = tensor.expand_shape %60 [[0], [1], [2, 3], [4]] output_shape [1, 24, 1, 2, 16] : tensor<1x24x2x16xf32> into tensor<1x24x1x2x16xf32>
    %73 = tensor.empty() : tensor<1x1x24x2x24xf32>
    %74 = linalg.fill ins(%cst_0 : f32) outs(%73 : tensor<1x1x24x2x24xf32>) -> tensor<1x1x24x2x24xf32>
    %75 = linalg.generic {indexing_maps = [#map20, #map21, #map22], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_17, %71 : tensor<1x24x1x2x16xf32>, tensor<1x24x1x16xf32>) outs(%74 : tensor<1x1x24x2x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x1x24x2x24xf32>
    %76 = linalg.generic {indexing_maps = [#map23, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%73 : tensor<1x1x24x2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x24x2x24xf32>
    %77 = linalg.generic {indexing_maps = [#map24, #map24, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%75, %76 : tensor<1x1x24x2x24xf32>, tensor<1x1x24x2x24xf32>) outs(%73 : tensor<1x1x24x2x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x1x24x2x24xf32>
    %78 = tensor.empty() : tensor<1x1x24x24xi1>
    %79 = linalg.generic {indexing_maps = [#map25, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%78 : tensor<1x1x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x24x24xi1>
    %80 = tensor.empty() : tensor<24x24xi1>
    %81 = linalg.generic {indexing_maps = [#map26, #map12], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%80 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<24x24xi1>
    %82 = call @tril(%81) : (tensor<24x24xi1>) -> tensor<24x24xi1>
    %83 = linalg.generic {indexing_maps = [#map27, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<24x24xi1>) outs(%78 : tensor<1x1x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x24x24xi1>
    %84 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %83 : tensor<1x1x24x24xi1>, tensor<1x1x24x24xi1>) outs(%78 : tensor<1x1x24x24xi1>) {
    ^bb0(%in: i1, %in_18: i1, %out: i1):
      %130 = arith.andi %in, %in_18 : i1
      linalg.yield %130 : i1
    } -> tensor<1x1x24x24xi1>
    %85 = call @_where(%84, %77, %cst_2) : (tensor<1x1x24x24xi1>, tensor<1x1x24x2x24xf32>, tensor<f32>) -> tensor<2x1x1x24x24xf32>
    %86 = tensor.empty() : tensor<2x1x1x24xf32>
    %87 = linalg.fill ins(%cst : f32) outs(%86 : tensor<2x1x1x24xf32>) -> tensor<2x1x1x24xf32>
    %88 = linalg.generic {indexing_maps = [#map24, #map28], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%85 : tensor<2x1x1x24x24xf32>) outs(%87 : tensor<2x1x1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = arith.maximumf %out, %in : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24xf32>
    %89 = linalg.generic {indexing_maps = [#map25, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%86 : tensor<2x1x1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24xf32>
    %90 = linalg.generic {indexing_maps = [#map18, #map18, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89, %88 : tensor<2x1x1x24xf32>, tensor<2x1x1x24xf32>) outs(%86 : tensor<2x1x1x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.maximumf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24xf32>
    %91 = tensor.empty() : tensor<2x1x1x24x1xf32>
    %92 = linalg.generic {indexing_maps = [#map28, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%90 : tensor<2x1x1x24xf32>) outs(%91 : tensor<2x1x1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x1xf32>
    %93 = tensor.empty() : tensor<2x1x1x24x24xf32>
    %94 = linalg.generic {indexing_maps = [#map29, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%92 : tensor<2x1x1x24x1xf32>) outs(%93 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x24xf32>
    %95 = linalg.generic {indexing_maps = [#map24, #map24, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%85, %94 : tensor<2x1x1x24x24xf32>, tensor<2x1x1x24x24xf32>) outs(%93 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.subf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24x24xf32>
    %96 = linalg.generic {indexing_maps = [#map24, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%95 : tensor<2x1x1x24x24xf32>) outs(%93 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = math.exp %in : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24x24xf32>
    %97 = linalg.fill ins(%cst_0 : f32) outs(%86 : tensor<2x1x1x24xf32>) -> tensor<2x1x1x24xf32>
    %98 = linalg.generic {indexing_maps = [#map24, #map28], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%96 : tensor<2x1x1x24x24xf32>) outs(%97 : tensor<2x1x1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = arith.addf %out, %in : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24xf32>
    %99 = linalg.generic {indexing_maps = [#map28, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<2x1x1x24xf32>) outs(%91 : tensor<2x1x1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x1xf32>
    %100 = linalg.generic {indexing_maps = [#map29, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%99 : tensor<2x1x1x24x1xf32>) outs(%93 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x24xf32>
    %101 = linalg.generic {indexing_maps = [#map24, #map24, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%96, %100 : tensor<2x1x1x24x24xf32>, tensor<2x1x1x24x24xf32>) outs(%93 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.divf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<2x1x1x24x24xf32>
    %102 = tensor.empty() : tensor<1x1x16x2x24xf32>
    %103 = linalg.fill ins(%cst_0 : f32) outs(%102 : tensor<1x1x16x2x24xf32>) -> tensor<1x1x16x2x24xf32>
    %104 = linalg.generic {indexing_maps = [#map30, #map31, #map22], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_16, %101 : tensor<1x24x1x16xf32>, tensor<2x1x1x24x24xf32>) outs(%103 : tensor<1x1x16x2x24xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x1x16x2x24xf32>
    %105 = tensor.empty() : tensor<2x1x24x1x16xf32>
    %106 = linalg.generic {indexing_maps = [#map32, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%104 : tensor<1x1x16x2x24xf32>) outs(%105 : tensor<2x1x24x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x24x1x16xf32>
    %107 = tensor.empty() : tensor<1x24x1x2x16xf32>
    %108 = linalg.generic {indexing_maps = [#map33, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%106 : tensor<2x1x24x1x16xf32>) outs(%107 : tensor<1x24x1x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1x2x16xf32>
    %collapsed = tensor.collapse_shape %108 [[0], [1], [2, 3, 4]] : tensor<1x24x1x2x16xf32> into tensor<1x24x32xf32>
    %109 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %arg5 : tensor<1x24x32xf32>, tensor<32x32xf32>) outs(%18 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x32xf32>
    %110 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %109 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %111 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %110 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %112 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%111 : tensor<1x24x32xf32>) outs(%3 : tensor<1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = arith.addf %out, %in : f32
      linalg.yield %130 : f32
    } -> tensor<1x24xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112 : tensor<1x24xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x1xf32>
    %114 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %7 : tensor<1x24x1xf32>, tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.divf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %115 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %9 : tensor<1x24x1xf32>, tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %116 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<1x24x1xf32>) outs(%5 : tensor<1x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %130 = math.rsqrt %in : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x1xf32>
    %117 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<1x24x1xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x32xf32>
    %118 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %117 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %119 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg6 : tensor<32xf32>) outs(%14 : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x32xf32>
    %120 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119 : tensor<1x1x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x32xf32>
    %121 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %120 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    %122 = tensor.empty() : tensor<1x24x80xf32>
    %123 = linalg.fill ins(%cst_0 : f32) outs(%122 : tensor<1x24x80xf32>) -> tensor<1x24x80xf32>
    %124 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%121, %arg7 : tensor<1x24x32xf32>, tensor<32x80xf32>) outs(%123 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x80xf32>
    %125 = call @silu(%124) : (tensor<1x24x80xf32>) -> tensor<1x24x80xf32>
    %126 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%121, %arg8 : tensor<1x24x32xf32>, tensor<32x80xf32>) outs(%123 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x80xf32>
    %127 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125, %126 : tensor<1x24x80xf32>, tensor<1x24x80xf32>) outs(%122 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x80xf32>
    %128 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%127, %arg9 : tensor<1x24x80xf32>, tensor<80x32xf32>) outs(%18 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.mulf %in, %in_18 : f32
      %131 = arith.addf %out, %130 : f32
      linalg.yield %131 : f32
    } -> tensor<1x24x32xf32>
    %129 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %128 : tensor<1x24x32xf32>, tensor<1x24x32xf32>) outs(%0 : tensor<1x24x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %130 = arith.addf %in, %in_18 : f32
      linalg.yield %130 : f32
    } -> tensor<1x24x32xf32>
    return %129 : tensor<1x24x32xf32>
  }
  func.func private @tril(%arg0: tensor<24x24xi1>) -> tensor<24x24xi1> {
    %cst = arith.constant dense<false> : tensor<i1>
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<24x24xi32>
    %1 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<24x24xi32>) {
    ^bb0(%out: i32):
      %9 = linalg.index 0 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %10 : i32
    } -> tensor<24x24xi32>
    %2 = linalg.generic {indexing_maps = [#map26, #map12], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<i32>) outs(%0 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %3 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%0 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %9 = arith.addi %in, %in_1 : i32
      linalg.yield %9 : i32
    } -> tensor<24x24xi32>
    %4 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<24x24xi32>) {
    ^bb0(%out: i32):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %10 : i32
    } -> tensor<24x24xi32>
    %5 = tensor.empty() : tensor<24x24xi1>
    %6 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%5 : tensor<24x24xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %9 = arith.cmpi sge, %in, %in_1 : i32
      linalg.yield %9 : i1
    } -> tensor<24x24xi1>
    %7 = linalg.generic {indexing_maps = [#map26, #map12], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i1>) outs(%5 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<24x24xi1>
    %8 = linalg.generic {indexing_maps = [#map12, #map12, #map12, #map12], iterator_types = ["parallel", "parallel"]} ins(%6, %arg0, %7 : tensor<24x24xi1>, tensor<24x24xi1>, tensor<24x24xi1>) outs(%5 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %in_1: i1, %in_2: i1, %out: i1):
      %9 = arith.select %in, %in_1, %in_2 : i1
      linalg.yield %9 : i1
    } -> tensor<24x24xi1>
    return %8 : tensor<24x24xi1>
  }
  func.func private @_where(%arg0: tensor<1x1x24x24xi1>, %arg1: tensor<1x1x24x2x24xf32>, %arg2: tensor<f32>) -> tensor<2x1x1x24x24xf32> {
    %0 = tensor.empty() : tensor<1x1x24x24xf32>
    %1 = linalg.generic {indexing_maps = [#map25, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x24x24xf32>
    %2 = tensor.empty() : tensor<2x1x1x24x24xi1>
    %3 = linalg.generic {indexing_maps = [#map34, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x1x24x24xi1>) outs(%2 : tensor<2x1x1x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x24x24xi1>
    %4 = tensor.empty() : tensor<2x1x1x24x24xf32>
    %5 = linalg.generic {indexing_maps = [#map34, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x1x24x24xf32>) outs(%4 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x24xf32>
    %6 = linalg.generic {indexing_maps = [#map35, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x1x24x2x24xf32>) outs(%4 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x1x24x24xf32>
    %7 = linalg.generic {indexing_maps = [#map24, #map24, #map24, #map24], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%3, %6, %5 : tensor<2x1x1x24x24xi1>, tensor<2x1x1x24x24xf32>, tensor<2x1x1x24x24xf32>) outs(%4 : tensor<2x1x1x24x24xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %8 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %8 : f32
    } -> tensor<2x1x1x24x24xf32>
    return %7 : tensor<2x1x1x24x24xf32>
  }
  func.func private @silu(%arg0: tensor<1x24x80xf32>) -> tensor<1x24x80xf32> {
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<1x24x80xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x24x80xf32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.negf %in : f32
      linalg.yield %7 : f32
    } -> tensor<1x24x80xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x24x80xf32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.exp %in : f32
      linalg.yield %7 : f32
    } -> tensor<1x24x80xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x80xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %2 : tensor<1x24x80xf32>, tensor<1x24x80xf32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.addf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<1x24x80xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %4 : tensor<1x24x80xf32>, tensor<1x24x80xf32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.divf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<1x24x80xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %5 : tensor<1x24x80xf32>, tensor<1x24x80xf32>) outs(%0 : tensor<1x24x80xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.mulf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<1x24x80xf32>
    return %6 : tensor<1x24x80xf32>
  }
}

