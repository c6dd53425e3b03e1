// Rows along other dimensions than the last one, over several dimensions, and
// rows of positions.

// A row is a column: lanes have rows side by side, 37 of them.
func.func @columns(%x: tensor<2x50x37xf32>) -> tensor<2x50x37xf32> {
  %init = tensor.empty() : tensor<2x50x37xf32>
  %y = attn.softmax scale(#attn.constant<0.5>) softmax(#attn.softmax1) dim(1)
      ins(%x : tensor<2x50x37xf32>) outs(%init : tensor<2x50x37xf32>) -> tensor<2x50x37xf32>
  return %y : tensor<2x50x37xf32>
}

// Too long for registers: what a row keeps lies in scratch, side by side, too.
func.func @long_columns(%x: tensor<1200x40xbf16>) -> tensor<1200x40xbf16> {
  %init = tensor.empty() : tensor<1200x40xbf16>
  %y = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0)
      ins(%x : tensor<1200x40xbf16>) outs(%init : tensor<1200x40xbf16>) -> tensor<1200x40xbf16>
  return %y : tensor<1200x40xbf16>
}

// Few long rows are cut: the second launch puts together what the first found.
func.func @parts(%x: tensor<2x70000xf32>) -> tensor<2x70000xf32> {
  %init = tensor.empty() : tensor<2x70000xf32>
  %y = attn.softmax scale(#attn.constant<3.0>) softmax(#attn.softmax1)
      ins(%x : tensor<2x70000xf32>) outs(%init : tensor<2x70000xf32>) -> tensor<2x70000xf32>
  return %y : tensor<2x70000xf32>
}

// Rows of three dimensions, two of which are one in memory.
func.func @group(%x: tensor<2x3x4x5x8xf16>, %g: tensor<3x4xf16>, %b: tensor<3x4xf16>)
    -> tensor<2x3x4x5x8xf16> {
  %init = tensor.empty() : tensor<2x3x4x5x8xf16>
  %y = attn.norm group axes [2, 3, 4] eps(1.0e-05) affine_axes [1, 2] ins(%x : tensor<2x3x4x5x8xf16>)
      gamma(%g : tensor<3x4xf16>) beta(%b : tensor<3x4xf16>)
      outs(%init : tensor<2x3x4x5x8xf16>) -> tensor<2x3x4x5x8xf16>
  return %y : tensor<2x3x4x5x8xf16>
}

// Statistics of each channel, and the running ones.
func.func @batch(%x: tensor<3x5x6x10xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>,
                 %m: tensor<5xf32>, %v: tensor<5xf32>)
    -> (tensor<3x5x6x10xf32>, tensor<5xf32>, tensor<5xf32>) {
  %init = tensor.empty() : tensor<3x5x6x10xf32>
  %y, %rm, %rv = attn.norm batch axes [0, 2, 3] eps(1.0e-05)
      ins(%x : tensor<3x5x6x10xf32>) gamma(%g : tensor<5xf32>) beta(%b : tensor<5xf32>)
      outs(%init : tensor<3x5x6x10xf32>)
      running(%m, %v : tensor<5xf32>, tensor<5xf32>) momentum(0.1)
      -> tensor<3x5x6x10xf32>, tensor<5xf32>, tensor<5xf32>
  return %y, %rm, %rv : tensor<3x5x6x10xf32>, tensor<5xf32>, tensor<5xf32>
}

// Each channel's kurtosis, and the largest magnitude of a long row in parts.
func.func @kurtosis(%x: tensor<40x3x50xf32>) -> tensor<3xf32> {
  %init = tensor.empty() : tensor<3xf32>
  %k = attn.statistics kurtosis axes [0, 2] ins(%x : tensor<40x3x50xf32>)
      outs(%init : tensor<3xf32>) -> tensor<3xf32>
  return %k : tensor<3xf32>
}

func.func @largest(%x: tensor<2x70000xbf16>) -> tensor<2xf32> {
  %init = tensor.empty() : tensor<2xf32>
  %k = attn.statistics infinity_norm axes [1] ins(%x : tensor<2x70000xbf16>)
      outs(%init : tensor<2xf32>) -> tensor<2xf32>
  return %k : tensor<2xf32>
}

// Six rows at each position: sines and cosines are computed once for four.
func.func @rope_halves(%x: tensor<2x3x9x64xbf16>, %past: tensor<2xi64>) -> tensor<2x3x9x64xbf16> {
  %init = tensor.empty() : tensor<2x3x9x64xbf16>
  %y = attn.rope pairs(half_split) rotary_dim(32) ins(%x : tensor<2x3x9x64xbf16>)
      offset(%past : tensor<2xi64>) outs(%init : tensor<2x3x9x64xbf16>) -> tensor<2x3x9x64xbf16>
  return %y : tensor<2x3x9x64xbf16>
}

func.func @rope_neighbours(%x: tensor<5x3x6x64xf32>) -> tensor<5x3x6x64xf32> {
  %init = tensor.empty() : tensor<5x3x6x64xf32>
  %y = attn.rope pairs(interleaved) row_dim(1) ins(%x : tensor<5x3x6x64xf32>)
      outs(%init : tensor<5x3x6x64xf32>) -> tensor<5x3x6x64xf32>
  return %y : tensor<5x3x6x64xf32>
}

func.func @sinusoidal(%p: tensor<2x7xi32>) -> tensor<2x7x24xf16> {
  %init = tensor.empty() : tensor<2x7x24xf16>
  %y = attn.sinusoidal_positions positions(%p : tensor<2x7xi32>)
      outs(%init : tensor<2x7x24xf16>) -> tensor<2x7x24xf16>
  return %y : tensor<2x7x24xf16>
}

// In place: partners of a pair are read by other threads, so it goes through scratch.
func.func @rope_in_place(%x: tensor<2x3x9x64xbf16> {attn.inout = 0 : index}, %past: tensor<2xi64>) -> tensor<2x3x9x64xbf16> {
  %y = attn.rope pairs(half_split) rotary_dim(32) ins(%x : tensor<2x3x9x64xbf16>)
      offset(%past : tensor<2xi64>) outs(%x : tensor<2x3x9x64xbf16>) -> tensor<2x3x9x64xbf16>
  return %y : tensor<2x3x9x64xbf16>
}
