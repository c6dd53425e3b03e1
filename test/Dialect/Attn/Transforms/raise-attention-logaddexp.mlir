// softmax1 as JAX has it: exp(s - logaddexp(logsumexp(s), 0)), whose parts ask whether numbers are finite, and are numbers.
// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=logaddexp --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=difference --check | FileCheck %s --check-prefix=SAME

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> ()>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>

// CHECK-LABEL: @logaddexp
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
// MATCH: match
// MATCH: [attn-r101] raised to attn.attention
  func.func @logaddexp(%arg0: tensor<2x4x48x64xf32>, %arg1: tensor<2x4x48x64xf32>, %arg2: tensor<2x4x48x64xf32>) -> tensor<2x4x48x64xf32> {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<1.250000e-01> : tensor<f32>
    %0 = tensor.empty() : tensor<2x4x48x48xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x4x48x48xf32>) -> tensor<2x4x48x48xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x4x48x64xf32>, tensor<2x4x48x64xf32>) outs(%1 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      %42 = arith.addf %out, %41 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %5 = tensor.empty() : tensor<2x4x48xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x4x48x48xf32>) outs(%6 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.maximumf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %8 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%5 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48xf32>
    %9 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %7 : tensor<2x4x48xf32>, tensor<2x4x48xf32>) outs(%5 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.maximumf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %10 = tensor.empty() : tensor<2x4x48x1xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x48xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %12 = tensor.empty() : tensor<2x4x48x1xi1>
    %13 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x4x48x1xf32>) outs(%12 : tensor<2x4x48x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %41 = math.absf %in : f32
      %42 = arith.cmpf one, %41, %cst : f32
      linalg.yield %42 : i1
    } -> tensor<2x4x48x1xi1>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %11, %14 : tensor<2x4x48x1xi1>, tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %41 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %16 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x4x48x1xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %16 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %19 = linalg.fill ins(%cst_1 : f32) outs(%5 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x48x48xf32>) outs(%19 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x48xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %22 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.absf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %15 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.addf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.maximumf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %26 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%12 : tensor<2x4x48x1xi1>) {
    ^bb0(%in: f32, %in_5: f32, %out: i1):
      %41 = arith.cmpf une, %in, %in_5 : f32
      linalg.yield %41 : i1
    } -> tensor<2x4x48x1xi1>
    %28 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.addf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.absf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.negf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log1p %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %32 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.addf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %28, %33 : tensor<2x4x48x1xi1>, tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %41 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %35 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x4x48x1xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %35 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %38 = tensor.empty() : tensor<2x4x48x64xf32>
    %39 = linalg.fill ins(%cst_1 : f32) outs(%38 : tensor<2x4x48x64xf32>) -> tensor<2x4x48x64xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%37, %arg2 : tensor<2x4x48x48xf32>, tensor<2x4x48x64xf32>) outs(%39 : tensor<2x4x48x64xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      %42 = arith.addf %out, %41 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x64xf32>
    return %40 : tensor<2x4x48x64xf32>
  }

// The maximum minus log(1 + exp(-|d|)) is no logarithm of a sum.
// CHECK-LABEL: @difference
// CHECK-NOT: attn.attention
// SAME: match
  func.func @difference(%arg0: tensor<2x4x48x64xf32>, %arg1: tensor<2x4x48x64xf32>, %arg2: tensor<2x4x48x64xf32>) -> tensor<2x4x48x64xf32> {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<1.250000e-01> : tensor<f32>
    %0 = tensor.empty() : tensor<2x4x48x48xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x4x48x48xf32>) -> tensor<2x4x48x48xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x4x48x64xf32>, tensor<2x4x48x64xf32>) outs(%1 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      %42 = arith.addf %out, %41 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %5 = tensor.empty() : tensor<2x4x48xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x4x48x48xf32>) outs(%6 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.maximumf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %8 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%5 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48xf32>
    %9 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %7 : tensor<2x4x48xf32>, tensor<2x4x48xf32>) outs(%5 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.maximumf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %10 = tensor.empty() : tensor<2x4x48x1xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x48xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %12 = tensor.empty() : tensor<2x4x48x1xi1>
    %13 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x4x48x1xf32>) outs(%12 : tensor<2x4x48x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %41 = math.absf %in : f32
      %42 = arith.cmpf one, %41, %cst : f32
      linalg.yield %42 : i1
    } -> tensor<2x4x48x1xi1>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %11, %14 : tensor<2x4x48x1xi1>, tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %41 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %16 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x4x48x1xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %16 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %19 = linalg.fill ins(%cst_1 : f32) outs(%5 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x48x48xf32>) outs(%19 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x48xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x1xf32>
    %22 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.absf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %15 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.addf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.maximumf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %26 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%12 : tensor<2x4x48x1xi1>) {
    ^bb0(%in: f32, %in_5: f32, %out: i1):
      %41 = arith.cmpf une, %in, %in_5 : f32
      linalg.yield %41 : i1
    } -> tensor<2x4x48x1xi1>
    %28 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %14 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.addf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.absf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.negf %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log1p %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %32 : tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %28, %33 : tensor<2x4x48x1xi1>, tensor<2x4x48x1xf32>, tensor<2x4x48x1xf32>) outs(%10 : tensor<2x4x48x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %41 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x1xf32>
    %35 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x4x48x1xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %35 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.subf %in, %in_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x4x48x48xf32>) outs(%0 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x48x48xf32>
    %38 = tensor.empty() : tensor<2x4x48x64xf32>
    %39 = linalg.fill ins(%cst_1 : f32) outs(%38 : tensor<2x4x48x64xf32>) -> tensor<2x4x48x64xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%37, %arg2 : tensor<2x4x48x48xf32>, tensor<2x4x48x64xf32>) outs(%39 : tensor<2x4x48x64xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %41 = arith.mulf %in, %in_5 : f32
      %42 = arith.addf %out, %41 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x64xf32>
    return %40 : tensor<2x4x48x64xf32>
  }
