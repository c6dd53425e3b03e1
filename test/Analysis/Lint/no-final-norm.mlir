// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// Four blocks, each of which adds a branch of second moment 1 to the stream: it
// leaves the function with 1 + 4. The norm that mends it is of the blocks' kind
// and eps, without gains of its own.
// CHECK-LABEL: @to_the_end
// CHECK-COUNT-3: attn.residual pre
// CHECK: %[[STREAM:.*]] = attn.residual pre
// CHECK: %[[LAST:.*]] = attn.norm layer axes [1] eps(1.000000e-05) ins(%[[STREAM]] : tensor<16x64xf32>) outs(
// CHECK-NEXT: return %[[LAST]]
func.func @to_the_end(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %x1 = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x2 = attn.residual pre(%x1 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x3 = attn.residual pre(%x2 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  // expected-warning@below {{[attn-w102] attn.residual: the stream of 4 Pre Norm blocks ends without a norm; its predicted second moment is 5, that of its input 1}}
  // expected-note@below {{mend it by attn.norm layer behind it}}
  %x4 = attn.residual pre(%x3 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w3 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %x4 : tensor<16x64xf32>
}

// A linear layer that reads the sum of the blocks, of RMS norms and a dynamic
// number of rows, is a bare end as well.
// CHECK-LABEL: @to_a_head
// CHECK: attn.residual pre
// CHECK: %[[STREAM:.*]] = attn.residual pre
// CHECK: %[[ROWS:.*]] = tensor.dim %[[STREAM]]
// CHECK: %[[INIT:.*]] = tensor.empty(%[[ROWS]])
// CHECK: %[[LAST:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[STREAM]] : tensor<?x64xf32>) outs(%[[INIT]]
// CHECK: attn.linear ins(%[[LAST]],
func.func @to_a_head(%x: tensor<?x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %rows: index, %table: tensor<64x100xf32>) -> tensor<?x100xf32> {
  %e = tensor.empty(%rows) : tensor<?x64xf32>
  %x1 = attn.residual pre(%x : tensor<?x64xf32>) norm {
  ^bb0(%z: tensor<?x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%z : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    attn.yield %n : tensor<?x64xf32>
  } branch {
  ^bb0(%h: tensor<?x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    attn.yield %f : tensor<?x64xf32>
  }
  // expected-warning@below {{[attn-w102] attn.residual: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1}}
  // expected-note@below {{mend it by attn.norm rms behind it}}
  %x2 = attn.residual pre(%x1 : tensor<?x64xf32>) norm {
  ^bb0(%z: tensor<?x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%z : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    attn.yield %n : tensor<?x64xf32>
  } branch {
  ^bb0(%h: tensor<?x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<?x64xf32>, tensor<64x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    attn.yield %f : tensor<?x64xf32>
  }
  %el = tensor.empty(%rows) : tensor<?x100xf32>
  %l = attn.linear ins(%x2, %table : tensor<?x64xf32>, tensor<64x100xf32>) outs(%el : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %l : tensor<?x100xf32>
}
