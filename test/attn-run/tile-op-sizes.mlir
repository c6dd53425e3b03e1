// Ops on tiles by hand: heads of keys for all heads, and a state of one size.

// DEFINE: %{run} = not attn-run %s --entry=heads --shape=0:4x4x8
// RUN: %{run} --shape=1:2x5x8 --shape=2:3x8x4 --shape=3:4x4 --shape=4:4x4 2>&1 | FileCheck %s --check-prefix=ACC
// RUN: %{run} --shape=1:2x5x8 --shape=2:4x8x4 --shape=3:1x4 --shape=4:4x4 2>&1 | FileCheck %s --check-prefix=MAX
// RUN: %{run} --shape=1:1x5x8 --shape=2:4x8x4 --shape=3:4x4 --shape=4:4x4 2>&1 | FileCheck %s --check-prefix=HEADS
// RUN: %{run} --shape=1:0x5x8 --shape=2:4x8x4 --shape=3:4x4 --shape=4:4x4 --check 2>&1 | FileCheck %s --check-prefix=REF
// RUN: attn-run %s --entry=heads --shape=0:4x4x8 --shape=1:2x5x8 --shape=2:4x8x4 --shape=3:4x4 --shape=4:4x4 --check | FileCheck %s
// ACC: (code 5): heads: input 2: dimension 0 must equal dimension 0 of input 0 (3 against 4)
// MAX: (code 5): heads: input 3: dimension 0 must equal dimension 0 of input 0 (1 against 4)
// HEADS: (code 5): heads: {{.*}}'attn.online_attention': 2 times dimension 0 of input 1 must be at least dimension 0 of input 0 (2 against 4)
// REF: the reference cannot run 'heads': {{.*}}: operand 1 has 0 heads for 4 in groups of 2
// CHECK: out0 against f64 reference: match
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h floordiv 2, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h floordiv 2, n, e)>
#a = affine_map<(h, m, n, d, e) -> (h, e, m)>
#r = affine_map<(h, m, n, d, e) -> (h, m)>
func.func @heads(%q: tensor<?x4x8xf32>, %k: tensor<?x5x8xf32>, %acc: tensor<?x8x4xf32>, %max: tensor<?x4xf32>, %sum: tensor<?x4xf32>)
    -> (tensor<?x8x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %s = arith.constant 8 : index
  %r:3 = attn.online_attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [#q, #k, #v, #a, #r, #r]
      origin(%c0, %c0, %c0, %c0, %c0) sizes(%s, %s, %s, %s, %s)
      ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x5x8xf32>, tensor<?x5x8xf32>)
      outs(%acc, %max, %sum : tensor<?x8x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      -> tensor<?x8x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  return %r#0, %r#1, %r#2 : tensor<?x8x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// RUN: not attn-run %s --entry=rows --shape=0:5x8 --shape=1:3x8 --shape=2:6x5 --shape=3:4 --shape=4:5 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not attn-run %s --entry=rows --shape=0:5x8 --shape=1:3x8 --shape=2:6x4 --shape=3:4 --shape=4:4 --portable 2>&1 | FileCheck %s --check-prefix=STATE
// ROWS: (code 5): rows: {{.*}}input 3: dimension 0 must equal {{.*}} (4 against 5)
// STATE: (code 5): rows: {{.*}} must equal {{.*}} (4 against 5)
func.func @rows(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %acc: tensor<?x?xf32>, %max: tensor<?xf32>, %sum: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = arith.constant 8 : index
  %v = tensor.dim %acc, %c0 : tensor<?x?xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %values = tensor.generate %n, %v {
  ^bb0(%i: index, %j: index):
    %x = arith.index_cast %j : index to i32
    %y = arith.sitofp %x : i32 to f32
    tensor.yield %y : f32
  } : tensor<?x?xf32>
  %r:3 = attn.online_attention scale(#attn.none) softmax(#attn.softmax)
      indexing_maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
                     affine_map<(m, n, d, e) -> (e, m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      origin(%c0, %c0, %c0, %c0) sizes(%s, %s, %s, %s)
      ins(%q, %k, %values : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x?xf32>)
      outs(%acc, %max, %sum : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1, %r#2 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
