// RUN: attn-opt %s --attn-to-linalg --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s

// Raise, then decompose, tiles included.
// CHECK: inline
// CHECK: attn-raise-attention
// CHECK: attn-raise-softmax
// CHECK: attn-raise-norm
// CHECK: attn-raise-activation
// CHECK: attn-raise-linear
// CHECK: attn-raise-rope
// CHECK: attn-raise-cache
// CHECK: attn-decompose{ignore-schedules=false keep-tiles=false}
// CHECK-NEXT: )
module {}
