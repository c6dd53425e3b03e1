// The attention of one decoder layer: 8 query heads, each 4 of them share a head
// of keys and values. The caches belong to the caller, who says how much room
// they have; both kernels update them in place.

// A prompt of any length, which becomes the cache's first rows.
func.func @prefill(%query: tensor<1x8x?x64xf32>, %key: tensor<1x2x?x64xf32>, %value: tensor<1x2x?x64xf32>,
                   %keys: tensor<1x2x?x64xf32> {attn.inout = 1 : index},
                   %values: tensor<1x2x?x64xf32> {attn.inout = 2 : index})
    -> (tensor<1x8x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>) {
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %key, %c2 : tensor<1x2x?x64xf32>
  %room = tensor.dim %keys, %c2 : tensor<1x2x?x64xf32>
  %value_room = tensor.dim %values, %c2 : tensor<1x2x?x64xf32>
  %smaller = arith.minui %room, %value_room : index
  %fits = arith.cmpi ule, %rows, %smaller : index
  cf.assert %fits, "the prompt is longer than the cache"
  %outputs = tensor.dim %query, %c2 : tensor<1x8x?x64xf32>
  %init = tensor.empty(%outputs) : tensor<1x8x?x64xf32>
  %out = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal]
      ins(%query, %key, %value : tensor<1x8x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>)
      outs(%init : tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32>
  %new_keys = tensor.insert_slice %key into %keys[0, 0, 0, 0] [1, 2, %rows, 64] [1, 1, 1, 1]
    : tensor<1x2x?x64xf32> into tensor<1x2x?x64xf32>
  %new_values = tensor.insert_slice %value into %values[0, 0, 0, 0] [1, 2, %rows, 64] [1, 1, 1, 1]
    : tensor<1x2x?x64xf32> into tensor<1x2x?x64xf32>
  return %out, %new_keys, %new_values
    : tensor<1x8x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>
}

// One token: its key and value go to row `length` of the caches, and it sees all
// rows up to itself.
func.func @decode(%query: tensor<1x8x1x64xf32>, %key: tensor<1x2x1x64xf32>, %value: tensor<1x2x1x64xf32>,
                  %keys: tensor<1x2x?x64xf32> {attn.inout = 1 : index},
                  %values: tensor<1x2x?x64xf32> {attn.inout = 2 : index}, %length: tensor<1xi32>)
    -> (tensor<1x8x1x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %stored = tensor.extract %length[%c0] : tensor<1xi32>
  %at = arith.index_cast %stored : i32 to index
  %room = tensor.dim %keys, %c2 : tensor<1x2x?x64xf32>
  %fits = arith.cmpi ult, %at, %room : index
  cf.assert %fits, "the cache is full"
  %new_keys = tensor.insert_slice %key into %keys[0, 0, %at, 0] [1, 2, 1, 64] [1, 1, 1, 1]
    : tensor<1x2x1x64xf32> into tensor<1x2x?x64xf32>
  %new_values = tensor.insert_slice %value into %values[0, 0, %at, 0] [1, 2, 1, 64] [1, 1, 1, 1]
    : tensor<1x2x1x64xf32> into tensor<1x2x?x64xf32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %seen = arith.addi %length, %one : tensor<1xi32>
  %init = tensor.empty() : tensor<1x8x1x64xf32>
  %out = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.kv_lengths]
      ins(%query, %new_keys, %new_values : tensor<1x8x1x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>)
      params(%seen : tensor<1xi32>) outs(%init : tensor<1x8x1x64xf32>) -> tensor<1x8x1x64xf32>
  return %out, %new_keys, %new_values
    : tensor<1x8x1x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>
}
