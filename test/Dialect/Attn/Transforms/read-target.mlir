// RUN: attn-opt %s --attn-select-schedule --split-input-file 2>/dev/null | FileCheck %s

// Passes read what the module says, not what the name stands for: vectors of four lanes in 32 registers.
// CHECK: schedule(#attn.schedule<rows = 12, keys = 64, lanes = 4, mr = 8, nr = 3>)
module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v3", triple = "x86_64-unknown-linux-gnu",
    features = ["avx", "avx2", "fma"], vectorBits = 128, registers = 32, l1 = 32768, l2 = 1048576>} {
  func.func @f(%q: tensor<2x12x64xf32>, %k: tensor<2x96x64xf32>, %v: tensor<2x96x64xf32>, %init: tensor<2x12x64xf32>)
      -> tensor<2x12x64xf32> {
    %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x12x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>)
        outs(%init : tensor<2x12x64xf32>) -> tensor<2x12x64xf32>
    return %0 : tensor<2x12x64xf32>
  }
}

// -----

// Without the feature of fused multiply-adds there is no fast path, however wide the vectors.
// CHECK: attn.attention
// CHECK-NOT: schedule
// CHECK: return
module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v3", triple = "x86_64-unknown-linux-gnu",
    features = ["avx", "avx2"], vectorBits = 256, registers = 16, l1 = 32768, l2 = 1048576>} {
  func.func @f(%q: tensor<2x12x64xf32>, %k: tensor<2x96x64xf32>, %v: tensor<2x96x64xf32>, %init: tensor<2x12x64xf32>)
      -> tensor<2x12x64xf32> {
    %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<2x12x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>)
        outs(%init : tensor<2x12x64xf32>) -> tensor<2x12x64xf32>
    return %0 : tensor<2x12x64xf32>
  }
}
