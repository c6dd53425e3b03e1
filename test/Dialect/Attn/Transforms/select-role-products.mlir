// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_90a --attn-select-schedule --attn-schedule-contractions --split-input-file | attn-opt --split-input-file | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_90 --attn-select-schedule --attn-schedule-contractions --split-input-file | FileCheck %s --check-prefix=WARPS

// Matrix instructions of four warps where the product fills their tiles, and where
// its sizes are not known.
// CHECK-LABEL: func.func @large
// CHECK: #attn.gpu_product<rows = 128, columns = 256, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4>
// WARPS-LABEL: func.func @large
// WARPS: #attn.gpu_product<rows = 128, columns = 128, depth = 32,
func.func @large(%x: tensor<8192x4096xbf16>, %w: tensor<4096x8192xbf16>, %o: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %y = attn.linear ins(%x, %w : tensor<8192x4096xbf16>, tensor<4096x8192xbf16>) outs(%o : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}

// -----

// Two tiles have all columns.
// CHECK-LABEL: func.func @two_tiles_of_columns
// CHECK: #attn.gpu_product<rows = 128, columns = 192, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4>
// WARPS-LABEL: func.func @two_tiles_of_columns
func.func @two_tiles_of_columns(%x: tensor<65536x4096xbf16>, %w: tensor<4096x384xbf16>, %o: tensor<65536x384xbf16>) -> tensor<65536x384xbf16> {
  %y = linalg.matmul ins(%x, %w : tensor<65536x4096xbf16>, tensor<4096x384xbf16>) outs(%o : tensor<65536x384xbf16>) -> tensor<65536x384xbf16>
  return %y : tensor<65536x384xbf16>
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK: depth = 64, rowWarps = 8, columnWarps = 1
// WARPS-LABEL: func.func @unknown
// WARPS: depth = 32
func.func @unknown(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Small ones have the tiles of one warp, and so has f32.
// CHECK-LABEL: func.func @small
// CHECK: depth = 32
func.func @small(%x: tensor<48x64xf16>, %w: tensor<64x40xf16>, %o: tensor<48x40xf16>) -> tensor<48x40xf16> {
  %y = attn.linear ins(%x, %w : tensor<48x64xf16>, tensor<64x40xf16>) outs(%o : tensor<48x40xf16>) -> tensor<48x40xf16>
  return %y : tensor<48x40xf16>
}

// -----

// CHECK-LABEL: func.func @f32
// CHECK: depth = 16
func.func @f32(%x: tensor<8192x4096xf32>, %w: tensor<4096x8192xf32>, %o: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %y = attn.linear ins(%x, %w : tensor<8192x4096xf32>, tensor<4096x8192xf32>) outs(%o : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  return %y : tensor<8192x8192xf32>
}
