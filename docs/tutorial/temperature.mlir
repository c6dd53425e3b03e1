// The temperature of a contrastive loss: see temperature.md.

// Cosines of 256 embeddings with one positive, of cosine 0.5, and 1023 random others of 128 dimensions. For the factor
// 2^(h/2), h = 0 ... 15: the mean weight of the positive.
func.func @positive() -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %sx = arith.constant 1 : i64
  %sy = arith.constant 2 : i64
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 256.0 : f32
  %xe = tensor.empty() : tensor<256x128xf32>
  %ye = tensor.empty() : tensor<1024x128xf32>
  %se = tensor.empty() : tensor<256x1024xf32>
  %x0 = attn.init normal variance(constant) value(1.0) seed(%sx : i64) outs(%xe : tensor<256x128xf32>) -> tensor<256x128xf32>
  %y0 = attn.init normal variance(constant) value(1.0) seed(%sy : i64) outs(%ye : tensor<1024x128xf32>) -> tensor<1024x128xf32>
  %x = attn.norm l2 axes [1] eps(max_norm 1.0e-12) ins(%x0 : tensor<256x128xf32>) outs(%xe : tensor<256x128xf32>) -> tensor<256x128xf32>
  %y = attn.norm l2 axes [1] eps(max_norm 1.0e-12) ins(%y0 : tensor<1024x128xf32>) outs(%ye : tensor<1024x128xf32>) -> tensor<1024x128xf32>
  %products = attn.linear weight(out_in) ins(%x, %y : tensor<256x128xf32>, tensor<1024x128xf32>) outs(%se : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  // Key 0 is the positive.
  %cosines = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%products : tensor<256x1024xf32>) outs(%se : tensor<256x1024xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %j = linalg.index 1 : index
    %first = arith.cmpi eq, %j, %c0 : index
    %r = arith.select %first, %half, %a : f32
    linalg.yield %r : f32
  } -> tensor<256x1024xf32>
  %te = tensor.empty() : tensor<16xf32>
  %out = scf.for %h = %c0 to %c16 step %c1 iter_args(%t = %te) -> tensor<16xf32> {
    %int = arith.index_cast %h : index to i32
    %f = arith.sitofp %int : i32 to f32
    %power = arith.mulf %f, %half : f32
    %factor = math.exp2 %power : f32
    %factors = tensor.splat %factor : tensor<256x1024xf32>
    %scores = arith.mulf %cosines, %factors : tensor<256x1024xf32>
    %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%scores : tensor<256x1024xf32>) outs(%se : tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %own = tensor.extract_slice %p[0, 0] [256, 1] [1, 1] : tensor<256x1024xf32> to tensor<256xf32>
    %scalar = tensor.empty() : tensor<f32>
    %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
    %sum = linalg.reduce ins(%own : tensor<256xf32>) outs(%init : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) {
        %next = arith.addf %acc, %a : f32
        linalg.yield %next : f32
      }
    %s = tensor.extract %sum[] : tensor<f32>
    %m = arith.divf %s, %count : f32
    %next = tensor.insert %m into %t[%h] : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  return %out : tensor<16xf32>
}

// A margin, as AM-Softmax has it, is taken off the positive before the factor.
func.func @margin(%cosines: tensor<256x1024xf32>, %positive: tensor<256xi64>) -> tensor<256x1024xf32> {
  %margin = arith.constant 0.35 : f32
  %factor = arith.constant 30.0 : f32
  %e = tensor.empty() : tensor<256x1024xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%cosines, %positive : tensor<256x1024xf32>, tensor<256xi64>) outs(%e : tensor<256x1024xf32>) {
  ^bb0(%a: f32, %number: i64, %unused: f32):
    %own = arith.index_cast %number : i64 to index
    %j = linalg.index 1 : index
    %isOwn = arith.cmpi eq, %j, %own : index
    %less = arith.subf %a, %margin : f32
    %c = arith.select %isOwn, %less, %a : f32
    %r = arith.mulf %c, %factor : f32
    linalg.yield %r : f32
  } -> tensor<256x1024xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%scores : tensor<256x1024xf32>) outs(%e : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %p : tensor<256x1024xf32>
}
