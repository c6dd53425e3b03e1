// Products of bf16 in pairs: the numbers where tiles, panels, steps and pairs end, where there is nothing to multiply, and
// where some of it is not finite. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{run} = attn-run %s --target=cpu:x86-64-v4-bf16 --check
// RUN: %{run} --entry=layers | FileCheck %s --check-prefix=SIX
// RUN: %{run} --entry=few_rows | FileCheck %s --check-prefix=SIX
// RUN: %{run} --entry=batches | FileCheck %s --check-prefix=THREE
// RUN: %{run} --entry=no_numbers | FileCheck %s --check-prefix=THREE
// RUN: %{run} --entry=not_finite | FileCheck %s --check-prefix=THREE
// RUN: %{run} --entry=constants | FileCheck %s --check-prefix=TWO
// RUN: %{run} --entry=unknown_sizes --shape=0:37x131 --shape=1:75x131 --shape=2:131x75 --shape=3:37x75 | FileCheck %s --check-prefix=TWO
// RUN: %{run} --entry=unknown_sizes --shape=0:64x1 --shape=1:130x1 --shape=2:1x130 --shape=3:64x130 | FileCheck %s --check-prefix=TWO
// RUN: mkdir -p %t
// RUN: %{run} --entry=layers --threads=1 --output=%t/1.npz
// RUN: %{run} --entry=layers --threads=5 --output=%t/5.npz
// RUN: cmp %t/1.npz %t/5.npz
// TWO-COUNT-2: match
// THREE-COUNT-3: match
// SIX-COUNT-6: match

// Weights either way; steps that end within a pair and within a vector of pairs; sums that wait, in the output and in
// scratch; an epilogue.
func.func @layers(%x: tensor<37x131xbf16>, %w: tensor<131x75xbf16>, %u: tensor<75x131xbf16>, %b: tensor<75xbf16>, %long: tensor<9x2115xbf16>,
                  %deep: tensor<2115x130xbf16>, %column: tensor<130x1xbf16>, %r: tensor<37x75xbf16>)
    -> (tensor<37x75xbf16>, tensor<37x75xf32>, tensor<9x130xbf16>, tensor<9x130xf32>, tensor<130x75xf32>, tensor<130x130xf32>) {
  %e0 = tensor.empty() : tensor<37x75xbf16>
  %e1 = tensor.empty() : tensor<37x75xf32>
  %e2 = tensor.empty() : tensor<9x130xbf16>
  %e3 = tensor.empty() : tensor<9x130xf32>
  %e4 = tensor.empty() : tensor<130x75xf32>
  %e5 = tensor.empty() : tensor<130x130xf32>
  %0 = attn.linear ins(%x, %w, %b : tensor<37x131xbf16>, tensor<131x75xbf16>, tensor<75xbf16>) extras(%r : tensor<37x75xbf16>)
      outs(%e0 : tensor<37x75xbf16>) epilogue {
  ^bb0(%s: f32, %residual: f32):
    %g = attn.activation gelu %s : f32
    %a = arith.addf %g, %residual : f32
    attn.yield %a : f32
  } -> tensor<37x75xbf16>
  %1 = attn.linear weight(out_in) ins(%x, %u : tensor<37x131xbf16>, tensor<75x131xbf16>) outs(%e1 : tensor<37x75xf32>) -> tensor<37x75xf32>
  %2 = attn.linear ins(%long, %deep : tensor<9x2115xbf16>, tensor<2115x130xbf16>) outs(%e2 : tensor<9x130xbf16>) -> tensor<9x130xbf16>
  %3 = attn.linear ins(%long, %deep : tensor<9x2115xbf16>, tensor<2115x130xbf16>) outs(%e3 : tensor<9x130xf32>) -> tensor<9x130xf32>
  %row = tensor.extract_slice %u[0, 0] [75, 1] [1, 1] : tensor<75x131xbf16> to tensor<75x1xbf16>
  %4 = attn.linear weight(out_in) ins(%column, %row : tensor<130x1xbf16>, tensor<75x1xbf16>) outs(%e4 : tensor<130x75xf32>) -> tensor<130x75xf32>
  %5 = attn.linear weight(out_in) ins(%column, %column : tensor<130x1xbf16>, tensor<130x1xbf16>) outs(%e5 : tensor<130x130xf32>) -> tensor<130x130xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<37x75xbf16>, tensor<37x75xf32>, tensor<9x130xbf16>, tensor<9x130xf32>, tensor<130x75xf32>, tensor<130x130xf32>
}

