// Draws are the reference's, also the rare ones far out, which lanes take a branch
// for, and those beside them; in whole vectors and in the rest of a row.
// RUN: attn-run %s --check | FileCheck %s --implicit-check-not=MISMATCH
// RUN: attn-run %s --target=cpu:x86-64 --check | FileCheck %s --implicit-check-not=MISMATCH

// CHECK-COUNT-4: match

func.func @draws(%seed: i64) -> (tensor<97x203xf32>, tensor<64x256xf64>, tensor<97x203xbf16>, tensor<64x256xf32>) {
  %a = tensor.empty() : tensor<97x203xf32>
  %b = tensor.empty() : tensor<64x256xf64>
  %c = tensor.empty() : tensor<97x203xbf16>
  %d = tensor.empty() : tensor<64x256xf32>
  %0 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%a : tensor<97x203xf32>) -> tensor<97x203xf32>
  %1 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%b : tensor<64x256xf64>) -> tensor<64x256xf64>
  %2 = attn.init truncated_normal variance(lecun) cut [-4.5, 3.75] seed(%seed : i64) outs(%c : tensor<97x203xbf16>) -> tensor<97x203xbf16>
  %3 = attn.init uniform variance(he) seed(%seed : i64) outs(%d : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0, %1, %2, %3 : tensor<97x203xf32>, tensor<64x256xf64>, tensor<97x203xbf16>, tensor<64x256xf32>
}
