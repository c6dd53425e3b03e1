// A mask that is added to scores has their sizes, though its elements are read one by one once the attention is raised.

// RUN: attn-run %s --shape=0:6x8 --shape=1:5x8 --shape=2:5x4 --shape=3:6x5 --check --remarks | FileCheck %s
// RUN: not attn-run %s --shape=0:6x8 --shape=1:5x8 --shape=2:5x4 --shape=3:7x5 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not attn-run %s --shape=0:6x8 --shape=1:5x8 --shape=2:5x4 --shape=3:6x9 --portable 2>&1 | FileCheck %s --check-prefix=KEYS
// CHECK: match
// CHECK: raised to attn.attention
// ROWS: (code 5): f: input 3: dimension 0 must equal dimension 0 of input 0 (7 against 6)
// KEYS: (code 5): f: input 3: dimension 1 must equal dimension 0 of input 1 (9 against 5)
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
func.func @f(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>, %mask: tensor<?x?xi1>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %fill = arith.constant -3.40282347E+38 : f32
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %mask : tensor<?x?xf32>, tensor<?x?xi1>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %kept: i1, %o: f32):
    %x = arith.uitofp %kept : i1 to f32
    %y = arith.subf %one, %x : f32
    %f = arith.mulf %y, %fill : f32
    %r = arith.addf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce ins(%t : tensor<?x?xf32>) outs(%low : tensor<?xf32>) dimensions = [1] (%a: f32, %o: f32) {
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  }
  %x = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%none : tensor<?xf32>) dimensions = [1] (%a: f32, %o: f32) {
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  %p = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%m) : tensor<?x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x4xf32>) outs(%z2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
