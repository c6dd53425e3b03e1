// RUN: attn-opt %s --attn-to-cpu=target=cpu:x86-64-v3 --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s

// The whole order. Where it matters: sizes are recorded before tiling; elementwise
// fusion follows raising; memrefs are lowered before arithmetic, because
// memref.dim wants to see that its index is constant; the kernel is verified
// while its parallel loops are still in place.
// CHECK: builtin.module(
// CHECK-NEXT: inline
// CHECK-NEXT: symbol-dce
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-attention
// CHECK-NEXT: )
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: attn-record-sizes
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-select-schedule{target=cpu:x86-64-v3}
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-tile
// CHECK-NEXT: )
// CHECK-NEXT: attn-decompose{keep-tiles=true}
// CHECK-NEXT: convert-elementwise-to-linalg
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: attn-fuse-elementwise
// CHECK-NEXT: attn-results-to-destinations
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: eliminate-empty-tensors
// CHECK-NEXT: empty-tensor-to-alloc-tensor
// CHECK-NEXT: one-shot-bufferize{{.*}}bufferize-function-boundaries=true
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: ownership-based-buffer-deallocation
// CHECK-NEXT: canonicalize
// CHECK-NEXT: buffer-deallocation-simplification
// CHECK-NEXT: bufferization-lower-deallocations
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: func.func(
// CHECK-NEXT: optimize-allocation-liveness
// CHECK-NEXT: )
// CHECK-NEXT: attn-lower-to-vector{target=cpu:x86-64-v3}
// CHECK-NEXT: attn-lower-contractions{target=cpu:x86-64-v3}
// CHECK-NEXT: attn-unit-inner-strides
// CHECK-NEXT: attn-expand-copies
// CHECK-NEXT: func.func(
// CHECK-NEXT: convert-linalg-to-loops
// CHECK-NEXT: )
// CHECK-NEXT: attn-booleans-to-bytes
// CHECK-NEXT: attn-expand-math
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: attn-verify-kernel
// CHECK-NEXT: attn-outline-parallel{target=cpu:x86-64-v3}
// CHECK-NEXT: expand-strided-metadata
// CHECK-NEXT: lower-affine
// CHECK-NEXT: convert-scf-to-cf
// CHECK-NEXT: attn-place-scratch
// CHECK-NEXT: attn-emit-entry{target=cpu:x86-64-v3}
// CHECK-NEXT: arith-expand{include-bf16=true
// CHECK-NEXT: convert-vector-to-llvm
// CHECK-NEXT: finalize-memref-to-llvm
// CHECK-NEXT: convert-math-to-llvm
// CHECK-NEXT: convert-math-to-libm
// CHECK-NEXT: convert-arith-to-llvm
// CHECK-NEXT: convert-index-to-llvm
// CHECK-NEXT: convert-cf-to-llvm
// CHECK-NEXT: convert-func-to-llvm
// CHECK-NEXT: convert-ub-to-llvm
// CHECK-NEXT: reconcile-unrealized-casts
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: )
module {}
