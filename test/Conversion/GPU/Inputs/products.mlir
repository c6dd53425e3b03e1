// Whole tiles.
func.func @whole(%x: tensor<128x96xbf16>, %w: tensor<96x128xbf16>) -> tensor<128x128xbf16> {
  %init = tensor.empty() : tensor<128x128xbf16>
  %y = attn.linear ins(%x, %w : tensor<128x96xbf16>, tensor<96x128xbf16>) outs(%init : tensor<128x128xbf16>) -> tensor<128x128xbf16>
  return %y : tensor<128x128xbf16>
}

// The other layout; bias, factor and epilogue; sizes that no tile divides.
func.func @epilogue(%x: tensor<3x?x80xf16>, %w: tensor<72x80xf16>, %b: tensor<72xf32>, %r: tensor<3x?x72xf16>, %out: tensor<3x?x72xf16>) -> tensor<3x?x72xf16> {
  %y = attn.linear parameterisation(ntk) weight(out_in)
      ins(%x, %w, %b : tensor<3x?x80xf16>, tensor<72x80xf16>, tensor<72xf32>)
      extras(%r : tensor<3x?x72xf16>) outs(%out : tensor<3x?x72xf16>) epilogue {
  ^bb0(%s: f32, %e: f32):
    %g = attn.activation gelu %s : f32
    %sum = arith.addf %g, %e : f32
    attn.yield %sum : f32
  } -> tensor<3x?x72xf16>
  return %y : tensor<3x?x72xf16>
}

// Rows that are no multiples of 16 bytes.
func.func @odd(%x: tensor<33x21xbf16>, %w: tensor<21x37xbf16>) -> tensor<33x37xbf16> {
  %init = tensor.empty() : tensor<33x37xbf16>
  %y = attn.linear ins(%x, %w : tensor<33x21xbf16>, tensor<21x37xbf16>) outs(%init : tensor<33x37xbf16>) -> tensor<33x37xbf16>
  return %y : tensor<33x37xbf16>
}

// Fused multiply-adds, both layouts.
func.func @f32(%x: tensor<40x36xf32>, %w: tensor<36x50xf32>) -> tensor<40x50xf32> {
  %init = tensor.empty() : tensor<40x50xf32>
  %y = attn.linear ins(%x, %w : tensor<40x36xf32>, tensor<36x50xf32>) outs(%init : tensor<40x50xf32>) -> tensor<40x50xf32>
  return %y : tensor<40x50xf32>
}
func.func @f64(%x: tensor<40x36xf64>, %w: tensor<50x36xf64>) -> tensor<40x50xf64> {
  %init = tensor.empty() : tensor<40x50xf64>
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<40x36xf64>, tensor<50x36xf64>) outs(%init : tensor<40x50xf64>) -> tensor<40x50xf64>
  return %y : tensor<40x50xf64>
}

// What the output holds is a part of the result; the left operand is transposed.
#a = affine_map<(b, i, j, k) -> (b, k, i)>
#b = affine_map<(b, i, j, k) -> (b, k, j)>
#c = affine_map<(b, i, j, k) -> (b, i, j)>
func.func @transposed(%x: tensor<2x48x40xf16>, %w: tensor<2x48x56xf16>, %c: tensor<2x40x56xf32>) -> tensor<2x40x56xf32> {
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x48x40xf16>, tensor<2x48x56xf16>) outs(%c : tensor<2x40x56xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x40x56xf32>
  return %y : tensor<2x40x56xf32>
}

