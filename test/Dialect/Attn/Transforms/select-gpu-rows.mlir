// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_80 --attn-select-schedule --verify-diagnostics -o /dev/null

// Most multiprocessors wait where rows are few and long: a block has a row.
func.func @few_long(%x: tensor<4x65536xf32>) -> tensor<4x65536xf32> {
  %init = tensor.empty() : tensor<4x65536xf32>
  // expected-remark @+2 {{[attn-r251] fast path: #attn.gpu_rows<rowWarps = 8, blockWarps = 8, width = 4>}}
  // expected-remark @+1 {{[attn-r255] 4 long rows are all that 108 multiprocessors have: a block computes all of a row}}
  %y = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<4x65536xf32>) outs(%init : tensor<4x65536xf32>) -> tensor<4x65536xf32>
  return %y : tensor<4x65536xf32>
}

func.func @many_long(%x: tensor<108x65536xf32>) -> tensor<108x65536xf32> {
  %init = tensor.empty() : tensor<108x65536xf32>
  // expected-remark @+1 {{[attn-r251] fast path}}
  %y = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<108x65536xf32>) outs(%init : tensor<108x65536xf32>) -> tensor<108x65536xf32>
  return %y : tensor<108x65536xf32>
}

func.func @few_short(%x: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %init = tensor.empty() : tensor<4x4096xf32>
  // expected-remark @+1 {{[attn-r251] fast path}}
  %y = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<4x4096xf32>) outs(%init : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  return %y : tensor<4x4096xf32>
}
