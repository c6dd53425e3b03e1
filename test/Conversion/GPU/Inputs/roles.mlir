// Whole tiles, and more steps than stages. Terms are rows of the weights.
func.func @whole(%x: tensor<128x384xbf16>, %w: tensor<384x256xbf16>) -> tensor<128x256xbf16> {
  %init = tensor.empty() : tensor<128x256xbf16>
  %y = attn.linear schedule(#attn.gpu_product<rows = 128, columns = 256, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4>)
      ins(%x, %w : tensor<128x384xbf16>, tensor<384x256xbf16>) outs(%init : tensor<128x256xbf16>) -> tensor<128x256xbf16>
  return %y : tensor<128x256xbf16>
}

// Two blocks of a cluster share the weights, a third one has no rows; batches, and
// more steps than stages.
func.func @cluster(%x: tensor<2x?x400xbf16>, %w: tensor<2x400x200xbf16>, %out: tensor<2x?x200xf32>) -> tensor<2x?x200xf32> {
  %y = linalg.batch_matmul {attn.contraction = #attn.gpu_product<rows = 64, columns = 256, depth = 64, rowWarps = 4, columnWarps = 1, stages = 2, cluster = 2>}
      ins(%x, %w : tensor<2x?x400xbf16>, tensor<2x400x200xbf16>) outs(%out : tensor<2x?x200xf32>) -> tensor<2x?x200xf32>
  return %y : tensor<2x?x200xf32>
}

// The other layout; bias, factor and epilogue; sizes that no tile divides.
func.func @epilogue(%x: tensor<3x?x80xf16>, %w: tensor<72x80xf16>, %b: tensor<72xf32>, %r: tensor<3x?x72xf16>, %out: tensor<3x?x72xf16>) -> tensor<3x?x72xf16> {
  %y = attn.linear parameterisation(ntk) weight(out_in) schedule(#attn.gpu_product<rows = 64, columns = 128, depth = 64, rowWarps = 4, columnWarps = 1, stages = 2>)
      ins(%x, %w, %b : tensor<3x?x80xf16>, tensor<72x80xf16>, tensor<72xf32>)
      extras(%r : tensor<3x?x72xf16>) outs(%out : tensor<3x?x72xf16>) epilogue {
  ^bb0(%s: f32, %e: f32):
    %g = attn.activation gelu %s : f32
    %sum = arith.addf %g, %e : f32
    attn.yield %sum : f32
  } -> tensor<3x?x72xf16>
  return %y : tensor<3x?x72xf16>
}

// Rows that may not begin at multiples of 16 bytes, which the host looks at.
func.func @unaligned(%x: tensor<70x?xf16>, %w: tensor<?x40xf16>) -> tensor<70x40xf32> {
  %init = tensor.empty() : tensor<70x40xf32>
  %y = attn.linear schedule(#attn.gpu_product<rows = 64, columns = 64, depth = 64, rowWarps = 4, columnWarps = 1, stages = 3>)
      ins(%x, %w : tensor<70x?xf16>, tensor<?x40xf16>) outs(%init : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %y : tensor<70x40xf32>
}

// What there is of two larger tensors may be nothing, whose map no driver makes.
func.func @part(%x: tensor<70x80xf16>, %w: tensor<80x40xf16>, %of: tensor<?xf16>) -> tensor<70x40xf32> {
  %c0 = arith.constant 0 : index
  %terms = tensor.dim %of, %c0 : tensor<?xf16>
  %xs = tensor.extract_slice %x[0, 0] [70, %terms] [1, 1] : tensor<70x80xf16> to tensor<70x?xf16>
  %ws = tensor.extract_slice %w[0, 0] [%terms, 40] [1, 1] : tensor<80x40xf16> to tensor<?x40xf16>
  %init = tensor.empty() : tensor<70x40xf32>
  %y = attn.linear schedule(#attn.gpu_product<rows = 64, columns = 64, depth = 64, rowWarps = 4, columnWarps = 1, stages = 3>)
      ins(%xs, %ws : tensor<70x?xf16>, tensor<?x40xf16>) outs(%init : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %y : tensor<70x40xf32>
}

// Both operands have terms as rows, one has a matrix for each of the batch; what
// the output holds is a part of the result. Three warpgroups multiply.
#a = affine_map<(b, i, j, k) -> (b, k, i)>
#b = affine_map<(b, i, j, k) -> (k, j)>
#c = affine_map<(b, i, j, k) -> (b, i, j)>
func.func @transposed(%x: tensor<2x136x200xf16>, %w: tensor<136x56xf16>, %c: tensor<2x200x56xf32>) -> tensor<2x200x56xf32> {
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x136x200xf16>, tensor<136x56xf16>) outs(%c : tensor<2x200x56xf32>)
      attrs = {attn.contraction = #attn.gpu_product<rows = 192, columns = 128, depth = 64, rowWarps = 12, columnWarps = 1, stages = 3>} {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x200x56xf32>
  return %y : tensor<2x200x56xf32>
}