// Weights that are read where they lie, either way.
func.func @few_rows(%x: tensor<16x301xbf16>, %w: tensor<301x128xbf16>, %u: tensor<75x301xbf16>)
    -> (tensor<1x128xf32>, tensor<5x128xbf16>, tensor<1x75xf32>, tensor<2x75xbf16>, tensor<7x75xf32>, tensor<16x75xbf16>) {
  %x1 = tensor.extract_slice %x[0, 0] [1, 301] [1, 1] : tensor<16x301xbf16> to tensor<1x301xbf16>
  %x2 = tensor.extract_slice %x[1, 0] [2, 301] [1, 1] : tensor<16x301xbf16> to tensor<2x301xbf16>
  %x5 = tensor.extract_slice %x[0, 0] [5, 301] [1, 1] : tensor<16x301xbf16> to tensor<5x301xbf16>
  %x7 = tensor.extract_slice %x[9, 0] [7, 301] [1, 1] : tensor<16x301xbf16> to tensor<7x301xbf16>
  %e0 = tensor.empty() : tensor<1x128xf32>
  %e1 = tensor.empty() : tensor<5x128xbf16>
  %e2 = tensor.empty() : tensor<1x75xf32>
  %e3 = tensor.empty() : tensor<2x75xbf16>
  %e4 = tensor.empty() : tensor<7x75xf32>
  %e5 = tensor.empty() : tensor<16x75xbf16>
  %0 = attn.linear ins(%x1, %w : tensor<1x301xbf16>, tensor<301x128xbf16>) outs(%e0 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %1 = attn.linear ins(%x5, %w : tensor<5x301xbf16>, tensor<301x128xbf16>) outs(%e1 : tensor<5x128xbf16>) -> tensor<5x128xbf16>
  %2 = attn.linear weight(out_in) ins(%x1, %u : tensor<1x301xbf16>, tensor<75x301xbf16>) outs(%e2 : tensor<1x75xf32>) -> tensor<1x75xf32>
  %3 = attn.linear weight(out_in) ins(%x2, %u : tensor<2x301xbf16>, tensor<75x301xbf16>) outs(%e3 : tensor<2x75xbf16>) -> tensor<2x75xbf16>
  %4 = attn.linear weight(out_in) ins(%x7, %u : tensor<7x301xbf16>, tensor<75x301xbf16>) outs(%e4 : tensor<7x75xf32>) -> tensor<7x75xf32>
  %5 = attn.linear weight(out_in) ins(%x, %u : tensor<16x301xbf16>, tensor<75x301xbf16>) outs(%e5 : tensor<16x75xbf16>) -> tensor<16x75xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<1x128xf32>, tensor<5x128xbf16>, tensor<1x75xf32>, tensor<2x75xbf16>, tensor<7x75xf32>, tensor<16x75xbf16>
}

// Structured products, of which one begins with what is in its output and one has a left operand with gaps.
func.func @batches(%a: tensor<3x17x45xbf16>, %b: tensor<3x45x50xbf16>, %c: tensor<3x17x50xf32>, %d: tensor<3x50x45xbf16>, %t: tensor<45x70xbf16>, %v: tensor<45x60xbf16>)
    -> (tensor<3x17x50xf32>, tensor<3x17x50xf32>, tensor<70x60xf32>) {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x17x45xbf16>, tensor<3x45x50xbf16>) outs(%c : tensor<3x17x50xf32>) -> tensor<3x17x50xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x17x50xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x17x50xf32>) -> tensor<3x17x50xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %d : tensor<3x17x45xbf16>, tensor<3x50x45xbf16>) outs(%f : tensor<3x17x50xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x17x50xf32>
  %e2 = tensor.empty() : tensor<70x60xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<70x60xf32>) -> tensor<70x60xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %v : tensor<45x70xbf16>, tensor<45x60xbf16>) outs(%f2 : tensor<70x60xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<70x60xf32>
  return %0, %1, %2 : tensor<3x17x50xf32>, tensor<3x17x50xf32>, tensor<70x60xf32>
}

