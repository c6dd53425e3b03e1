// No number of threads changes a bit of a norm whose statistics are those of
// columns: neither of chunks of rows that are merged, nor of whole groups.

// RUN: mkdir -p %t
// RUN: attn-run %s --threads=1 --output=%t/1.npz --remarks 2>&1 | FileCheck %s
// RUN: attn-run %s --threads=2 --output=%t/2.npz --bench=0.05
// RUN: attn-run %s --threads=5 --output=%t/5.npz --bench=0.05
// RUN: cmp %t/1.npz %t/2.npz
// RUN: cmp %t/1.npz %t/5.npz

// REQUIRES: avx2

// CHECK-DAG: fast path: #attn.norm_schedule<{{.*}} panel = 4096, chunk = {{[0-9]+}}>
// CHECK-DAG: fast path: #attn.norm_schedule<{{.*}} panel = {{[0-9]+}}>

func.func @main(%x: tensor<9001x130xf32>, %m: tensor<130xf32>, %v: tensor<130xf32>, %z: tensor<100x33x700xf32>)
    -> (tensor<9001x130xf32>, tensor<130xf32>, tensor<130xf32>, tensor<100x33x700xf32>) {
  %0 = tensor.empty() : tensor<9001x130xf32>
  %batch:3 = attn.norm batch axes [0] eps(1.0e-05) ins(%x : tensor<9001x130xf32>) outs(%0 : tensor<9001x130xf32>)
      running(%m, %v : tensor<130xf32>, tensor<130xf32>) momentum(0.1) -> tensor<9001x130xf32>, tensor<130xf32>, tensor<130xf32>
  %1 = tensor.empty() : tensor<100x33x700xf32>
  %middle = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<100x33x700xf32>) outs(%1 : tensor<100x33x700xf32>) -> tensor<100x33x700xf32>
  return %batch#0, %batch#1, %batch#2, %middle : tensor<9001x130xf32>, tensor<130xf32>, tensor<130xf32>, tensor<100x33x700xf32>
}
