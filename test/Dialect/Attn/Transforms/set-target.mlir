// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 | FileCheck %s
// RUN: attn-opt %s --attn-set-target="target=cpu:x86-64-v4 threads=4" | attn-opt --attn-set-target=target=cpu:x86-64 | FileCheck %s --check-prefix=AGAIN
// RUN: attn-opt %s --attn-set-target="target=cpu:x86-64-v4 threads=4" | FileCheck %s --check-prefix=THREADS

// RUN: attn-opt %s --attn-set-target=target=nvptx:sm_90a | attn-opt | FileCheck %s --check-prefix=GPU

// GPU: module attributes {attn.target = #attn.target<nvptx, name = "nvptx:sm_90a", triple = "nvptx64-nvidia-cuda", features = ["sm_90a", "ptx80"]

// The module says what the name stands for.
// CHECK: module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64-v3", triple = "x86_64-unknown-linux-gnu",
// CHECK-SAME: features = ["avx", "avx2", {{.*}} "fma", {{.*}}], vectorBits = 256, registers = 16,
// CHECK-SAME: l1 = 32768, l2 = 1048576>}

// What was there before is replaced.
// AGAIN: module attributes {attn.target = #attn.target<cpu, name = "cpu:x86-64", {{.*}}, vectorBits = 128, registers = 16, l1 = 32768, l2 = 1048576>}

// THREADS: vectorBits = 512, registers = 32, l1 = 32768, l2 = 1048576, threads = 4>
module {}
