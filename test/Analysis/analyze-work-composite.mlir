// A composite op counts as the sum of its parts: the totals are those of the
// expanded module.

// RUN: attn-opt %s -o /dev/null --attn-analyze-work=text=%t.txt
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --attn-analyze-work=text=%t.parts.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep -E "@|total|assumed" %t.txt | tr -s " " > %t.totals
// RUN: grep -E "@|total|assumed" %t.parts.txt | tr -s " " | diff %t.totals -
// RUN: attn-opt %s --attn-analyze-work=text=%t.txt | FileCheck %s --check-prefix=WHOLE
// WHOLE: attn.multi_head_attention
// WHOLE: attn.feed_forward

// 4 h^2 + 4 h and 8 h^2 + 5 h of h = 48.
// CHECK-LABEL: @layer
// CHECK: attn.multi_head_attention 9408 410880 83712 {{.*}}composite.mlir:[[@LINE+6]]:
// CHECK-NEXT: attn.feed_forward 18672 745920 143808
// CHECK-NEXT: total 28080 1156800 227520
func.func @layer(%x: tensor<2x10x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<48x48xf32>, %wv: tensor<48x48xf32>, %wo: tensor<48x48xf32>,
                 %bq: tensor<48xf32>, %bk: tensor<48xf32>, %bv: tensor<48xf32>, %bo: tensor<48xf32>,
                 %u: tensor<48x192xf32>, %ub: tensor<192xf32>, %d: tensor<192x48xf32>, %db: tensor<48xf32>) -> tensor<2x10x48xf32> {
  %a = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x10x48xf32>)
      query(%wq, %bq : tensor<48x48xf32>, tensor<48xf32>) key(%wk, %bk : tensor<48x48xf32>, tensor<48xf32>)
      value(%wv, %bv : tensor<48x48xf32>, tensor<48xf32>) output(%wo, %bo : tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x10x48xf32>
  %f = attn.feed_forward relu ins(%a : tensor<2x10x48xf32>)
      up(%u, %ub : tensor<48x192xf32>, tensor<192xf32>) down(%d, %db : tensor<192x48xf32>, tensor<48xf32>) -> tensor<2x10x48xf32>
  return %f : tensor<2x10x48xf32>
}

// One row and a cache of its own length for each sequence: the appended rows are
// read and written, the cache is not copied. A weight that two projections share
// counts once, trained params of policies and the gains of qk_norm count, and a
// dynamic size of the op is one of its parts.
// CHECK-LABEL: @step
// CHECK: attn.multi_head_attention 874
func.func @step(%x: tensor<2x?x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<24x12xf32>, %gain: tensor<6xf32>, %scale: tensor<4xf32>,
                %k: tensor<2x2x64x6xf32> {attn.inout = 1 : index}, %v: tensor<2x2x64x6xf32> {attn.inout = 2 : index}, %p: tensor<2xi32>)
    -> (tensor<2x?x24xf32>, tensor<2x2x64x6xf32>, tensor<2x2x64x6xf32>) {
  %y:3 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.learned) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] qk_norm(rms, 1.0e-06) rope(interleaved) ins(%x : tensor<2x?x24xf32>)
      query(%wq : tensor<24x24xf32>) key(%wk : tensor<24x12xf32>) value(%wk : tensor<24x12xf32>) output(%wq : tensor<24x24xf32>)
      gains(%gain, %gain : tensor<6xf32>, tensor<6xf32>) params(%scale : tensor<4xf32>)
      cache(%k, %v : tensor<2x2x64x6xf32>, tensor<2x2x64x6xf32>) past(%p : tensor<2xi32>)
      -> tensor<2x?x24xf32>, tensor<2x2x64x6xf32>, tensor<2x2x64x6xf32>
  return %y#0, %y#1, %y#2 : tensor<2x?x24xf32>, tensor<2x2x64x6xf32>, tensor<2x2x64x6xf32>
}

// A loop is a frame: what is inside counts once, with the 20 rows that it starts
// with: 2 * 20 * 64 * 2 * 16 operations of layers and 20 * 64 of gelu.
// CHECK-LABEL: @loop
// CHECK: attn.feed_forward 2048 83200
// CHECK-NEXT: total 2048 83200
// CHECK-NOT: {{not counted|assumed}}
func.func @loop(%x: tensor<20x16xf32>, %u: tensor<16x64xf32>, %d: tensor<64x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %start = tensor.cast %x : tensor<20x16xf32> to tensor<?x16xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %start) -> tensor<?x16xf32> {
    %f = attn.feed_forward gelu ins(%h : tensor<?x16xf32>) up(%u : tensor<16x64xf32>) down(%d : tensor<64x16xf32>) -> tensor<?x16xf32>
    scf.yield %f : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}

