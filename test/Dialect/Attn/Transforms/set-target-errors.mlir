// RUN: not attn-opt %s --attn-set-target=target=cpu:z80 2>&1 | FileCheck %s
// RUN: not attn-opt %s --attn-set-target=target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not attn-opt %s --attn-set-target=target=nvptx:sm_81 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not attn-opt %s --attn-plan-pipeline=target=cpu:z80 2>&1 | FileCheck %s
// RUN: not attn-opt %s --attn-set-target=threads=-1 2>&1 | FileCheck %s --check-prefix=THREADS

// An unknown target is an error that lists the known ones.
// CHECK: error: unknown target 'cpu:z80'; known: cpu, cpu:x86-64, cpu:x86-64-v3, cpu:x86-64-v4, cpu:x86-64-v4-bf16, cpu:x86-64-v4-amx
// NEAR: error: unknown target 'x86-64-v3'; known: {{.*}}; did you mean 'cpu:x86-64-v3'?
// GPU: error: unknown target 'nvptx:sm_81'; known: {{.*}} nvptx:sm_80, nvptx:sm_86, nvptx:sm_89, nvptx:sm_90, nvptx:sm_90a; did you mean 'nvptx:sm_80'?
// THREADS: error: a target's threads must be from 0 to 1048576, got -1
module {}
