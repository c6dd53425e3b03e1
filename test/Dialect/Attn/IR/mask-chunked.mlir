// #attn.chunked: its text, its tiles, its flops, what raises to it, and numbers.

// RUN: mkdir -p %t
// RUN: split-file %s %t
// RUN: cat %S/Inputs/spelled-attention.mlir %t/mask.mlir > %t/spelled.mlir
// RUN: attn-opt %t/ops.mlir --verify-roundtrip | FileCheck %s
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics
// RUN: attn-opt %t/ops.mlir --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: attn-run %t/ops.mlir --entry=chunked --json=%t/flops.json
// RUN: FileCheck %s --check-prefix=FLOPS --input-file=%t/flops.json
// RUN: attn-opt %t/spelled.mlir --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=RAISED
// RUN: attn-run %t/spelled.mlir --entry=equal --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: attn-run %t/spelled.mlir --entry=offset --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: attn-run %t/spelled.mlir --entry=offset --check --portable | FileCheck %s --check-prefix=PORTABLE

// CHECK: masks [#attn.chunked<70>]

// Chunks have a first key, too: a loop over the sides has an edge and the full
// part; the first key is a multiple of the size.
// TILE-LABEL: @chunked
// TILE: arith.divsi %{{.*}}, %c70
// TILE: scf.for
// TILE: scf.for
// TILE: attn.online_attention {{.*}} masks [#attn.chunked<70>]
// TILE: scf.for
// TILE: attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) align(top_left) schedule
// TILE-NOT: attn.online_attention
// TILE: attn.finalize

// Rows 0 to 69 and 70 to 95 see 1 to 70 and 1 to 26 keys: 2 * 128 for each of
// 2 * (70 * 71 / 2 + 26 * 27 / 2) pairs.
// FLOPS: "flops": 1452032,

// RAISED-LABEL: @equal
// RAISED: align(top_left) masks [#attn.chunked<16>] ins
// RAISED-LABEL: @offset
// RAISED: align(bottom_right) masks [#attn.chunked<12>] ins
// Chunks that are seen as a whole are not causal, and stay a mask of booleans.
// RAISED-LABEL: @whole
// RAISED-NOT: #attn.chunked
// RAISED: masks [#attn.dense_mask]

// FAST-DAG: remark: {{.*}}fast path
// FAST-DAG: {{: match}}
// PORTABLE: match

//--- ops.mlir
func.func @chunked(%q: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  %o = tensor.empty() : tensor<2x96x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.chunked<70>]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%o : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

//--- errors.mlir
func.func @no_keys(%q: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // expected-error @+1 {{a chunk has 1 to 2147483647 keys, not 0}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.chunked<0>]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// -----

func.func @no_align(%q: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // expected-error @+1 {{attention_c9}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.chunked<16>]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

//--- mask.mlir
// The quotients are equal, as PyTorch's mask functions have it.
func.func @equal(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x40x56xf32>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %out: f32):
    %row = linalg.index 1 : index
    %column = linalg.index 2 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %column : index to i64
    %size = arith.constant 16 : i64
    %ci = arith.floordivsi %i, %size : i64
    %cj = arith.floordivsi %j, %size : i64
    %same = arith.cmpi eq, %ci, %cj : i64
    %past = arith.cmpi sle, %j, %i : i64
    %keep = arith.andi %past, %same : i1
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}

// 40 rows behind 16 keys more, and a key is hidden before the chunk's first.
func.func @offset(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x40x56xf32>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %out: f32):
    %row = linalg.index 1 : index
    %j = linalg.index 2 : index
    %shift = arith.constant 16 : index
    %size = arith.constant 12 : index
    %i = arith.addi %row, %shift : index
    %c = arith.divsi %i, %size : index
    %first = arith.muli %c, %size : index
    %before = arith.cmpi slt, %j, %first : index
    %ahead = arith.cmpi sgt, %j, %i : index
    %hide = arith.ori %before, %ahead : i1
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %hide, %fill, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}

func.func @whole(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x40x56xf32>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %size = arith.constant 16 : index
    %ci = arith.floordivsi %i, %size : index
    %cj = arith.floordivsi %j, %size : index
    %keep = arith.cmpi eq, %ci, %cj : index
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}
