// Several tiles of rows times a matrix that lies where it does: the last tile is short, and so are the last step, the last
// group of columns, and blocks that several threads share. The result has the same bits for any number of threads.

// REQUIRES: avx512
// DEFINE: %{run} = attn-run %s --target=cpu:x86-64-v4
// RUN: %{run} --entry=tiles --check --remarks | FileCheck %s --check-prefix=FOUR
// RUN: %{run} --entry=wide --check | FileCheck %s --check-prefix=TWO
// RUN: %{run} --entry=unknown --shape=0:20x1 --shape=1:1x192 --shape=2:20x192 --check | FileCheck %s --check-prefix=ONE
// RUN: %{run} --entry=unknown --shape=0:20x131 --shape=1:131x192 --shape=2:20x192 --check | FileCheck %s --check-prefix=ONE
// RUN: %{run} --entry=unknown --shape=0:20x0 --shape=1:0x192 --shape=2:20x192 --check | FileCheck %s --check-prefix=ONE
// RUN: %{run} --entry=tiles --threads=1 --output=%t.1.npz
// RUN: %{run} --entry=tiles --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// RUN: %{run} --entry=widened --check --remarks | FileCheck %s --check-prefix=FIVE
// RUN: %{run} --entry=widened --threads=1 --output=%t.w1.npz
// RUN: %{run} --entry=widened --threads=5 --output=%t.w5.npz
// RUN: cmp %t.w1.npz %t.w5.npz
// RUN: attn-run %s --target=cpu:x86-64-v3 --entry=widened --check | FileCheck %s --check-prefix=MATCH
// ONE-COUNT-1: match
// TWO-COUNT-2: match
// FOUR-COUNT-4: match
// FOUR-COUNT-4: attn-r241{{.*}}direct = true>
// FIVE-COUNT-5: match
// FIVE-COUNT-5: attn-r241{{.*}}direct = true>
// MATCH-COUNT-5: match
func.func @tiles(%a: tensor<7x33xf32>, %b: tensor<33x64xf32>, %c: tensor<16x300xf32>, %d: tensor<300x1088xf32>, %bias: tensor<1088xf32>,
                 %e: tensor<3x45x50xf32>, %f: tensor<3x50x192xf32>, %g: tensor<13x40xf64>, %h: tensor<40x96xf64>,
                 %0: tensor<7x64xf32>, %1: tensor<16x1088xf32>, %2: tensor<3x45x192xf32>, %3: tensor<13x96xf64>)
    -> (tensor<7x64xf32>, tensor<16x1088xf32>, tensor<3x45x192xf32>, tensor<13x96xf64>) {
  %4 = attn.linear ins(%a, %b : tensor<7x33xf32>, tensor<33x64xf32>) outs(%0 : tensor<7x64xf32>) -> tensor<7x64xf32>
  %5 = attn.linear ins(%c, %d, %bias : tensor<16x300xf32>, tensor<300x1088xf32>, tensor<1088xf32>) extras(%1 : tensor<16x1088xf32>)
      outs(%1 : tensor<16x1088xf32>) epilogue {
  ^bb0(%s: f32, %residual: f32):
    %x = attn.activation gelu %s : f32
    %y = arith.addf %x, %residual : f32
    attn.yield %y : f32
  } -> tensor<16x1088xf32>
  %6 = linalg.batch_matmul ins(%e, %f : tensor<3x45x50xf32>, tensor<3x50x192xf32>) outs(%2 : tensor<3x45x192xf32>) -> tensor<3x45x192xf32>
  %7 = attn.linear ins(%g, %h : tensor<13x40xf64>, tensor<40x96xf64>) outs(%3 : tensor<13x96xf64>) -> tensor<13x96xf64>
  return %4, %5, %6, %7 : tensor<7x64xf32>, tensor<16x1088xf32>, tensor<3x45x192xf32>, tensor<13x96xf64>
}

// More rows than a schedule of ours has, with more and fewer panels than columns fill, and with one tile of rows.
func.func @wide(%a: tensor<77x130xf32>, %b: tensor<130x320xf32>) -> (tensor<77x320xf32>, tensor<77x320xf32>) {
  %e = tensor.empty() : tensor<77x320xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 78, depth = 32, panels = 7, lanes = 16, mr = 6, nr = 4, direct = true>)
      ins(%a, %b : tensor<77x130xf32>, tensor<130x320xf32>) outs(%e : tensor<77x320xf32>) -> tensor<77x320xf32>
  %1 = attn.linear schedule(#attn.contraction_schedule<rows = 8, depth = 20, panels = 2, lanes = 16, mr = 8, nr = 2, direct = true>)
      ins(%a, %b : tensor<77x130xf32>, tensor<130x320xf32>) outs(%e : tensor<77x320xf32>) -> tensor<77x320xf32>
  return %0, %1 : tensor<77x320xf32>, tensor<77x320xf32>
}

func.func @unknown(%a: tensor<20x?xf32>, %b: tensor<?x192xf32>, %start: tensor<20x192xf32>) -> tensor<20x192xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<20x?xf32>, tensor<?x192xf32>) outs(%start : tensor<20x192xf32>) -> tensor<20x192xf32>
  return %0 : tensor<20x192xf32>
}

// Each tile widens what it reads: rows and columns that are contiguous, one row, sums that wait beside a narrow result.
func.func @widened(%a: tensor<16x300xbf16>, %b: tensor<300x1088xbf16>, %c: tensor<23x530xf16>, %d: tensor<530x192xf16>,
                   %e: tensor<9x333xbf16>, %f: tensor<77x333xbf16>, %g: tensor<1x333xbf16>, %h: tensor<14x333xf16>, %i: tensor<50x333xf16>,
                   %0: tensor<16x1088xbf16>, %1: tensor<23x192xf32>, %2: tensor<9x77xbf16>, %3: tensor<1x77xf32>, %4: tensor<14x50xf16>)
    -> (tensor<16x1088xbf16>, tensor<23x192xf32>, tensor<9x77xbf16>, tensor<1x77xf32>, tensor<14x50xf16>) {
  %5 = attn.linear ins(%a, %b : tensor<16x300xbf16>, tensor<300x1088xbf16>) outs(%0 : tensor<16x1088xbf16>) -> tensor<16x1088xbf16>
  %6 = linalg.matmul ins(%c, %d : tensor<23x530xf16>, tensor<530x192xf16>) outs(%1 : tensor<23x192xf32>) -> tensor<23x192xf32>
  %7 = attn.linear weight(out_in) ins(%e, %f : tensor<9x333xbf16>, tensor<77x333xbf16>) outs(%2 : tensor<9x77xbf16>) -> tensor<9x77xbf16>
  %8 = attn.linear weight(out_in) ins(%g, %f : tensor<1x333xbf16>, tensor<77x333xbf16>) outs(%3 : tensor<1x77xf32>) -> tensor<1x77xf32>
  %9 = attn.linear weight(out_in) ins(%h, %i : tensor<14x333xf16>, tensor<50x333xf16>) outs(%4 : tensor<14x50xf16>) -> tensor<14x50xf16>
  return %5, %6, %7, %8, %9 : tensor<16x1088xbf16>, tensor<23x192xf32>, tensor<9x77xbf16>, tensor<1x77xf32>, tensor<14x50xf16>
}
