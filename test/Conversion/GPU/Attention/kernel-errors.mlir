// RUN: attn-opt %s --attn-lower-attention-to-gpu --split-input-file --verify-diagnostics

// What no kernel is made for has no such schedule; one written by hand is
// refused.
func.func @element_type(%q: memref<128x64xf8E5M2>) {
  // expected-error @+1 {{'attn.attention' op has no kernel on a GPU for elements of 'f8E5M2'}}
  attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
      ins(%q, %q, %q : memref<128x64xf8E5M2>, memref<128x64xf8E5M2>, memref<128x64xf8E5M2>) outs(%q : memref<128x64xf8E5M2>)
  return
}

// -----

func.func @loaded(%q: memref<128x64xf16>) {
  // expected-error @+1 {{'attn.attention' op has no kernel on a GPU that changes rows when they are loaded}}
  attn.attention scale(#attn.none) softmax(#attn.softmax) load_query [#attn.row_norm<l2, eps = 0.0>]
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
      ins(%q, %q, %q : memref<128x64xf16>, memref<128x64xf16>, memref<128x64xf16>) outs(%q : memref<128x64xf16>)
  return
}

// -----

func.func @stages(%q: memref<128x72xf16>) {
  // expected-error @+1 {{'attn.attention' op has no kernel with several stages for this type or these heads}}
  attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8, stages = 2>)
      ins(%q, %q, %q : memref<128x72xf16>, memref<128x72xf16>, memref<128x72xf16>) outs(%q : memref<128x72xf16>)
  return
}
