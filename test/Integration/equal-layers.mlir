// RUN: attn-opt %s --split-input-file --attn-to-cpu=target=cpu:x86-64-v3 2>/dev/null | grep -oE 'llvm.func internal @[a-z_0-9]+' | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-to-cpu=target=cpu:x86-64-v3 2>/dev/null | FileCheck %s --check-prefix=CALLS
// RUN: attn-run %s --entry=equal --check
// RUN: attn-run %s --entry=equal --check --threads=2
// RUN: attn-run %s --entry=other --check
// RUN: attn-compile %s -o %t.a && attn-compile %s -o %t.b
// RUN: cmp %t.a.o %t.b.o

// Three equal layers: a kernel for their norms and one for their products,
// beside what comes before and behind them.
// CHECK-DAG: @equal__unit__body0
// CHECK-DAG: @equal__unit__shared0__body0
// CHECK-DAG: @equal__unit__shared1__body0
// CHECK-NOT: @equal__{{.*}}body
// CALLS-LABEL: llvm.func internal @equal__unit(
// CALLS-COUNT-6: llvm.call @equal__unit__shared{{[01]}}(
// CALLS: llvm.return
func.func @equal(%x: tensor<512x32xf32>, %first: tensor<32x96xf32>,
    %w0: tensor<96x96xf32>, %w1: tensor<96x96xf32>, %w2: tensor<96x96xf32>,
    %last: tensor<96x16xf32>) -> tensor<512x16xf32> {
  %init = tensor.empty() : tensor<512x96xf32>
  %narrow = tensor.empty() : tensor<512x16xf32>
  %a = attn.linear ins(%x, %first : tensor<512x32xf32>, tensor<32x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n0 = attn.norm rms axes [1] eps(1.0e-06) ins(%a : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y0 = attn.linear ins(%n0, %w0 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n1 = attn.norm rms axes [1] eps(1.0e-06) ins(%y0 : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y1 = attn.linear ins(%n1, %w1 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n2 = attn.norm rms axes [1] eps(1.0e-06) ins(%y1 : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y2 = attn.linear ins(%n2, %w2 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %z = attn.linear ins(%y2, %last : tensor<512x96xf32>, tensor<96x16xf32>)
      outs(%narrow : tensor<512x16xf32>) -> tensor<512x16xf32>
  return %z : tensor<512x16xf32>
}

// -----

// The norm of the last layer has another eps.
// CHECK-DAG: @other__unit__body0
// CHECK-DAG: @other__unit__body1
// CHECK-DAG: @other__unit__shared0__body0
// CHECK-DAG: @other__unit__shared1__body0
// CHECK-NOT: @other__{{.*}}body
// CALLS-LABEL: llvm.func internal @other__unit(
// CALLS-COUNT-5: llvm.call @other__unit__shared{{[01]}}(
// CALLS: llvm.return
func.func @other(%x: tensor<512x32xf32>, %first: tensor<32x96xf32>,
    %w0: tensor<96x96xf32>, %w1: tensor<96x96xf32>, %w2: tensor<96x96xf32>,
    %last: tensor<96x16xf32>) -> tensor<512x16xf32> {
  %init = tensor.empty() : tensor<512x96xf32>
  %narrow = tensor.empty() : tensor<512x16xf32>
  %a = attn.linear ins(%x, %first : tensor<512x32xf32>, tensor<32x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n0 = attn.norm rms axes [1] eps(1.0e-06) ins(%a : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y0 = attn.linear ins(%n0, %w0 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n1 = attn.norm rms axes [1] eps(1.0e-06) ins(%y0 : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y1 = attn.linear ins(%n1, %w1 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %n2 = attn.norm rms axes [1] eps(1.0e-05) ins(%y1 : tensor<512x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y2 = attn.linear ins(%n2, %w2 : tensor<512x96xf32>, tensor<96x96xf32>)
      outs(%init : tensor<512x96xf32>) -> tensor<512x96xf32>
  %z = attn.linear ins(%y2, %last : tensor<512x96xf32>, tensor<96x16xf32>)
      outs(%narrow : tensor<512x16xf32>) -> tensor<512x16xf32>
  return %z : tensor<512x16xf32>
}
