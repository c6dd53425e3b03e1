// A product has a block for each thread that it is told of: groups of columns where its rows are too few. One thread has
// all panels that fit half of the L2 cache. Where nothing is told there are two blocks.

// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: attn-opt %s --attn-set-target="target=cpu:x86-64-v4 threads=1" --attn-select-schedule 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: attn-opt %s --attn-set-target="target=cpu:x86-64-v4 threads=4" --attn-select-schedule 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: attn-opt %s --attn-set-target="target=cpu:x86-64-v4 threads=64" --attn-select-schedule 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: attn-opt %s --attn-plan-pipeline="target=cpu:x86-64-v4 threads=4" 2>&1 | FileCheck %s --check-prefix=FOUR

// UNKNOWN: schedule(#attn.contraction_schedule<rows = 66, depth = 128, panels = 4,
// ONE: schedule(#attn.contraction_schedule<rows = 66, depth = 128, panels = 8,
// FOUR: schedule(#attn.contraction_schedule<rows = 66, depth = 128, panels = 2,
// Rows are not copied for one panel each.
// MANY: schedule(#attn.contraction_schedule<rows = 66, depth = 128, panels = 2,
func.func @wide(%x: tensor<66x128xf32>, %w: tensor<128x512xf32>, %y: tensor<66x512xf32>) -> tensor<66x512xf32> {
  %0 = attn.linear ins(%x, %w : tensor<66x128xf32>, tensor<128x512xf32>) outs(%y : tensor<66x512xf32>) -> tensor<66x512xf32>
  return %0 : tensor<66x512xf32>
}

// Two blocks of rows are two halves of what four threads want.
// UNKNOWN: schedule(#attn.contraction_schedule<rows = 504, depth = 128, panels = 8,
// ONE: schedule(#attn.contraction_schedule<rows = 504, depth = 128, panels = 8,
// FOUR: schedule(#attn.contraction_schedule<rows = 504, depth = 128, panels = 4,
func.func @tall(%x: tensor<1008x128xf32>, %w: tensor<128x512xf32>, %y: tensor<1008x512xf32>) -> tensor<1008x512xf32> {
  %0 = attn.linear ins(%x, %w : tensor<1008x128xf32>, tensor<128x512xf32>) outs(%y : tensor<1008x512xf32>) -> tensor<1008x512xf32>
  return %0 : tensor<1008x512xf32>
}

// Rows that nobody knows: 512 of them are one block.
// ONE: schedule(#attn.contraction_schedule<rows = 51{{[2-9]}}, depth = 128, panels = 8,
func.func @unknown(%x: tensor<?x128xf32>, %w: tensor<128x512xf32>, %y: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %0 = attn.linear ins(%x, %w : tensor<?x128xf32>, tensor<128x512xf32>) outs(%y : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}
