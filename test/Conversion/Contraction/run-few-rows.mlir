// A few rows times a weight that is widened where it lies, and one row times columns side by side: the numbers where vectors,
// steps and groups of columns end, the same bits for any number of threads.

// DEFINE: %{run} = attn-run %s --target=cpu:x86-64-v3
// RUN: %{run} --entry=widened --check | FileCheck %s --check-prefix=FOUR
// RUN: %{run} --entry=columns --check | FileCheck %s --check-prefix=FOUR
// RUN: %{run} --entry=unknown_terms --shape=0:3x1 --shape=1:1x64 --shape=2:3x64 --check | FileCheck %s --check-prefix=ONE
// RUN: %{run} --entry=unknown_terms --shape=0:3x131 --shape=1:131x64 --shape=2:3x64 --check | FileCheck %s --check-prefix=ONE
// RUN: mkdir -p %t
// RUN: %{run} --entry=widened --threads=1 --output=%t/1.npz
// RUN: %{run} --entry=widened --threads=5 --output=%t/5.npz
// RUN: cmp %t/1.npz %t/5.npz
// ONE-COUNT-1: match
// FOUR-COUNT-4: match
func.func @widened(%a: tensor<1x33xbf16>, %b: tensor<33x64xbf16>, %c: tensor<6x1000xf16>, %d: tensor<1000x96xf16>,
                   %e: tensor<3x17xf32>, %f: tensor<17x128xbf16>, %g: tensor<2x1xbf16>, %h: tensor<1x8xbf16>,
                   %0: tensor<1x64xbf16>, %1: tensor<6x96xf32>, %2: tensor<3x128xf32>, %3: tensor<2x8xbf16>)
    -> (tensor<1x64xbf16>, tensor<6x96xf32>, tensor<3x128xf32>, tensor<2x8xbf16>) {
  %4 = attn.linear ins(%a, %b : tensor<1x33xbf16>, tensor<33x64xbf16>) outs(%0 : tensor<1x64xbf16>) -> tensor<1x64xbf16>
  %5 = attn.linear ins(%c, %d : tensor<6x1000xf16>, tensor<1000x96xf16>) outs(%1 : tensor<6x96xf32>) -> tensor<6x96xf32>
  %6 = linalg.matmul ins(%e, %f : tensor<3x17xf32>, tensor<17x128xbf16>) outs(%2 : tensor<3x128xf32>) -> tensor<3x128xf32>
  %7 = attn.linear ins(%g, %h : tensor<2x1xbf16>, tensor<1x8xbf16>) outs(%3 : tensor<2x8xbf16>) -> tensor<2x8xbf16>
  return %4, %5, %6, %7 : tensor<1x64xbf16>, tensor<6x96xf32>, tensor<3x128xf32>, tensor<2x8xbf16>
}

func.func @columns(%a: tensor<1x33xbf16>, %b: tensor<65x33xbf16>, %c: tensor<1x100xf32>, %d: tensor<7x100xf32>,
                   %e: tensor<1x1030xf64>, %f: tensor<95x1030xf64>, %g: tensor<1x64xf16>, %h: tensor<16x64xf16>,
                   %0: tensor<1x65xbf16>, %1: tensor<1x7xf32>, %2: tensor<1x95xf64>, %3: tensor<1x16xf32>)
    -> (tensor<1x65xbf16>, tensor<1x7xf32>, tensor<1x95xf64>, tensor<1x16xf32>) {
  %4 = attn.linear weight(out_in) ins(%a, %b : tensor<1x33xbf16>, tensor<65x33xbf16>) outs(%0 : tensor<1x65xbf16>) -> tensor<1x65xbf16>
  %5 = attn.linear weight(out_in) ins(%c, %d : tensor<1x100xf32>, tensor<7x100xf32>) outs(%1 : tensor<1x7xf32>) -> tensor<1x7xf32>
  %6 = attn.linear weight(out_in) ins(%e, %f : tensor<1x1030xf64>, tensor<95x1030xf64>) outs(%2 : tensor<1x95xf64>) -> tensor<1x95xf64>
  %7 = attn.linear weight(out_in) ins(%g, %h : tensor<1x64xf16>, tensor<16x64xf16>) outs(%3 : tensor<1x16xf32>) -> tensor<1x16xf32>
  return %4, %5, %6, %7 : tensor<1x65xbf16>, tensor<1x7xf32>, tensor<1x95xf64>, tensor<1x16xf32>
}

func.func @unknown_terms(%a: tensor<3x?xbf16>, %b: tensor<?x64xbf16>, %0: tensor<3x64xbf16>) -> tensor<3x64xbf16> {
  %1 = attn.linear ins(%a, %b : tensor<3x?xbf16>, tensor<?x64xbf16>) outs(%0 : tensor<3x64xbf16>) -> tensor<3x64xbf16>
  return %1 : tensor<3x64xbf16>
}
