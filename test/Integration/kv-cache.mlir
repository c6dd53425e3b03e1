// A step of decoding appends one row to caches that are updated in place, and
// attends to what they hold then. The reference sees the same function on values.
// RUN: python3 %S/Inputs/kv-cache.py %t.npz
// RUN: attn-run %s --entry=step --inputs=%t.npz --check --threads=1 --output=%t.1.npz | FileCheck %s
// RUN: attn-run %s --entry=step --inputs=%t.npz --check --threads=2 --output=%t.2.npz --bench=0.01 | FileCheck %s
// RUN: cmp %t.1.npz %t.2.npz
// RUN: attn-run %s --entry=step --inputs=%t.npz --check --target=cpu:x86-64-v3 | FileCheck %s
// RUN: attn-run %s --entry=step --inputs=%t.npz --check --portable | FileCheck %s --check-prefix=MATCH
// RUN: attn-opt %s --attn-to-cpu=target=cpu:x86-64-v4 --mlir-print-ir-after=attn-lower-to-vector -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPLACE

// Nothing of a cache's size is allocated or copied: the only copies are new rows.
// The same holds for bf16: the whole file is read again with that type.
// RUN: sed s/xf32/xbf16/g %s > %t.bf16.mlir
// RUN: python3 %S/Inputs/kv-cache.py %t.bf16.npz bf16
// RUN: attn-run %t.bf16.mlir --entry=step --inputs=%t.bf16.npz --check | FileCheck %s
// RUN: attn-opt %t.bf16.mlir --attn-to-cpu=target=cpu:x86-64-v4 --mlir-print-ir-after=attn-lower-to-vector -o /dev/null 2>&1 | FileCheck %t.bf16.mlir --check-prefix=INPLACE
// INPLACE-LABEL: func.func @step(
// INPLACE-NOT: {{memref.alloc|linalg.}}{{.*}}memref<3x2x?x{{40|24}}x
// INPLACE-NOT: memref.copy
// INPLACE: memref.copy %{{.*}}, %{{.*}} : memref<1x2x1x40xf32, {{.*}} to memref<1x2x1x40xf32
// INPLACE-NOT: memref.copy
// INPLACE: memref.copy %{{.*}}, %{{.*}} : memref<1x2x1x24xf32, {{.*}} to memref<1x2x1x24xf32
// INPLACE-NOT: memref.copy
// INPLACE-NOT: {{memref.alloc|linalg.}}{{.*}}memref<3x2x?x{{40|24}}x
// INPLACE: return

// CHECK: kernel step:0: #attn.schedule<{{.*}}splitKeys
// MATCH: kernel step:0: portable
// CHECK: out0 against f64 reference: match
// CHECK: out1 against f64 reference: match, max error 0,
// CHECK: out2 against f64 reference: match, max error 0,
// MATCH: out0 against f64 reference: match
// MATCH: out1 against f64 reference: match, max error 0,
// MATCH: out2 against f64 reference: match, max error 0,

// REQUIRES: avx2

// Each sequence of the batch has its own length; ALiBi and the scale follow it.
func.func @step(%query: tensor<3x4x1x40xf32>, %new_key: tensor<3x2x1x40xf32>, %new_value: tensor<3x2x1x24xf32>,
                %keys: tensor<3x2x?x40xf32> {attn.inout = 1 : index},
                %values: tensor<3x2x?x24xf32> {attn.inout = 2 : index},
                %lengths: tensor<3xi32>)
    -> (tensor<3x4x1x24xf32>, tensor<3x2x?x40xf32>, tensor<3x2x?x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k, %v = scf.for %b = %c0 to %c3 step %c1 iter_args(%kb = %keys, %vb = %values)
      -> (tensor<3x2x?x40xf32>, tensor<3x2x?x24xf32>) {
    %length = tensor.extract %lengths[%b] : tensor<3xi32>
    %at = arith.index_cast %length : i32 to index
    %key_row = tensor.extract_slice %new_key[%b, 0, 0, 0] [1, 2, 1, 40] [1, 1, 1, 1]
      : tensor<3x2x1x40xf32> to tensor<1x2x1x40xf32>
    %value_row = tensor.extract_slice %new_value[%b, 0, 0, 0] [1, 2, 1, 24] [1, 1, 1, 1]
      : tensor<3x2x1x24xf32> to tensor<1x2x1x24xf32>
    %kn = tensor.insert_slice %key_row into %kb[%b, 0, %at, 0] [1, 2, 1, 40] [1, 1, 1, 1]
      : tensor<1x2x1x40xf32> into tensor<3x2x?x40xf32>
    %vn = tensor.insert_slice %value_row into %vb[%b, 0, %at, 0] [1, 2, 1, 24] [1, 1, 1, 1]
      : tensor<1x2x1x24xf32> into tensor<3x2x?x24xf32>
    scf.yield %kn, %vn : tensor<3x2x?x40xf32>, tensor<3x2x?x24xf32>
  }
  %one = arith.constant dense<1> : tensor<3xi32>
  %seen = arith.addi %lengths, %one : tensor<3xi32>
  %init = tensor.empty() : tensor<3x4x1x24xf32>
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax1)
    align(bottom_right) bias [#attn.alibi] masks [#attn.causal, #attn.kv_lengths]
    ins(%query, %k, %v : tensor<3x4x1x40xf32>, tensor<3x2x?x40xf32>, tensor<3x2x?x24xf32>)
    params(%seen : tensor<3xi32>) outs(%init : tensor<3x4x1x24xf32>) -> tensor<3x4x1x24xf32>
  return %o, %k, %v : tensor<3x4x1x24xf32>, tensor<3x2x?x40xf32>, tensor<3x2x?x24xf32>
}
