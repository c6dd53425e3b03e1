// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_80 --attn-select-schedule --verify-diagnostics

// What no kernel computes is decomposed, and says so: here a row that no block
// has the threads for.
func.func @positions(%x: tensor<4x65536xf32>, %init: tensor<4x65536xf32>) -> tensor<4x65536xf32> {
  // expected-remark @below {{[attn-r217] portable path: there is no kernel of this op for nvptx:sm_80}}
  %0 = attn.rope ins(%x : tensor<4x65536xf32>) outs(%init : tensor<4x65536xf32>) -> tensor<4x65536xf32>
  return %0 : tensor<4x65536xf32>
}

// Each element alone is no row.
func.func @elements(%x: tensor<7xf32>, %init: tensor<7xf32>) -> tensor<7xf32> {
  // expected-remark @below {{[attn-r217] portable path: there is no kernel of this op for nvptx:sm_80}}
  %0 = attn.statistics kurtosis axes [] ins(%x : tensor<7xf32>) outs(%init : tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func @attention(%q: tensor<4x512xf16>, %k: tensor<4x512xf16>, %v: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %init = tensor.empty() : tensor<4x8xf16>
  // expected-remark @below {{[attn-r218] portable path: no attention kernel for nvptx:sm_80 takes heads of more than 256}}
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<4x512xf16>, tensor<4x512xf16>, tensor<4x8xf16>)
      outs(%init : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %o : tensor<4x8xf16>
}
