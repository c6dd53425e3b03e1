// The reference runs before the kernel and refuses sizes that disagree, in the words
// of the program; what it cannot be given does not end it.

// DEFINE: %{run} = not attn-run %s --check
// RUN: %{run} --entry=statistics --shape=0:5x33x1 --shape=1:5x1 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: the reference cannot run 'statistics': {{.*}}'attn.statistics' op dimension 0 of operand 1 has size 5, others that belong to it 33
func.func @statistics(%x: tensor<?x?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = attn.statistics kurtosis axes [0] ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=sum --shape=0:5 --shape=1:3 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: the reference cannot run 'sum': {{.*}}'arith.addf' op dimension 0 of operand 1 has size 3, that of operand 0 is 5
func.func @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=window --shape=0:3 --shape=1:1 --shape=2:1000 2>&1 | FileCheck %s --check-prefix=WINDOW
// WINDOW: 'linalg.conv_1d' op dimension 0 of operand 0 has size 3 and is indexed by 999
func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=heads --shape=0:1x8x8x16 --shape=1:1x2x8x16 --shape=2:1x8x8x16 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: 'attn.attention' op dimension 1 of operand 1 has size 2 for 8 heads in groups of 2
#q = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, d)>
#v = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, e)>
#o = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>
func.func @heads(%q: tensor<1x?x8x16xf32>, %k: tensor<1x?x8x16xf32>, %o: tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#q, #k, #v, #o]
      ins(%q, %k, %k : tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>) outs(%o : tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32>
  return %r : tensor<1x?x8x16xf32>
}
