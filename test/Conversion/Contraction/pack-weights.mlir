// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule --attn-schedule-contractions --attn-pack-weights 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.remarks

// A matrix that one product has as its right operand becomes panels: words of two terms side by side, of two steps over
// the 1150 terms, and of two panels. It stands beside them for its sizes.
// SAID: [attn-r249] argument 1 is taken in panels, which are argument 2
// CHECK: func.func @layer(%{{.*}}: tensor<64x1150xbf16>, %{{.*}}: tensor<1150x96xbf16> {attn.packed = 1 : i64}, %{{.*}}: tensor<[[PANELS:2x.*xf32]]> {attn.panels_of = 1 : i64})
// CHECK: func.func @layer_pack_1(%[[W:.*]]: tensor<1150x96xbf16>) -> tensor<[[PANELS]]>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<[[PANELS]]>)
// CHECK-COUNT-2: tensor.extract %[[W]]
// CHECK: arith.shli
// CHECK: arith.ori
func.func @layer(%x: tensor<64x1150xbf16>, %w: tensor<1150x96xbf16> {attn.packed}) -> tensor<64x96xbf16> {
  %0 = tensor.empty() : tensor<64x96xbf16>
  %1 = attn.linear ins(%x, %w : tensor<64x1150xbf16>, tensor<1150x96xbf16>) outs(%0 : tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %1 : tensor<64x96xbf16>
}

// -----

// Structured products, and few rows, which are read where they lie without the mark.
// SAID: [attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 18, depth = 256, panels = 1,
// CHECK: func.func @structured
// CHECK: func.func @structured_pack_0(%{{.*}}: tensor<256x64xf32>)
// CHECK-NOT: arith.shli
// CHECK: return
func.func @structured(%w: tensor<256x64xf32> {attn.packed}, %x: tensor<16x256xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<16x256xf32>, tensor<256x64xf32>) outs(%y : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// -----

// SAID: [attn-r250] argument 1 is not packed ahead: it is used in several places, or in none
// CHECK: func.func @twice(%{{.*}}: tensor<64x64xf32>, %{{.*}}: tensor<64x64xf32>) ->
// CHECK-NOT: @twice_pack
func.func @twice(%x: tensor<64x64xf32>, %w: tensor<64x64xf32> {attn.packed}) -> tensor<64x64xf32> {
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = attn.linear ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = attn.linear ins(%1, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// SAID: [attn-r250] argument 0 is not packed ahead: it is no right operand of a product in blocks
// SAID: [attn-r250] argument 1 is not packed ahead: it is read where it lies
func.func @row(%x: tensor<1x64xf32> {attn.packed}, %w: tensor<64x64xf32> {attn.packed}) -> tensor<1x64xf32> {
  %0 = tensor.empty() : tensor<1x64xf32>
  %1 = attn.linear ins(%x, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}

// -----

// SAID: [attn-r250] argument 1 is not packed ahead: it is no matrix whose sizes are known
// SAID: [attn-r250] argument 2 is not packed ahead: its elements are widened, which would take more memory at each call
func.func @others(%x: tensor<64x64xf32>, %w: tensor<64x?xf32> {attn.packed}, %h: tensor<64x64xf16> {attn.packed}, %z: tensor<64x64xf16>, %o: tensor<64x?xf32>, %p: tensor<64x64xf16>) -> (tensor<64x?xf32>, tensor<64x64xf16>) {
  %0 = attn.linear ins(%x, %w : tensor<64x64xf32>, tensor<64x?xf32>) outs(%o : tensor<64x?xf32>) -> tensor<64x?xf32>
  %1 = attn.linear ins(%z, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%p : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1 : tensor<64x?xf32>, tensor<64x64xf16>
}

// -----

// SAID: [attn-r250] argument 1 is not packed ahead: the function has no body, or is not called from C alone
func.func private @inner(%x: tensor<64x64xf32>, %w: tensor<64x64xf32> {attn.packed}) -> tensor<64x64xf32> {
  %0 = attn.linear ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