// No rows, no terms, no columns.
func.func @no_numbers(%x: tensor<0x8xbf16>, %w: tensor<8x48xbf16>, %y: tensor<9x0xbf16>, %u: tensor<48x0xbf16>, %b: tensor<48xf32>, %n: tensor<0x8xbf16>, %z: tensor<9x8xbf16>)
    -> (tensor<0x48xf32>, tensor<9x48xf32>, tensor<9x0xf32>) {
  %e0 = tensor.empty() : tensor<0x48xf32>
  %e1 = tensor.empty() : tensor<9x48xf32>
  %e2 = tensor.empty() : tensor<9x0xf32>
  %0 = attn.linear ins(%x, %w, %b : tensor<0x8xbf16>, tensor<8x48xbf16>, tensor<48xf32>) outs(%e0 : tensor<0x48xf32>) -> tensor<0x48xf32>
  %1 = attn.linear weight(out_in) ins(%y, %u, %b : tensor<9x0xbf16>, tensor<48x0xbf16>, tensor<48xf32>) outs(%e1 : tensor<9x48xf32>) -> tensor<9x48xf32>
  %2 = attn.linear weight(out_in) ins(%z, %n : tensor<9x8xbf16>, tensor<0x8xbf16>) outs(%e2 : tensor<9x0xf32>) -> tensor<9x0xf32>
  return %0, %1, %2 : tensor<0x48xf32>, tensor<9x48xf32>, tensor<9x0xf32>
}

// What is not finite reaches its own row or column and nothing else, also as the last of an odd number of terms, and no
// term that fills up a pair makes 0 x inf of it. Denormal numbers do no harm.
func.func @not_finite(%x: tensor<20x67xbf16>, %w: tensor<67x96xbf16>, %u: tensor<48x67xbf16>) -> (tensor<20x96xf32>, tensor<20x48xf32>, tensor<20x48xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c66 = arith.constant 66 : index
  %inf = arith.constant 0x7F80 : bf16
  %nan = arith.constant 0x7FC0 : bf16
  %tiny = arith.constant 0x0001 : bf16
  %x0 = tensor.insert %inf into %x[%c5, %c66] : tensor<20x67xbf16>
  %x1 = tensor.insert %nan into %x0[%c0, %c5] : tensor<20x67xbf16>
  %x2 = tensor.insert %tiny into %x1[%c0, %c66] : tensor<20x67xbf16>
  %w0 = tensor.insert %nan into %w[%c66, %c5] : tensor<67x96xbf16>
  %u0 = tensor.insert %inf into %u[%c5, %c66] : tensor<48x67xbf16>
  %u1 = tensor.insert %tiny into %u0[%c0, %c0] : tensor<48x67xbf16>
  %e0 = tensor.empty() : tensor<20x96xf32>
  %e1 = tensor.empty() : tensor<20x48xf32>
  %0 = attn.linear ins(%x2, %w0 : tensor<20x67xbf16>, tensor<67x96xbf16>) outs(%e0 : tensor<20x96xf32>) -> tensor<20x96xf32>
  %1 = attn.linear weight(out_in) ins(%x2, %u1 : tensor<20x67xbf16>, tensor<48x67xbf16>) outs(%e1 : tensor<20x48xf32>) -> tensor<20x48xf32>
  %2 = attn.linear weight(out_in) ins(%x, %u : tensor<20x67xbf16>, tensor<48x67xbf16>) outs(%e1 : tensor<20x48xf32>) -> tensor<20x48xf32>
  return %0, %1, %2 : tensor<20x96xf32>, tensor<20x48xf32>, tensor<20x48xf32>
}

// Weights that are packed at compile time.
func.func @constants(%x: tensor<37x131xbf16>, %s: tensor<7x5xbf16>) -> (tensor<37x75xf32>, tensor<7x3xf32>) {
  %half = arith.constant dense<0.5> : tensor<131x75xbf16>
  %w = arith.constant dense<[[1.0, -2.0, 3.0, 4.0, 5.0], [6.0, 7.0, -8.0, 9.0, 0.5], [0.25, 2.0, 3.0, -4.0, 6.0]]> : tensor<3x5xbf16>
  %e0 = tensor.empty() : tensor<37x75xf32>
  %e1 = tensor.empty() : tensor<7x3xf32>
  %0 = attn.linear ins(%x, %half : tensor<37x131xbf16>, tensor<131x75xbf16>) outs(%e0 : tensor<37x75xf32>) -> tensor<37x75xf32>
  %1 = attn.linear weight(out_in) ins(%s, %w : tensor<7x5xbf16>, tensor<3x5xbf16>) outs(%e1 : tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0, %1 : tensor<37x75xf32>, tensor<7x3xf32>
}

func.func @unknown_sizes(%x: tensor<?x?xbf16>, %u: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %init: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = attn.linear ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = attn.linear weight(out_in) ins(%x, %u : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
