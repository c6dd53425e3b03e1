// RUN: attn-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(attn-verify-device-code))'

gpu.module @attn_kernels {
  llvm.func @k(%x: f32) -> f32 {
    // expected-error @below {{this op has no code on the GPU: math.sin}}
    %0 = math.sin %x : f32
    llvm.return %0 : f32
  }
}

// -----

gpu.module @attn_kernels {
  llvm.func @atan2f(f32, f32) -> f32
  llvm.func @k(%x: f32) -> f32 {
    // expected-error @below {{this calls 'atan2f', which the GPU does not have}}
    %0 = llvm.call @atan2f(%x, %x) : (f32, f32) -> f32
    llvm.return %0 : f32
  }
}

// -----

gpu.module @attn_kernels {
  llvm.func @k(%x: f32) -> f32 {
    // expected-error @below {{this op has no code on the GPU: llvm.intr.sin}}
    %0 = llvm.intr.sin(%x) : (f32) -> f32
    llvm.return %0 : f32
  }
}
