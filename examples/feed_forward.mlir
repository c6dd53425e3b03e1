// SwiGLU as in many language models; the layer of the first transformers, with biases
// and gelu; and a gate without a function.
//   attn-run examples/feed_forward.mlir --entry=swiglu --check
func.func @swiglu(%x: tensor<2x17x64xbf16>, %gate: tensor<64x172xbf16>, %up: tensor<64x172xbf16>,
                  %down: tensor<172x64xbf16>) -> tensor<2x17x64xbf16> {
  %y = attn.feed_forward silu ins(%x : tensor<2x17x64xbf16>)
      gate(%gate : tensor<64x172xbf16>) up(%up : tensor<64x172xbf16>)
      down(%down : tensor<172x64xbf16>) -> tensor<2x17x64xbf16>
  return %y : tensor<2x17x64xbf16>
}

func.func @gelu(%x: tensor<?x64xf32>, %up: tensor<256x64xf32>, %up_bias: tensor<256xf32>,
                %down: tensor<64x256xf32>, %down_bias: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = attn.feed_forward gelu weight(out_in) ins(%x : tensor<?x64xf32>)
      up(%up, %up_bias : tensor<256x64xf32>, tensor<256xf32>)
      down(%down, %down_bias : tensor<64x256xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @bilinear(%x: tensor<9x64xf32>, %gate: tensor<64x96xf32>, %up: tensor<64x96xf32>,
                    %down: tensor<96x64xf32>) -> tensor<9x64xf32> {
  %y = attn.feed_forward ins(%x : tensor<9x64xf32>) gate(%gate : tensor<64x96xf32>)
      up(%up : tensor<64x96xf32>) down(%down : tensor<96x64xf32>) -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}
