// Rows for every schedule: one warp or several, in registers or read again.

// One warp a row, with a masked end; four rows a block, the last block half full.
func.func @short(%x: tensor<2x3x40xf32>, %g: tensor<40xf32>, %b: tensor<40xf32>)
    -> tensor<2x3x40xf32> {
  %init = tensor.empty() : tensor<2x3x40xf32>
  %y = attn.norm layer axes [2] eps(1.0e-05) ins(%x : tensor<2x3x40xf32>)
      gamma(%g : tensor<40xf32>) beta(%b : tensor<40xf32>)
      outs(%init : tensor<2x3x40xf32>) -> tensor<2x3x40xf32>
  return %y : tensor<2x3x40xf32>
}

// The sum stays in registers, and is a result.
func.func @residual(%x: tensor<5x100xf16>, %r: tensor<5x100xf16>)
    -> (tensor<5x100xf16>, tensor<5x100xf16>) {
  %init = tensor.empty() : tensor<5x100xf16>
  %sum = arith.addf %x, %r : tensor<5x100xf16>
  %y = attn.norm rms axes [1] eps(1.0e-06) ins(%sum : tensor<5x100xf16>)
      outs(%init : tensor<5x100xf16>) -> tensor<5x100xf16>
  return %y, %sum : tensor<5x100xf16>, tensor<5x100xf16>
}

// Eight warps a row, whose sums meet in shared memory twice.
func.func @long(%x: tensor<2x3000xf32>) -> tensor<2x3000xf32> {
  %init = tensor.empty() : tensor<2x3000xf32>
  %y = attn.norm layer axes [1] eps(1.0e-05) ins(%x : tensor<2x3000xf32>)
      outs(%init : tensor<2x3000xf32>) -> tensor<2x3000xf32>
  return %y : tensor<2x3000xf32>
}

// Any length: what the row keeps lies in scratch.
func.func @dynamic(%x: tensor<3x?xbf16>, %r: tensor<3x?xbf16>) -> tensor<3x?xbf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xbf16>
  %init = tensor.empty(%n) : tensor<3x?xbf16>
  %sum = arith.addf %x, %r : tensor<3x?xbf16>
  %y = attn.norm layer axes [1] eps(1.0e-05) ins(%sum : tensor<3x?xbf16>)
      outs(%init : tensor<3x?xbf16>) -> tensor<3x?xbf16>
  return %y : tensor<3x?xbf16>
}

func.func @softmax1(%x: tensor<2x4x70xf32>) -> tensor<2x4x70xf32> {
  %init = tensor.empty() : tensor<2x4x70xf32>
  %y = attn.softmax scale(#attn.constant<0.25>) softmax(#attn.softmax1)
      ins(%x : tensor<2x4x70xf32>) outs(%init : tensor<2x4x70xf32>) -> tensor<2x4x70xf32>
  return %y : tensor<2x4x70xf32>
}

func.func @softmax_f64(%x: tensor<3x600xf64>) -> tensor<3x600xf64> {
  %init = tensor.empty() : tensor<3x600xf64>
  %y = attn.softmax scale(#attn.constant<1.0>) softmax(#attn.softmax)
      ins(%x : tensor<3x600xf64>) outs(%init : tensor<3x600xf64>) -> tensor<3x600xf64>
  return %y : tensor<3x600xf64>
}

// Rows of 512 bytes: 16 bytes a lane, of each input once and of each result once.
func.func @aligned(%x: tensor<6x256xbf16>, %r: tensor<6x256xbf16>, %g: tensor<256xbf16>)
    -> (tensor<6x256xbf16>, tensor<6x256xbf16>) {
  %init = tensor.empty() : tensor<6x256xbf16>
  %sum = arith.addf %x, %r : tensor<6x256xbf16>
  %y = attn.norm rms axes [1] eps(1.0e-06) ins(%sum : tensor<6x256xbf16>)
      gamma(%g : tensor<256xbf16>)
      outs(%init : tensor<6x256xbf16>) -> tensor<6x256xbf16>
  return %y, %sum : tensor<6x256xbf16>, tensor<6x256xbf16>
}

// Rows of a part that begins one element late: by element.
func.func @part(%w: tensor<6x280xf32>) -> tensor<6x256xf32> {
  %x = tensor.extract_slice %w[0, 1] [6, 256] [1, 1] : tensor<6x280xf32> to tensor<6x256xf32>
  %init = tensor.empty() : tensor<6x256xf32>
  %y = attn.norm layer axes [1] eps(1.0e-06) ins(%x : tensor<6x256xf32>)
      outs(%init : tensor<6x256xf32>) -> tensor<6x256xf32>
  return %y : tensor<6x256xf32>
}
