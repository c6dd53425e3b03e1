// Few rows: ranges of keys are blocks, whose states a second launch merges.
// RUN: attn-opt %s --attn-to-nvptx=target=nvptx:sm_80 --mlir-print-ir-after=attn-lower-attention-to-gpu -o /dev/null 2>&1 | FileCheck %s --check-prefix=IR
// RUN: attn-run %s --entry=all --target=nvptx:sm_80 --simulate=3 --check | FileCheck %s --check-prefix=OK

// OK: 6 launches, {{.*}} no findings
// OK-COUNT-8: against f64 reference: match

// Three query heads with three rows each are nine rows of a tile; the host
// counts the ranges, at most one for each 16 of the 205 keys.
// IR-LABEL: func.func @all
// IR: %[[STATES:.*]] = memref.alloc(%[[TILES:.*]], %[[RANGES:.*]]) : memref<?x?x16x48xf32>
// IR: %[[NUMBERS:.*]] = memref.alloc(%[[TILES]], %[[RANGES]]) : memref<?x?x5x16xf32>
// IR: gpu.launch
// IR: nvvm.mma.sync
// IR: vector.store {{.*}}, %[[STATES]]{{.*}} {alignment = 8 : i64} : memref<?x?x16x48xf32>, vector<2xf32>
// IR: gpu.launch
// IR: nvvm.mma.sync
// IR: gpu.launch
// IR-NOT: nvvm.mma.sync
// IR: nvvm.shfl.sync bfly
// IR: memref.load %[[STATES]]
// IR: memref.dealloc %[[STATES]]
// IR: memref.dealloc %[[NUMBERS]]
func.func private @grouped(%q: tensor<2x6x3x32xf16>, %k: tensor<2x2x205x32xf16>, %v: tensor<2x2x205x48xf16>, %n: tensor<2xi32>)
    -> (tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>) {
  %o = tensor.empty() : tensor<2x6x3x48xf16>
  %l = tensor.empty() : tensor<2x6x3xf32>
  %r:5 = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1) align(bottom_right) bias [#attn.alibi]
    masks [#attn.causal, #attn.kv_lengths] probes [#attn.probe<half_gradient_norm>, #attn.probe<max_logit>, #attn.probe<entropy>]
    schedule(#attn.gpu_attention<rows = 16, keys = 16, warps = 1, splitKeys = 16, items = 48>)
    ins(%q, %k, %v : tensor<2x6x3x32xf16>, tensor<2x2x205x32xf16>, tensor<2x2x205x48xf16>)
    params(%n : tensor<2xi32>)
    outs(%o, %l, %l, %l, %l : tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>)
    -> tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>
}

// A window leaves some ranges empty; its first tile is an edge. Heads that are
// no multiple of 16 bytes, a sink, and cosine. The 21 ranges are merged by sixteens,
// fours and ones.
func.func private @window(%q: tensor<4x2x20xbf16>, %k: tensor<2x330x20xbf16>, %s: tensor<4xf32>) -> tensor<4x2x20xbf16> {
  %o = tensor.empty() : tensor<4x2x20xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.sink)
    align(bottom_right) masks [#attn.window<left = 40, right = 3>]
    schedule(#attn.gpu_attention<rows = 16, keys = 16, warps = 1, splitKeys = 16, items = 100>)
    ins(%q, %k, %k : tensor<4x2x20xbf16>, tensor<2x330x20xbf16>, tensor<2x330x20xbf16>)
    params(%s : tensor<4xf32>) outs(%o : tensor<4x2x20xbf16>) -> tensor<4x2x20xbf16>
  return %r : tensor<4x2x20xbf16>
}

// Rows of a key head fill three tiles; products are fused multiply-adds.
func.func private @tiles(%q: tensor<4x11x16xf64>, %k: tensor<70x16xf64>) -> (tensor<4x11x16xf64>, tensor<4x11xf64>) {
  %o = tensor.empty() : tensor<4x11x16xf64>
  %l = tensor.empty() : tensor<4x11xf64>
  %r:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    schedule(#attn.gpu_attention<rows = 16, keys = 16, warps = 1, splitKeys = 32, items = 9>)
    indexing_maps [affine_map<(h, i, j, d, e) -> (h, i, d)>, affine_map<(h, i, j, d, e) -> (j, d)>, affine_map<(h, i, j, d, e) -> (j, e)>, affine_map<(h, i, j, d, e) -> (h, i, e)>, affine_map<(h, i, j, d, e) -> (h, i)>]
    ins(%q, %k, %k : tensor<4x11x16xf64>, tensor<70x16xf64>, tensor<70x16xf64>)
    outs(%o, %l : tensor<4x11x16xf64>, tensor<4x11xf64>) -> tensor<4x11x16xf64>, tensor<4x11xf64>
  return %r#0, %r#1 : tensor<4x11x16xf64>, tensor<4x11xf64>
}

func.func @all(%q0: tensor<2x6x3x32xf16>, %k0: tensor<2x2x205x32xf16>, %v0: tensor<2x2x205x48xf16>, %n0: tensor<2xi32>,
               %q1: tensor<4x2x20xbf16>, %k1: tensor<2x330x20xbf16>, %s1: tensor<4xf32>, %q2: tensor<4x11x16xf64>, %k2: tensor<70x16xf64>)
    -> (tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<4x2x20xbf16>,
        tensor<4x11x16xf64>, tensor<4x11xf64>) {
  %a:5 = call @grouped(%q0, %k0, %v0, %n0) : (tensor<2x6x3x32xf16>, tensor<2x2x205x32xf16>, tensor<2x2x205x48xf16>, tensor<2xi32>)
    -> (tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>)
  %b = call @window(%q1, %k1, %s1) : (tensor<4x2x20xbf16>, tensor<2x330x20xbf16>, tensor<4xf32>) -> tensor<4x2x20xbf16>
  %c:2 = call @tiles(%q2, %k2) : (tensor<4x11x16xf64>, tensor<70x16xf64>) -> (tensor<4x11x16xf64>, tensor<4x11xf64>)
  return %a#0, %a#1, %a#2, %a#3, %a#4, %b, %c#0, %c#1 : tensor<2x6x3x48xf16>, tensor<2x6x3xf32>, tensor<2x6x3xf32>, tensor<2x6x3xf32>,
      tensor<2x6x3xf32>, tensor<4x2x20xbf16>, tensor<4x11x16xf64>, tensor<4x11xf64>
}
