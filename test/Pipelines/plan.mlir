// RUN: attn-opt %s --attn-plan-pipeline=target=cpu:x86-64-v3 --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-opt %s "--attn-plan-pipeline=target=cpu:x86-64-v3 portable-only=1" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PORTABLE

// Sizes are recorded while attention is still one op.
// CHECK: builtin.module(
// CHECK-NEXT: attn-set-target{target=cpu:x86-64-v3 threads=0}
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-order-threads
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-expand-upstream
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-check-upstream
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-expand-blocks
// CHECK-NEXT: )
// CHECK-NEXT: attn-check-sizes
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-count-seen-keys
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-order-keys
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-fuse-epilogue
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-select-schedule
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-fuse-residual-norm
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-fuse-rope
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-fuse-qk-norm
// CHECK-NEXT: )
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-tile
// CHECK-NEXT: )
// CHECK-NEXT: attn-decompose{ignore-schedules=false keep-tiles=true}
// CHECK-NEXT: convert-elementwise-to-linalg
// CHECK-NEXT: canonicalize
// CHECK-NEXT: cse
// CHECK-NEXT: attn-fuse-elementwise
// CHECK-NEXT: func.func(
// CHECK-NEXT: attn-schedule-contractions
// CHECK-NEXT: )
// CHECK-NEXT: )

// PORTABLE: builtin.module(
// PORTABLE-NEXT: attn-set-target{target=cpu:x86-64-v3 threads=0}
// PORTABLE-NEXT: func.func(
// PORTABLE-NEXT: attn-order-threads
// PORTABLE-NEXT: )
// PORTABLE-NEXT: func.func(
// PORTABLE-NEXT: attn-expand-upstream
// PORTABLE-NEXT: )
// PORTABLE-NEXT: func.func(
// PORTABLE-NEXT: attn-check-upstream
// PORTABLE-NEXT: )
// PORTABLE-NEXT: func.func(
// PORTABLE-NEXT: attn-expand-blocks
// PORTABLE-NEXT: )
// PORTABLE-NEXT: attn-check-sizes
// PORTABLE-NEXT: func.func(
// PORTABLE-NEXT: attn-count-seen-keys
// PORTABLE-NEXT: )
// PORTABLE-NEXT: attn-decompose{ignore-schedules=true keep-tiles=true}
// PORTABLE-NEXT: convert-elementwise-to-linalg
// PORTABLE-NEXT: canonicalize
// PORTABLE-NEXT: cse
// PORTABLE-NEXT: attn-fuse-elementwise
// PORTABLE-NEXT: )
module {}
