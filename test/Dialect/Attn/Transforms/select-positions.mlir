// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --split-input-file --verify-diagnostics | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --split-input-file 2>/dev/null | attn-opt --split-input-file --attn-decompose=keep-tiles | FileCheck %s --check-prefix=KEPT

// The table of a block takes half of the first-level cache; that of neighbours
// is twice as large.
// CHECK-LABEL: @blocks
// CHECK: attn.rope pairs(half_split) schedule(#attn.position_schedule<rows = 32, lanes = 16, stream = {{[0-9]+}}>)
// CHECK: attn.rope schedule(#attn.position_schedule<rows = 16, lanes = 16
// KEPT-LABEL: @blocks
// KEPT-COUNT-2: attn.rope
func.func @blocks(%x: tensor<8x?x128xf32>) -> tensor<8x?x128xf32> {
  // expected-remark @+1 {{[attn-r281] fast path: #attn.position_schedule<rows = 32, lanes = 16}}
  %0 = attn.rope pairs(half_split) ins(%x : tensor<8x?x128xf32>) outs(%x : tensor<8x?x128xf32>) -> tensor<8x?x128xf32>
  // expected-remark @+1 {{[attn-r281]}}
  %1 = attn.rope ins(%0 : tensor<8x?x128xf32>) outs(%x : tensor<8x?x128xf32>) -> tensor<8x?x128xf32>
  return %1 : tensor<8x?x128xf32>
}

// -----

// CHECK-LABEL: @sinusoidal
// CHECK: schedule(#attn.position_schedule<rows = 128, lanes = 8
// KEPT-LABEL: @sinusoidal
// KEPT: attn.sinusoidal_positions
func.func @sinusoidal(%x: tensor<?x128xf64>) -> tensor<?x128xf64> {
  // expected-remark @+1 {{[attn-r281] fast path: #attn.position_schedule<rows = 128, lanes = 8}}
  %0 = attn.sinusoidal_positions outs(%x : tensor<?x128xf64>) -> tensor<?x128xf64>
  return %0 : tensor<?x128xf64>
}
