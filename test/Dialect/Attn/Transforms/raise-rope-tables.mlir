// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-split-complex --attn-raise-rope --canonicalize 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-split-complex --attn-raise-rope -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=halves --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=halves --portable --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_way --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=from_neighbours --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=neighbours --check | FileCheck %s --check-prefix=MATCH
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); x, t = (r.standard_normal(s).astype(np.float32) for s in [(2, 5, 3, 8), (5, 4, 2)]); np.savez(r'%t.npz', arg0=x, arg1=t); z = x[..., ::2] + 1j * x[..., 1::2]; z = z * (t[..., 0] + 1j * t[..., 1])[None, :, None]; np.savez(r'%t.expected.npz', out0=np.stack([z.real, z.imag], -1).reshape(x.shape))"
// RUN: attn-run %s --entry=complex --inputs=%t.npz --output=%t.complex.npz
// RUN: %python -c "import numpy as np; a, b = (np.load(r'%t.' + n + '.npz')['out0'] for n in ['complex', 'expected']); assert np.abs(a - b).max() < 1e-5 and np.abs(b).max() > 1"
// RUN: attn-run %s --entry=one_row --check | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match

// Cosines and sines from outside: what rows are multiplied by, wherever it comes from.
// REMARK-COUNT-2: [attn-r141] raised to attn.rope half_split with its cosines and sines as tables: its table of angles
// REMARK: [attn-r142] not raised to attn.rope: its elements do not all turn the same way
// REMARK: [attn-r142] not raised to attn.rope: its cosines and sines differ along another dimension than the first and that of the rows
// REMARK: [attn-r141] raised to attn.rope half_split with its cosines and sines as tables
// REMARK: [attn-r142] not raised to attn.rope: an element is not the sum of two of its row
// REMARK-COUNT-3: [attn-r141] raised to attn.rope {{.*}} with its cosines and sines as tables
// REMARK-NOT: raised to attn.rope

#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#tab = affine_map<(b, h, i, j) -> (b, i, j)>
#all = affine_map<(b, h, i, j) -> (i, j)>

// As transformers has it: x cos + (-x2, x1) sin, with tables of each batch.
// CHECK-LABEL: @halves
// CHECK-NOT: tensor.concat
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x3x5x8xf32>) cosines(%arg1 : tensor<2x5x8xf32>) sines(%arg2 : tensor<2x5x8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @halves(%x: tensor<2x3x5x8xf32>, %c: tensor<2x5x8xf32>, %s: tensor<2x5x8xf32>) -> tensor<2x3x5x8xf32> {
  %minus = arith.constant -1.0 : f32
  %turned = call @swap(%x, %minus) : (tensor<2x3x5x8xf32>, f32) -> tensor<2x3x5x8xf32>
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>)
      outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

// x cos + (x2, -x1) sin: the other way.
// CHECK-LABEL: @other_way
// CHECK: %[[S:.*]] = linalg.negf ins(%arg2 : tensor<2x5x8xf32>)
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x3x5x8xf32>) cosines(%arg1 : tensor<2x5x8xf32>) sines(%[[S]] : tensor<2x5x8xf32>)
// CHECK: return
func.func @other_way(%x: tensor<2x3x5x8xf32>, %c: tensor<2x5x8xf32>, %s: tensor<2x5x8xf32>) -> tensor<2x3x5x8xf32> {
  %minus = arith.constant -1.0 : f32
  %turned = call @swap(%x, %minus) : (tensor<2x3x5x8xf32>, f32) -> tensor<2x3x5x8xf32>
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>)
      outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.subf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

// (x2, x1) has one sign for all: a reflection.
// CHECK-LABEL: @reflected
// CHECK-NOT: attn.rope
// CHECK: return
func.func @reflected(%x: tensor<2x3x5x8xf32>, %c: tensor<2x5x8xf32>, %s: tensor<2x5x8xf32>) -> tensor<2x3x5x8xf32> {
  %one = arith.constant 1.0 : f32
  %turned = call @swap(%x, %one) : (tensor<2x3x5x8xf32>, f32) -> tensor<2x3x5x8xf32>
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>)
      outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

// Cosines and sines of heads.
// CHECK-LABEL: @of_heads
// CHECK-NOT: attn.rope
// CHECK: return
func.func @of_heads(%x: tensor<2x3x5x8xf32>, %c: tensor<3x5x8xf32>, %s: tensor<3x5x8xf32>) -> tensor<2x3x5x8xf32> {
  %minus = arith.constant -1.0 : f32
  %turned = call @swap(%x, %minus) : (tensor<2x3x5x8xf32>, f32) -> tensor<2x3x5x8xf32>
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, h, i, j) -> (h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<3x5x8xf32>, tensor<3x5x8xf32>)
      outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

