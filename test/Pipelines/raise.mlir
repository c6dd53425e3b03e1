// RUN: attn-opt %s --attn-raise-pipeline --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s

// Calls are inlined first, because exported modules keep helpers in functions
// of their own; nothing that could hide a pattern runs before it is raised. What
// casts say is noted before anything is simplified.
// CHECK: builtin.module(
// CHECK-NEXT: inline
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-order-threads
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-check-casts
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-lower-tm-tensor
// CHECK-NEXT: )
// CHECK-NEXT: symbol-dce
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: attn-split-complex
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-simplify-sizes
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-attention
// CHECK-NEXT: )
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// Attention is raised before linear layers, which look for products, too.
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-statistics
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-softmax
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-norm
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-activation
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-linear
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-rope
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-raise-cache
// CHECK-NEXT: )
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-remark-left
// CHECK-NEXT: )
// CHECK-NEXT: )
module {}
