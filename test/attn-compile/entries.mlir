// Every public function is an entry, or the one that --entry names; others stay
// inside. What an object needs from outside is said aloud.

// REQUIRES: x86
// RUN: rm -rf %t && mkdir -p %t
// RUN: attn-compile %s --target=cpu:x86-64-v3 -o %t/all 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: attn-compile: warning: the object calls sinf, which its host has to link (mathematics: -lm)
// RUN: llvm-nm --defined-only --extern-only --format=just-symbols %t/all.o | sort | FileCheck %s --check-prefix=ALL
// ALL: {{^}}mask{{$}}
// ALL-NEXT: mask__shapes
// ALL: {{^}}sine{{$}}
// ALL-NEXT: sine__shapes
// ALL-NOT: twice

// RUN: %python %S/Inputs/check_metadata.py %t/all.json | FileCheck %s --check-prefix=JSON
// JSON: sine(f32[n0,8]) -> f32[n0,8]
// JSON-NEXT: bytes 32*n0 + 32*n0
// JSON-NEXT: mask(bool[n0], i32[n1], bf16[n0,n1]) -> i64[]
// JSON-NEXT: bytes 1*n0 + 4*n1 + 2*n0*n1 + 8
// JSON: needs {{.*}}sinf

// Equal names in the header are equal sizes; an updated argument has no output
// of its own.
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/all.h
// HEADER: sine: inputs
// HEADER: arg0  [n0, 8]  float {kDLFloat, 32, 1}
// HEADER: mask: inputs
// HEADER: arg0  [n0]  bytes, zero or not {kDLUInt, 8, 1}
// HEADER: arg1  [n1]  int32_t {kDLInt, 32, 1}
// HEADER: arg2  [n0, n1]  bfloat16 {kDLBfloat, 16, 1}
// HEADER: updated in place: it is also result 1; last stride 1
// HEADER: out0  []  int64_t {kDLInt, 64, 1}

// RUN: attn-compile %s --entry=mask --target=cpu:x86-64-v3 --emit=obj -o %t/one 2>&1 | count 0
// RUN: llvm-nm --defined-only --extern-only --format=just-symbols %t/one.o | sort | FileCheck %s --check-prefix=ONE
// RUN: not ls %t/one.h
// ONE-NOT: sine
// ONE: {{^}}mask{{$}}
// ONE-NOT: sine

func.func @sine(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = math.sin %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

func.func private @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = arith.addf %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @mask(%keep: tensor<?xi1>, %ids: tensor<?xi32>, %table: tensor<?x?xbf16> {attn.inout = 1 : index})
    -> (tensor<i64>, tensor<?x?xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %count = arith.constant dense<0> : tensor<i64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%keep, %ids, %table : tensor<?xi1>, tensor<?xi32>, tensor<?x?xbf16>) outs(%count : tensor<i64>) {
  ^bb0(%k: i1, %id: i32, %t: bf16, %so_far: i64):
    %wide = arith.extui %k : i1 to i64
    %next = arith.addi %so_far, %wide : i64
    linalg.yield %next : i64
  } -> tensor<i64>
  %cleared = linalg.fill ins(%zero : bf16) outs(%table : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %sum, %cleared : tensor<i64>, tensor<?x?xbf16>
}