// DeepSeek's: neighbours of the input, halves of the result.
// CHECK-LABEL: @from_neighbours
// CHECK: %[[P:.*]] = tensor.expand_shape %arg0 {{.*}} output_shape [2, 5, 3, 2, 2]
// CHECK: linalg.transpose ins(%[[P]] : tensor<2x5x3x2x2xf32>) {{.*}} permutation = [0, 1, 2, 4, 3]
// CHECK: %[[H:.*]] = tensor.collapse_shape
// CHECK: attn.rope pairs(half_split) row_dim(1) ins(%[[H]] : tensor<2x5x3x4xf32>)
// CHECK: return
func.func @from_neighbours(%x: tensor<2x5x3x4xf32>, %c: tensor<5x2xf32>, %s: tensor<5x2xf32>) -> tensor<2x5x3x4xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x4xf32> to tensor<2x5x3x2xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 1] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x4xf32> to tensor<2x5x3x2xf32>
  %e = tensor.empty() : tensor<2x5x3x2xf32>
  %first, %second = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, h, j) -> (i, j)>, affine_map<(b, i, h, j) -> (i, j)>, #id, #id],
                                    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %b, %c, %s : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>)
      outs(%e, %e : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) {
  ^bb0(%p: f32, %q: f32, %ci: f32, %si: f32, %o: f32, %out: f32):
    %u = arith.mulf %p, %ci : f32
    %v = arith.mulf %q, %si : f32
    %t = arith.subf %u, %v : f32
    %m = arith.mulf %p, %si : f32
    %n = arith.mulf %q, %ci : f32
    %w = arith.addf %m, %n : f32
    linalg.yield %t, %w : f32, f32
  } -> (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>)
  %y = tensor.concat dim(3) %first, %second : (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) -> tensor<2x5x3x4xf32>
  return %y : tensor<2x5x3x4xf32>
}

// Its twin crosses the halves: the second element of a pair comes first.
// CHECK-LABEL: @crossed
// CHECK-NOT: attn.rope
// CHECK: return
func.func @crossed(%x: tensor<2x5x3x4xf32>, %c: tensor<5x2xf32>, %s: tensor<5x2xf32>) -> tensor<2x5x3x4xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x4xf32> to tensor<2x5x3x2xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 1] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x4xf32> to tensor<2x5x3x2xf32>
  %e = tensor.empty() : tensor<2x5x3x2xf32>
  %first, %second = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, h, j) -> (i, j)>, affine_map<(b, i, h, j) -> (i, j)>, #id, #id],
                                    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %b, %c, %s : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>)
      outs(%e, %e : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) {
  ^bb0(%p: f32, %q: f32, %ci: f32, %si: f32, %o: f32, %out: f32):
    %u = arith.mulf %p, %ci : f32
    %v = arith.mulf %q, %si : f32
    %t = arith.subf %u, %v : f32
    %m = arith.mulf %p, %si : f32
    %n = arith.mulf %q, %ci : f32
    %w = arith.addf %m, %n : f32
    linalg.yield %t, %w : f32, f32
  } -> (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>)
  %y = tensor.concat dim(3) %second, %first : (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) -> tensor<2x5x3x4xf32>
  return %y : tensor<2x5x3x4xf32>
}

// One number for a pair of neighbours, four of six elements turn.
// CHECK-LABEL: @neighbours
// CHECK: linalg.broadcast
// CHECK: attn.rope rotary_dim(4) row_dim(1) ins(%arg0 : tensor<2x5x3x6xf32>) cosines(%{{.*}} : tensor<5x4xf32>) sines(%{{.*}} : tensor<5x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @neighbours(%x: tensor<2x5x3x6xf32>, %c: tensor<5x2xf32>, %s: tensor<5x2xf32>) -> tensor<2x5x3x6xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x6xf32> to tensor<2x5x3x2xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 1] [2, 5, 3, 2] [1, 1, 1, 2] : tensor<2x5x3x6xf32> to tensor<2x5x3x2xf32>
  %rest = tensor.extract_slice %x[0, 0, 0, 4] [2, 5, 3, 2] [1, 1, 1, 1] : tensor<2x5x3x6xf32> to tensor<2x5x3x2xf32>
  %e = tensor.empty() : tensor<2x5x3x2xf32>
  %first, %second = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, h, j) -> (i, j)>, affine_map<(b, i, h, j) -> (i, j)>, #id, #id],
                                    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %b, %c, %s : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>)
      outs(%e, %e : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) {
  ^bb0(%p: f32, %q: f32, %ci: f32, %si: f32, %o: f32, %out: f32):
    %u = arith.mulf %p, %ci : f32
    %v = arith.mulf %q, %si : f32
    %t = arith.subf %u, %v : f32
    %m = arith.mulf %p, %si : f32
    %n = arith.mulf %q, %ci : f32
    %w = arith.addf %m, %n : f32
    linalg.yield %t, %w : f32, f32
  } -> (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>)
  %f = tensor.expand_shape %first [[0], [1], [2], [3, 4]] output_shape [2, 5, 3, 2, 1] : tensor<2x5x3x2xf32> into tensor<2x5x3x2x1xf32>
  %g = tensor.expand_shape %second [[0], [1], [2], [3, 4]] output_shape [2, 5, 3, 2, 1] : tensor<2x5x3x2xf32> into tensor<2x5x3x2x1xf32>
  %stacked = tensor.concat dim(4) %f, %g : (tensor<2x5x3x2x1xf32>, tensor<2x5x3x2x1xf32>) -> tensor<2x5x3x2x2xf32>
  %flat = tensor.collapse_shape %stacked [[0], [1], [2], [3, 4]] : tensor<2x5x3x2x2xf32> into tensor<2x5x3x4xf32>
  %y = tensor.concat dim(3) %flat, %rest : (tensor<2x5x3x4xf32>, tensor<2x5x3x2xf32>) -> tensor<2x5x3x6xf32>
  return %y : tensor<2x5x3x6xf32>
}