// Few rows: both layouts, aligned and not.
func.func @dots(%x: tensor<3x512xbf16>, %w: tensor<64x512xbf16>, %b: tensor<64xbf16>) -> tensor<3x64xbf16> {
  %init = tensor.empty() : tensor<3x64xbf16>
  %y = attn.linear weight(out_in) ins(%x, %w, %b : tensor<3x512xbf16>, tensor<64x512xbf16>, tensor<64xbf16>) outs(%init : tensor<3x64xbf16>) -> tensor<3x64xbf16>
  return %y : tensor<3x64xbf16>
}
func.func @dots_columns(%x: tensor<2x520xbf16>, %w: tensor<520x72xbf16>) -> tensor<2x72xf32> {
  %init = tensor.empty() : tensor<2x72xf32>
  %y = attn.linear ins(%x, %w : tensor<2x520xbf16>, tensor<520x72xbf16>) outs(%init : tensor<2x72xf32>) -> tensor<2x72xf32>
  return %y : tensor<2x72xf32>
}
func.func @dots_odd(%x: tensor<5x37xf32>, %w: tensor<37x21xf32>, %v: tensor<11x21xf32>) -> tensor<5x11xf32> {
  %init = tensor.empty() : tensor<5x21xf32>
  %y = attn.linear ins(%x, %w : tensor<5x37xf32>, tensor<37x21xf32>) outs(%init : tensor<5x21xf32>) -> tensor<5x21xf32>
  %last = tensor.empty() : tensor<5x11xf32>
  %z = attn.linear weight(out_in) ins(%y, %v : tensor<5x21xf32>, tensor<11x21xf32>) outs(%last : tensor<5x11xf32>) -> tensor<5x11xf32>
  return %z : tensor<5x11xf32>
}

// No terms: what a sum begins with; and no rows.
func.func @empty(%x: tensor<20x0xf32>, %w: tensor<0x24xf32>, %b: tensor<24xf32>) -> tensor<20x24xf32> {
  %init = tensor.empty() : tensor<20x24xf32>
  %y = attn.linear ins(%x, %w, %b : tensor<20x0xf32>, tensor<0x24xf32>, tensor<24xf32>) outs(%init : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %y : tensor<20x24xf32>
}
func.func @no_rows(%x: tensor<?x16xbf16>, %w: tensor<16x24xbf16>, %out: tensor<?x24xbf16>) -> tensor<?x24xbf16> {
  %y = attn.linear ins(%x, %w : tensor<?x16xbf16>, tensor<16x24xbf16>) outs(%out : tensor<?x24xbf16>) -> tensor<?x24xbf16>
  return %y : tensor<?x24xbf16>
}

// Rows of the input lie at multiples of 16 bytes, those of the weight do not, which
// the type does not tell.
func.func @unaligned(%x: tensor<32x24xbf16>, %w: tensor<24x?xbf16>, %out: tensor<32x?xbf16>) -> tensor<32x?xbf16> {
  %y = attn.linear ins(%x, %w : tensor<32x24xbf16>, tensor<24x?xbf16>) outs(%out : tensor<32x?xbf16>) -> tensor<32x?xbf16>
  return %y : tensor<32x?xbf16>
}

// A tile of two fragments a warp, in the loop of three stages.
func.func @tall(%x: tensor<128x136xbf16>, %w: tensor<136x128xbf16>, %r: tensor<128x128xbf16>) -> tensor<128x128xbf16> {
  %init = tensor.empty() : tensor<128x128xbf16>
  %y = attn.linear schedule(#attn.gpu_product<rows = 128, columns = 128, depth = 32, rowWarps = 4, columnWarps = 2, stages = 3>)
      ins(%x, %w : tensor<128x136xbf16>, tensor<136x128xbf16>) extras(%r : tensor<128x128xbf16>) outs(%init : tensor<128x128xbf16>) epilogue {
  ^bb0(%s: f32, %e: f32):
    %sum = arith.addf %s, %e : f32
    attn.yield %sum : f32
  } -> tensor<128x128xbf16>
  return %y : tensor<128x128xbf16>
}

// Fused multiply-adds of whole tiles.
func.func @square(%x: tensor<64x32xf32>, %w: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %init = tensor.empty() : tensor<64x64xf32>
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<64x32xf32>, tensor<64x32xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
