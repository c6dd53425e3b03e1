// #attn.prefix_lm: its text, its tiles, what raises to it, and numbers.

// RUN: mkdir -p %t
// RUN: split-file %s %t
// RUN: cat %S/Inputs/spelled-attention.mlir %t/mask.mlir > %t/spelled.mlir
// RUN: attn-opt %t/ops.mlir --verify-roundtrip | FileCheck %s
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics
// RUN: attn-opt %t/ops.mlir --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: attn-opt %t/spelled.mlir --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=RAISED
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); n = lambda *s: r.standard_normal(s, np.float32); \
// RUN:   np.savez(r'%t/in.npz', arg0=n(2, 40, 8), arg1=n(2, 56, 8), arg2=n(2, 56, 8), arg3=np.array([31, 0]))"
// RUN: attn-run %t/spelled.mlir --entry=either --inputs=%t/in.npz --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: attn-run %t/spelled.mlir --entry=hidden --inputs=%t/in.npz --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: attn-run %t/spelled.mlir --entry=hidden --inputs=%t/in.npz --check --portable | FileCheck %s --check-prefix=PORTABLE

// CHECK: masks [#attn.prefix_lm]

// A row sees one range from key 0: a full part and an edge, as under a causal mask.
// TILE-LABEL: @prefix
// TILE: attn.pack_query
// TILE: scf.for
// TILE: attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) align(bottom_right) schedule
// TILE: scf.for
// TILE: attn.online_attention {{.*}} masks [#attn.prefix_lm]
// TILE-NOT: scf.for %

// RAISED-LABEL: @either
// RAISED: align(top_left) masks [#attn.prefix_lm]
// RAISED-SAME: params(%arg3 : tensor<2xi64>)
// RAISED-LABEL: @hidden
// RAISED: align(bottom_right) masks [#attn.prefix_lm]
// RAISED-SAME: params(%arg3 : tensor<2xi64>)
// A prefix of which each row sees what is before it and not only that is another mask.
// RAISED-LABEL: @from_the_end
// RAISED-NOT: #attn.prefix_lm

// FAST-DAG: remark: {{.*}}fast path
// FAST-DAG: {{: match}}
// PORTABLE: match

//--- ops.mlir
func.func @prefix(%q: tensor<2x1x96x64xf32>, %k: tensor<2x1x200x64xf32>, %prefix: tensor<2xi32>) -> tensor<2x1x96x64xf32> {
  %o = tensor.empty() : tensor<2x1x96x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.prefix_lm]
      ins(%q, %k, %k : tensor<2x1x96x64xf32>, tensor<2x1x200x64xf32>, tensor<2x1x200x64xf32>) params(%prefix : tensor<2xi32>)
      outs(%o : tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32>
  return %0 : tensor<2x1x96x64xf32>
}

//--- errors.mlir
func.func @no_param(%q: tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32> {
  // expected-error @+1 {{attention_c7}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.prefix_lm]
      ins(%q, %q, %q : tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>)
      outs(%q : tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32>
  return %0 : tensor<2x1x96x64xf32>
}

// -----

func.func @floats(%q: tensor<2x1x96x64xf32>, %prefix: tensor<2xf32>) -> tensor<2x1x96x64xf32> {
  // expected-error @+1 {{attention_c8: param 'prefix lengths' must hold integers}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.prefix_lm]
      ins(%q, %q, %q : tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>) params(%prefix : tensor<2xf32>)
      outs(%q : tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32>
  return %0 : tensor<2x1x96x64xf32>
}

// -----

func.func @no_align(%q: tensor<2x1x96x64xf32>, %prefix: tensor<2xi32>) -> tensor<2x1x96x64xf32> {
  // expected-error @+1 {{attention_c9}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.prefix_lm]
      ins(%q, %q, %q : tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>, tensor<2x1x96x64xf32>) params(%prefix : tensor<2xi32>)
      outs(%q : tensor<2x1x96x64xf32>) -> tensor<2x1x96x64xf32>
  return %0 : tensor<2x1x96x64xf32>
}

//--- mask.mlir
#head = affine_map<(h, m, n) -> (h)>

// causal or prefix, as mask functions are put together.
func.func @either(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>, %prefix: tensor<2xi64>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #head, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %prefix : tensor<2x40x56xf32>, tensor<2xi64>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %length: i64, %out: f32):
    %row = linalg.index 1 : index
    %column = linalg.index 2 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %column : index to i64
    %fill = arith.constant 0xFF800000 : f32
    %past = arith.cmpi sge, %i, %j : i64
    %known = arith.cmpi slt, %j, %length : i64
    %keep = arith.ori %past, %known : i1
    %y = arith.select %keep, %x, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}

// Hidden where both say so; 40 rows behind 16 keys more.
func.func @hidden(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>, %prefix: tensor<2xi64>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #head, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %prefix : tensor<2x40x56xf32>, tensor<2xi64>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %length: i64, %out: f32):
    %row = linalg.index 1 : index
    %column = linalg.index 2 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %column : index to i64
    %fill = arith.constant 0xFF800000 : f32
    %shift = arith.constant 16 : i64
    %position = arith.addi %i, %shift : i64
    %ahead = arith.cmpi sgt, %j, %position : i64
    %behind = arith.cmpi sge, %j, %length : i64
    %hide = arith.andi %ahead, %behind : i1
    %y = arith.select %hide, %fill, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}

func.func @from_the_end(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>, %v: tensor<2x56x8xf32>, %prefix: tensor<2xi64>) -> tensor<2x40x8xf32> {
  %s = call @scores(%q, %k) : (tensor<2x40x8xf32>, tensor<2x56x8xf32>) -> tensor<2x40x56xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %w = linalg.generic {indexing_maps = [#id, #head, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %prefix : tensor<2x40x56xf32>, tensor<2xi64>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%x: f32, %length: i64, %out: f32):
    %row = linalg.index 1 : index
    %column = linalg.index 2 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %column : index to i64
    %fill = arith.constant 0xFF800000 : f32
    %past = arith.cmpi sge, %i, %j : i64
    %known = arith.cmpi sge, %j, %length : i64
    %keep = arith.ori %past, %known : i1
    %y = arith.select %keep, %x, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = call @attend(%w, %v) : (tensor<2x40x56xf32>, tensor<2x56x8xf32>) -> tensor<2x40x8xf32>
  return %o : tensor<2x40x8xf32>
}