// A product of complex numbers, as Llama's own code has it.
// CHECK-LABEL: @complex
// CHECK: %[[C:.*]] = tensor.extract_slice %arg1[0, 0, 0] [5, 4, 1] [1, 1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %arg1[0, 0, 1] [5, 4, 1] [1, 1, 1]
// CHECK: attn.rope row_dim(1) ins(%arg0 : tensor<2x5x3x8xf32>) cosines(%{{.*}} : tensor<5x8xf32>) sines(%{{.*}} : tensor<5x8xf32>)
// CHECK-NOT: complex.mul
// CHECK: return
func.func @complex(%x: tensor<2x5x3x8xf32>, %t: tensor<5x4x2xf32>) -> tensor<2x5x3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pairs = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [2, 5, 3, 4, 2] : tensor<2x5x3x8xf32> into tensor<2x5x3x4x2xf32>
  %e = tensor.empty() : tensor<2x5x3x4x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, h, j, k) -> (b, i, h, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<2x5x3x4x2xf32>) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %h = linalg.index 2 : index
    %j = linalg.index 3 : index
    %k = linalg.index 4 : index
    %p = tensor.extract %pairs[%b, %i, %h, %j, %c0] : tensor<2x5x3x4x2xf32>
    %q = tensor.extract %pairs[%b, %i, %h, %j, %c1] : tensor<2x5x3x4x2xf32>
    %cos = tensor.extract %t[%i, %j, %c0] : tensor<5x4x2xf32>
    %sin = tensor.extract %t[%i, %j, %c1] : tensor<5x4x2xf32>
    %u = complex.create %p, %q : complex<f32>
    %v = complex.create %cos, %sin : complex<f32>
    %w = complex.mul %u, %v : complex<f32>
    %re = complex.re %w : complex<f32>
    %im = complex.im %w : complex<f32>
    %isFirst = arith.cmpi eq, %k, %c0 : index
    %n = arith.select %isFirst, %re, %im : f32
    linalg.yield %n : f32
  } -> tensor<2x5x3x4x2xf32>
  %y = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<2x5x3x4x2xf32> into tensor<2x5x3x8xf32>
  return %y : tensor<2x5x3x8xf32>
}

// A step of a decoder: one row, and tables of one row in other places.
// CHECK-LABEL: @one_row
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg1
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<1x3x1x8xf32>) cosines(%[[C]] : tensor<1x8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @one_row(%x: tensor<1x3x1x8xf32>, %c: tensor<1x1x8xf32>, %s: tensor<1x1x8xf32>) -> tensor<1x3x1x8xf32> {
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [1, 3, 1, 4] [1, 1, 1, 1] : tensor<1x3x1x8xf32> to tensor<1x3x1x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [1, 3, 1, 4] [1, 1, 1, 1] : tensor<1x3x1x8xf32> to tensor<1x3x1x4xf32>
  %eh = tensor.empty() : tensor<1x3x1x4xf32>
  %neg = linalg.negf ins(%hi : tensor<1x3x1x4xf32>) outs(%eh : tensor<1x3x1x4xf32>) -> tensor<1x3x1x4xf32>
  %turned = tensor.concat dim(3) %neg, %lo : (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x1x8xf32>
  %e = tensor.empty() : tensor<1x3x1x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<1x3x1x8xf32>, tensor<1x3x1x8xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
      outs(%e : tensor<1x3x1x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<1x3x1x8xf32>
  return %y : tensor<1x3x1x8xf32>
}

func.func private @swap(%x: tensor<2x3x5x8xf32>, %sign: f32) -> tensor<2x3x5x8xf32> {
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 3, 5, 4] [1, 1, 1, 1] : tensor<2x3x5x8xf32> to tensor<2x3x5x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 3, 5, 4] [1, 1, 1, 1] : tensor<2x3x5x8xf32> to tensor<2x3x5x4xf32>
  %eh = tensor.empty() : tensor<2x3x5x4xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%hi : tensor<2x3x5x4xf32>) outs(%eh : tensor<2x3x5x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.mulf %a, %sign : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x4xf32>
  %turned = tensor.concat dim(3) %scaled, %lo : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x8xf32>
  return %turned : tensor<2x3x5x8xf32>
}