// Weights in slices of one stack count once, as the stack.
// CHECK-LABEL: @stacked
// CHECK: total 4096
func.func @stacked(%x: tensor<8x16xf32>, %us: tensor<2x16x64xf32>, %ds: tensor<2x64x16xf32>) -> tensor<8x16xf32> {
  %u0 = tensor.extract_slice %us[0, 0, 0] [1, 16, 64] [1, 1, 1] : tensor<2x16x64xf32> to tensor<16x64xf32>
  %d0 = tensor.extract_slice %ds[0, 0, 0] [1, 64, 16] [1, 1, 1] : tensor<2x64x16xf32> to tensor<64x16xf32>
  %y0 = attn.feed_forward relu ins(%x : tensor<8x16xf32>) up(%u0 : tensor<16x64xf32>) down(%d0 : tensor<64x16xf32>) -> tensor<8x16xf32>
  %u1 = tensor.extract_slice %us[1, 0, 0] [1, 16, 64] [1, 1, 1] : tensor<2x16x64xf32> to tensor<16x64xf32>
  %d1 = tensor.extract_slice %ds[1, 0, 0] [1, 64, 16] [1, 1, 1] : tensor<2x64x16xf32> to tensor<64x16xf32>
  %y1 = attn.feed_forward relu ins(%y0 : tensor<8x16xf32>) up(%u1 : tensor<16x64xf32>) down(%d1 : tensor<64x16xf32>) -> tensor<8x16xf32>
  return %y1 : tensor<8x16xf32>
}

// A length that is a constant, or is computed from one, is that of the parts:
// the caches, whose sizes are not known, have two rows of the past.
// CHECK-LABEL: @first
// CHECK: attn.multi_head_attention 864 11520 11136
// CHECK-NEXT: total 864 11520 11136
// CHECK-NOT: assumed
func.func @first(%x: tensor<1x3x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<24x12xf32>,
                 %k: tensor<1x2x?x6xf32> {attn.inout = 1 : index}, %v: tensor<1x2x?x6xf32> {attn.inout = 2 : index})
    -> (tensor<1x3x24xf32>, tensor<1x2x?x6xf32>, tensor<1x2x?x6xf32>) {
  %one = arith.constant 1 : index
  %past = arith.addi %one, %one : index
  %y:3 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] ins(%x : tensor<1x3x24xf32>)
      query(%wq : tensor<24x24xf32>) key(%wk : tensor<24x12xf32>) value(%wk : tensor<24x12xf32>) output(%wq : tensor<24x24xf32>)
      cache(%k, %v : tensor<1x2x?x6xf32>, tensor<1x2x?x6xf32>) past(%past : index)
      -> tensor<1x3x24xf32>, tensor<1x2x?x6xf32>, tensor<1x2x?x6xf32>
  return %y#0, %y#1, %y#2 : tensor<1x3x24xf32>, tensor<1x2x?x6xf32>, tensor<1x2x?x6xf32>
}

// A length that nobody knows is assumed, also where all shapes are known.
// CHECK-LABEL: @unknown_past
// CHECK: attn.multi_head_attention
// CHECK: assumed: sizes that are not known are 512
func.func @unknown_past(%x: tensor<1x3x24xf32>, %w: tensor<24x24xf32>, %past: index,
                        %k: tensor<1x4x8x6xf32> {attn.inout = 1 : index}, %v: tensor<1x4x8x6xf32> {attn.inout = 2 : index})
    -> (tensor<1x3x24xf32>, tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>) {
  %y:3 = attn.multi_head_attention heads(4) kv_heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] ins(%x : tensor<1x3x24xf32>)
      query(%w : tensor<24x24xf32>) key(%w : tensor<24x24xf32>) value(%w : tensor<24x24xf32>) output(%w : tensor<24x24xf32>)
      cache(%k, %v : tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>) past(%past : index)
      -> tensor<1x3x24xf32>, tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>
  return %y#0, %y#1, %y#2 : tensor<1x3x24xf32>, tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>
}
