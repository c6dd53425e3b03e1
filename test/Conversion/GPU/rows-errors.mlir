// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @power(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-05)
      // expected-error @below {{schedule rowWarps must be a power of two, got 3}}
      schedule(#attn.gpu_rows<rowWarps = 3, blockWarps = 3>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @block(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-05)
      // expected-error @below {{schedule blockWarps (4) must be rowWarps (2), where that is more than 1}}
      schedule(#attn.gpu_rows<rowWarps = 2, blockWarps = 4>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @long(%x: memref<8x65xf32>, %y: memref<8x65xf32>) {
  // expected-error @below {{schedule_c1: a schedule that keeps rows in registers takes rows of at most 64 elements}}
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 2>)
      ins(%x : memref<8x65xf32>) outs(%y : memref<8x65xf32>)
  return
}

// -----

func.func @columns(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{schedule_c1: a schedule of rows is strided where the last dimension is not of a row, and only there}}
  attn.norm rms axes [0] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @strided(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{schedule_c1: a schedule of rows is strided where the last dimension is not of a row, and only there}}
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, strided = true>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @chunk(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{schedule_c1: a schedule of rows cuts them where they are the last dimensions of a softmax or a statistic, and keeps nothing in registers then}}
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, chunk = 16>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @positions(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{schedule_c1: a schedule of positions keeps rows in registers}}
  attn.rope schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

// Each element alone.
func.func @no_rows(%x: memref<7xf32>, %y: memref<7xf32>) {
  // expected-error @below {{schedule_c1: a schedule of rows takes rows of at least one dimension: without one the op takes the portable path}}
  attn.statistics kurtosis axes [] schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 1, strided = true>)
      ins(%x : memref<7xf32>) outs(%y : memref<7xf32>)
  return
}
