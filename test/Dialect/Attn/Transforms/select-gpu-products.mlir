// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_80 --attn-select-schedule --attn-schedule-contractions --split-input-file --verify-diagnostics | FileCheck %s

// Tiles become smaller until there are some for all multiprocessors.
// CHECK-LABEL: @large
func.func @large(%x: tensor<8192x4096xbf16>, %w: tensor<4096x4096xbf16>, %y: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  // expected-remark @+2 {{[attn-r241] matrix product in blocks: #attn.gpu_product<rows = 128, columns = 128, depth = 32, rowWarps = 4, columnWarps = 2, stages = 3>}}
  // expected-remark @+1 {{[attn-r205] 2048 blocks of 8 warps, about 124 registers a thread and 49152 bytes of shared memory: 2 side by side on each of 108 multiprocessors, 100 % busy}}
  %0 = attn.linear ins(%x, %w : tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) outs(%y : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16>
  return %0 : tensor<8192x4096xbf16>
}

// -----

// A multiprocessor that has one block copies more steps ahead.
// CHECK-LABEL: @small
func.func @small(%x: tensor<64x512xbf16>, %w: tensor<512x512xbf16>, %y: tensor<64x512xbf16>) -> tensor<64x512xbf16> {
  // expected-remark @+2 {{#attn.gpu_product<rows = 16, columns = 64, depth = 32, rowWarps = 1, columnWarps = 4, stages = 8>}}
  // expected-remark @+1 {{[attn-r205] 32 blocks of 4 warps, about 68 registers a thread and 40960 bytes of shared memory}}
  %0 = attn.linear ins(%x, %w : tensor<64x512xbf16>, tensor<512x512xbf16>) outs(%y : tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}

// -----

// Sums of f64 take two registers each.
// CHECK-LABEL: @wide
func.func @wide(%x: tensor<?x512xf64>, %w: tensor<512x512xf64>, %y: tensor<?x512xf64>) -> tensor<?x512xf64> {
  // expected-remark @+1 {{#attn.gpu_product<rows = 128, columns = 64, depth = 16, rowWarps = 4, columnWarps = 2, stages = 3>}}
  %0 = attn.linear ins(%x, %w : tensor<?x512xf64>, tensor<512x512xf64>) outs(%y : tensor<?x512xf64>) -> tensor<?x512xf64>
  return %0 : tensor<?x512xf64>
}

// -----

// Few rows: lanes share the terms of a column, or have columns side by side.
// CHECK-LABEL: @rows
func.func @rows(%x: tensor<2x1x512xf16>, %w: tensor<4096x512xf16>, %v: tensor<4096x64xf16>, %y: tensor<2x1x4096xf16>, %z: tensor<2x1x64xf16>) -> tensor<2x1x64xf16> {
  // expected-remark @+1 {{#attn.gpu_dots<rows = 2, columns = 4, blockWarps = 4, width = 8>}}
  %0 = attn.linear weight(out_in) ins(%x, %w : tensor<2x1x512xf16>, tensor<4096x512xf16>) outs(%y : tensor<2x1x4096xf16>) -> tensor<2x1x4096xf16>
  // expected-remark @+1 {{#attn.gpu_dots<rows = 2, columns = 32, blockWarps = 8, width = 8>}}
  %1 = attn.linear ins(%0, %v : tensor<2x1x4096xf16>, tensor<4096x64xf16>) outs(%z : tensor<2x1x64xf16>) -> tensor<2x1x64xf16>
  return %1 : tensor<2x1x64xf16>
}

// -----

// Structured ops, too, which carry their schedule as an attribute; a batch fills
// the device. Products of f16 with f32 sums are matrix instructions, those of two
// types are not.
// CHECK-LABEL: @structured
// CHECK: linalg.batch_matmul {attn.contraction = #attn.gpu_product<rows = 64, columns = 64, depth = 32,
// CHECK: linalg.matmul {attn.contraction = #attn.gpu_product<rows = 16, columns = 64, depth = 16,
func.func @structured(%x: tensor<64x64x64xf16>, %c: tensor<64x64x64xf32>, %a: tensor<64x64xf16>, %b: tensor<64x64xf32>, %z: tensor<64x64xf32>)
    -> (tensor<64x64x64xf32>, tensor<64x64xf32>) {
  // expected-remark @+2 {{matrix product in blocks}}
  // expected-remark @+1 {{[attn-r205] 64 blocks of 4 warps}}
  %0 = linalg.batch_matmul ins(%x, %x : tensor<64x64x64xf16>, tensor<64x64x64xf16>) outs(%c : tensor<64x64x64xf32>) -> tensor<64x64x64xf32>
  // expected-remark @+2 {{matrix product in blocks}}
  // expected-remark @+1 {{[attn-r205] 4 blocks of 4 warps}}
  %1 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64x64xf32>, tensor<64x64xf32>
}

// -----

// CHECK-LABEL: @strided
// CHECK-NOT: attn.contraction
#window = affine_map<(i, j, k) -> (i + k)>
#filter = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
func.func @strided(%x: tensor<40xf32>, %w: tensor<9x16xf32>, %y: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-remark @+1 {{[attn-r242] matrix product as plain loops: an operand is read otherwise than by plain indices}}
  %0 = linalg.generic {indexing_maps = [#window, #filter, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<40xf32>, tensor<9x16xf32>) outs(%y : tensor<32x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}
