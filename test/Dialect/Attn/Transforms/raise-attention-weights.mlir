// Weights that are changed behind a softmax: columns that are dropped, gates, rows
// without a key that are mended, and several softmaxes in one product.
//
// RUN: attn-opt %s --attn-raise-attention --canonicalize 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=sink_column --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=sink_first --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=zero_column --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=two_columns --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=gate --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=not_a_number --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=difference --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=factor_of_heads --check | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// A column of sinks beside the scores, which is dropped behind the softmax, is the sink of gpt-oss.
// CHECK-LABEL: @sink_column(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.sink
// CHECK-NOT: linalg.
// CHECK: return
func.func @sink_column(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %sink: tensor<3xf32>) -> tensor<3x4x8xf32> {
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
  %w = tensor.extract_slice %p[0, 0, 0] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// The same in front of the scores.
// CHECK-LABEL: @sink_first(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.sink
// CHECK-NOT: linalg.
// CHECK: return
func.func @sink_first(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %sink: tensor<3xf32>) -> tensor<3x4x8xf32> {
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
  %c = tensor.concat dim(2) %z, %s : (tensor<3x4x1xf32>, tensor<3x4x6xf32>) -> tensor<3x4x7xf32>
  %ep = tensor.empty() : tensor<3x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x7xf32>) outs(%ep : tensor<3x4x7xf32>) -> tensor<3x4x7xf32>
  %w = tensor.extract_slice %p[0, 0, 1] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// A column of zeros is the 1 of softmax1.
// CHECK-LABEL: @zero_column(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.softmax1
// CHECK-NOT: linalg.
// CHECK: return
func.func @zero_column(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %c = tensor.pad %s low[0, 0, 0] high[0, 0, 1] {
  ^bb0(%b: index, %i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<3x4x6xf32> to tensor<3x4x7xf32>
  %ep = tensor.empty() : tensor<3x4x7xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x7xf32>) outs(%ep : tensor<3x4x7xf32>) -> tensor<3x4x7xf32>
  %w = tensor.extract_slice %p[0, 0, 0] [3, 4, 6] [1, 1, 1] : tensor<3x4x7xf32> to tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// One on each side.
// CHECK-LABEL: @two_columns(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.softmax_n<2.0
// CHECK-NOT: linalg.
// CHECK: return
func.func @two_columns(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %c = tensor.pad %s low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%b: index, %i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<3x4x6xf32> to tensor<3x4x8xf32>
  %ep = tensor.empty() : tensor<3x4x8xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<3x4x8xf32>) outs(%ep : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %w = tensor.extract_slice %p[0, 0, 1] [3, 4, 6] [1, 1, 1] : tensor<3x4x8xf32> to tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// The weights times the sigmoid of their logarithm of sums.
// CHECK-LABEL: @gate(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.softmax1
// CHECK-NOT: linalg.
// CHECK: return
func.func @gate(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
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
    %log = math.log %t : f32
    %l = arith.addf %n, %log : f32
    %neg = arith.negf %l : f32
    %exp = math.exp %neg : f32
    %den = arith.addf %exp, %one : f32
    %sig = arith.divf %one, %den : f32
    %r = arith.mulf %a, %sig : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// Rows without a key are NaN, and 0 then.
// CHECK-LABEL: @not_a_number(
// CHECK-NOT: linalg.
// CHECK: attn.attention {{.*}}softmax(#attn.softmax
// CHECK-NOT: linalg.
// CHECK: return
func.func @not_a_number(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ep = tensor.empty() : tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x4x6xf32>) outs(%ep : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<3x4x6xf32>) outs(%ew : tensor<3x4x6xf32>) {
  ^bb0(%x: f32, %out: f32):
    %none = arith.constant 0.0 : f32
    %isnan = arith.cmpf une, %x, %x : f32
    %r = arith.select %isnan, %none, %x : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// Differential attention: two softmaxes in one product are two attentions.
// CHECK-LABEL: @difference(
// CHECK-DAG: %[[A:.*]] = attn.attention {{.*}} ins(%arg0, %arg1, %arg2
// CHECK-DAG: %[[B:.*]] = attn.attention {{.*}} ins(%arg3, %arg4, %arg2
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[A]], %{{.*}}, %[[B]], %{{.*}} :
// CHECK: return %[[Y]]
func.func @difference(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %q2: tensor<3x4x8xf32>, %k2: tensor<3x6x8xf32>) -> tensor<3x4x8xf32> {
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
    %r = arith.subf %a, %h : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}

// A factor of each head on the weights stands behind the attention.
// CHECK-LABEL: @factor_of_heads(
// CHECK: %[[A:.*]] = attn.attention
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[A]], %{{.*}} :
// CHECK: return %[[Y]]
func.func @factor_of_heads(%q: tensor<3x4x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x8xf32>, %g: tensor<3xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x4x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x4x8xf32>, tensor<3x6x8xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %eo = tensor.empty() : tensor<3x4x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ep = tensor.empty() : tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x4x6xf32>) outs(%ep : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %ew = tensor.empty() : tensor<3x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, affine_map<(b, i, j) -> (b)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %g : tensor<3x4x6xf32>, tensor<3xf32>) outs(%ew : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%zo : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %o : tensor<3x4x8xf32>
}
