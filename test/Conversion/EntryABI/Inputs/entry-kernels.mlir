#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

// Elementwise, with a size that only the second argument's users know.
func.func @add(%a: tensor<?x4xf32>, %b: tensor<?x?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x4xf32>, tensor<?x?xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A parallel loop whose body multiplies, so that denormals are seen or not.
func.func @halve_rows(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<?xf32> {
    %x = tensor.extract_slice %a[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %t = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %y = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
        ins(%x : tensor<1xf32>) outs(%t : tensor<1xf32>) {
    ^bb0(%u: f32, %v: f32):
      %w = arith.mulf %u, %half : f32
      linalg.yield %w : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// Needs scratch of dynamic size: row sums, which are all there before the first
// row is divided by its own, for the share of the whole is 1 of them all.
func.func @normalise(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %es = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x4xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %total = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%sums : tensor<?xf32>) outs(%none : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %whole = tensor.extract %total[] : tensor<f32>
  %one = arith.divf %whole, %whole : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %sums : tensor<?x4xf32>, tensor<?xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%x: f32, %s: f32, %z: f32):
    %q = arith.divf %x, %s : f32
    %p = arith.mulf %q, %one : f32
    linalg.yield %p : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Booleans come in and go out as bytes; a number is a tensor of rank 0.
func.func @count_true(%m: tensor<?xi1>) -> (tensor<?xi1>, i64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<i64>
  %true = arith.constant true
  %n = tensor.dim %m, %c0 : tensor<?xi1>
  %count = linalg.generic {indexing_maps = [#vector, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%m : tensor<?xi1>) outs(%zero : tensor<i64>) {
  ^bb0(%b: i1, %s: i64):
    %w = arith.extui %b : i1 to i64
    %t = arith.addi %w, %s : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %e = tensor.empty(%n) : tensor<?xi1>
  %not = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%m : tensor<?xi1>) outs(%e : tensor<?xi1>) {
  ^bb0(%b: i1, %z: i1):
    %x = arith.xori %b, %true : i1
    linalg.yield %x : i1
  } -> tensor<?xi1>
  %sum = tensor.extract %count[] : tensor<i64>
  return %not, %sum : tensor<?xi1>, i64
}

// The cache is updated in place; the number that is returned reads all of it.
func.func @append(%cache: tensor<?x2xf32> {attn.inout = 1 : index}, %row: tensor<2xf32>, %at: i64)
    -> (f32, tensor<?x2xf32>) {
  %place = arith.index_cast %at : i64 to index
  %new = tensor.insert_slice %row into %cache[%place, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %total = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                           iterator_types = ["reduction", "reduction"]}
      ins(%new : tensor<?x2xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %sum = tensor.extract %total[] : tensor<f32>
  return %sum, %new : f32, tensor<?x2xf32>
}
