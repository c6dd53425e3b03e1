// Few rows on the tile unit, with the columns of the right operand on its left, in software where the machine has none:
// rows and columns that end within a tile, several tiles of rows, several steps over the terms, an epilogue with an extra of
// each row, a batch, terms that are no whole tile or none, by a schedule that was written for it, and numbers that are not
// finite behind the last term. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --check --remarks
// RUN: attn-run %s %{options} --entry=layers | FileCheck %s --check-prefixes=CHECK,THREE,TURNED
// RUN: attn-run %s %{options} --entry=batch | FileCheck %s --check-prefixes=CHECK,ONE,TURNED
// RUN: attn-run %s %{options} --entry=by_hand --shape=0:37x131 --shape=1:75x131 --shape=2:37x75 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: attn-run %s %{options} --entry=by_hand --shape=0:64x64 --shape=1:128x64 --shape=2:64x128 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: attn-run %s %{options} --entry=by_hand --shape=0:3x0 --shape=1:5x0 --shape=2:3x5 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: attn-run %s %{options} --entry=not_finite | FileCheck %s --check-prefixes=CHECK,ONE,TURNED
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=layers --threads=1 --output=%t.1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=layers --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// CHECK: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// CHECK-NOT: FAULTS
// ONE-COUNT-1: match
// THREE-COUNT-3: match
// TURNED: turned = true

func.func @layers(%x: tensor<5x96xbf16>, %y: tensor<45x4128xbf16>, %z: tensor<100x288xbf16>, %u: tensor<75x96xbf16>,
                  %v: tensor<33x4128xbf16>, %w: tensor<70x288xbf16>, %b: tensor<33xbf16>, %r: tensor<45x33xbf16>)
    -> (tensor<5x75xf32>, tensor<45x33xbf16>, tensor<100x70xbf16>) {
  %0 = tensor.empty() : tensor<5x75xf32>
  %1 = attn.linear weight(out_in) ins(%x, %u : tensor<5x96xbf16>, tensor<75x96xbf16>) outs(%0 : tensor<5x75xf32>) -> tensor<5x75xf32>
  %2 = tensor.empty() : tensor<45x33xbf16>
  %3 = attn.linear weight(out_in) ins(%y, %v, %b : tensor<45x4128xbf16>, tensor<33x4128xbf16>, tensor<33xbf16>)
      extras(%r : tensor<45x33xbf16>) outs(%2 : tensor<45x33xbf16>) epilogue {
  ^bb0(%value: f32, %residual: f32):
    %g = attn.activation gelu %value : f32
    %sum = arith.addf %g, %residual : f32
    attn.yield %sum : f32
  } -> tensor<45x33xbf16>
  %4 = tensor.empty() : tensor<100x70xbf16>
  %5 = attn.linear weight(out_in) ins(%z, %w : tensor<100x288xbf16>, tensor<70x288xbf16>) outs(%4 : tensor<100x70xbf16>) -> tensor<100x70xbf16>
  return %1, %3, %5 : tensor<5x75xf32>, tensor<45x33xbf16>, tensor<100x70xbf16>
}

func.func @batch(%a: tensor<3x21x64xbf16>, %b: tensor<3x50x64xbf16>) -> tensor<3x21x50xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x21x50xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<3x21x50xf32>) -> tensor<3x21x50xf32>
  %2 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<3x21x64xbf16>, tensor<3x50x64xbf16>) outs(%1 : tensor<3x21x50xf32>) -> tensor<3x21x50xf32>
  return %2 : tensor<3x21x50xf32>
}

func.func @by_hand(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = attn.linear weight(out_in)
      schedule(#attn.contraction_schedule<rows = 32, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, turned = true>)
      ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Rows of the weight are parts of longer ones, which go on with infinity.
func.func @not_finite(%x: tensor<8x64xbf16>, %w: tensor<40x64xbf16>) -> tensor<8x40xbf16> {
  %inf = arith.constant dense<0x7F80> : tensor<40x96xbf16>
  %long = tensor.insert_slice %w into %inf[0, 0] [40, 64] [1, 1] : tensor<40x64xbf16> into tensor<40x96xbf16>
  %part = tensor.extract_slice %long[0, 0] [40, 64] [1, 1] : tensor<40x96xbf16> to tensor<40x64xbf16>
  %0 = tensor.empty() : tensor<8x40xbf16>
  %1 = attn.linear weight(out_in) ins(%x, %part : tensor<8x64xbf16>, tensor<40x64xbf16>) outs(%0 : tensor<8x40xbf16>) -> tensor<8x40xbf16>
  return %1 : tensor<8x40xbf16>
}
