// RUN: attn-opt %s --attn-raise-attention --verify-diagnostics | FileCheck %s
//
// CHECK-NOT: attn.attention

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// The column that is dropped is one of the keys', and the sink stays.
func.func @other_column(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %sink: tensor<3xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ez = tensor.empty() : tensor<3x4x1xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<3xf32>) outs(%ez : tensor<3x4x1xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<3x4x1xf32>
  %c = tensor.concat dim(2) %s, %z : (tensor<3x4x6xf32>, tensor<3x4x1xf32>) -> tensor<3x4x7xf32>
  %ep = tensor.empty() : tensor<3x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x7xf32>) outs(%ep : tensor<3x4x7xf32>) -> tensor<3x4x7xf32>
  %w = tensor.extract_slice %p[0, 0, 1] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: the extra term of the denominator is not a constant number of keys}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// A sink of each row.
func.func @sink_of_rows(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %z: tensor<3x4x1xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %c = tensor.concat dim(2) %s, %z : (tensor<3x4x6xf32>, tensor<3x4x1xf32>) -> tensor<3x4x7xf32>
  %ep = tensor.empty() : tensor<3x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x7xf32>) outs(%ep : tensor<3x4x7xf32>) -> tensor<3x4x7xf32>
  %w = tensor.extract_slice %p[0, 0, 0] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: the sink varies with more than batch and head}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// The rest is divided by its sum: the sink is gone.
func.func @normalised_again(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %sink: tensor<3xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ez = tensor.empty() : tensor<3x4x1xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<3xf32>) outs(%ez : tensor<3x4x1xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<3x4x1xf32>
  %c = tensor.concat dim(2) %s, %z : (tensor<3x4x6xf32>, tensor<3x4x1xf32>) -> tensor<3x4x7xf32>
  %ep = tensor.empty() : tensor<3x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x7xf32>) outs(%ep : tensor<3x4x7xf32>) -> tensor<3x4x7xf32>
  %u = tensor.extract_slice %p[0, 0, 0] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  %er = tensor.empty() : tensor<3x4xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x4xf32>) -> tensor<3x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%u : tensor<3x4x6xf32>) outs(%zr : tensor<3x4xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u, %sum : tensor<3x4x6xf32>, tensor<3x4xf32>) outs(%ew : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: }}
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// The sigmoid of twice the logarithm.
func.func @gate_of_twice(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %er = tensor.empty() : tensor<3x4xf32>
  %low = arith.constant 0xFF800000 : f32
  %fr = linalg.fill ins(%low : f32) outs(%er : tensor<3x4xf32>) -> tensor<3x4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<3x4x6xf32>) outs(%fr : tensor<3x4xf32>) dimensions = [2]
  %ex = tensor.empty() : tensor<3x4x6xf32>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<3x4x6xf32>, tensor<3x4xf32>) outs(%ex : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %n: f32, %out: f32):
    %d = arith.subf %a, %n : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x4xf32>) -> tensor<3x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x4x6xf32>) outs(%zr : tensor<3x4xf32>) dimensions = [2]
  %ep = tensor.empty() : tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x4x6xf32>) outs(%ep : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %m, %sum : tensor<3x4x6xf32>, tensor<3x4xf32>, tensor<3x4xf32>) outs(%ew : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %n: f32, %t: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %f = arith.constant 2.0 : f32
    %log = math.log %t : f32
    %l = arith.addf %n, %log : f32
    %g = arith.mulf %f, %l : f32
    %neg = arith.negf %g : f32
    %exp = math.exp %neg : f32
    %den = arith.addf %exp, %one : f32
    %sig = arith.divf %one, %den : f32
    %r = arith.mulf %a, %sig : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: the weighted sum is multiplied by another factor}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// Two softmaxes, and nothing below 0.
func.func @clipped_difference(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %q2: tensor<3x4x8xf32>, %k2: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ep = tensor.empty() : tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x4x6xf32>) outs(%ep : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %zt = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %t = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q2, %k2 : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zt : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ep2 = tensor.empty() : tensor<3x4x6xf32>
  %p2 = linalg.softmax dimension(2) ins(%t : tensor<3x4x6xf32>) outs(%ep2 : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %p2 : tensor<3x4x6xf32>, tensor<3x4x6xf32>) outs(%ew : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %b, %half : f32
    %none = arith.constant 0.0 : f32
    %d = arith.subf %a, %h : f32
    %r = arith.maximumf %d, %none : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: the weights of a softmax are changed, or those of several added, before the value product}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// Talking heads.
func.func @heads_mixed(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %mix: tensor<3x3xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ep = tensor.empty() : tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x4x6xf32>) outs(%ep : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  // expected-remark @+1 {{[attn-r102] not raised to attn.attention: the weights are summed along another dimension than their softmax}}
  %w = linalg.contract indexing_maps = [affine_map<(g, i, j, h) -> (g, h)>, affine_map<(g, i, j, h) -> (h, i, j)>, affine_map<(g, i, j, h) -> (g, i, j)>]
      ins(%mix, %p : tensor<3x3xf32>, tensor<3x4x6xf32>) outs(%zw : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}
