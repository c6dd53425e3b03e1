// Elementwise programs: 16 bytes a thread, by element, and through squares.

func.func @chain(%x: tensor<5x96xbf16>, %y: tensor<96xbf16>) -> tensor<5x96xbf16> {
  %init = tensor.empty() : tensor<5x96xbf16>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %y : tensor<5x96xbf16>, tensor<96xbf16>) outs(%init : tensor<5x96xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %e = math.tanh %p : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<5x96xbf16>
  return %0 : tensor<5x96xbf16>
}

// A part that begins one element late: by element.
func.func @part(%w: tensor<5x104xf32>) -> tensor<5x96xf32> {
  %x = tensor.extract_slice %w[0, 1] [5, 96] [1, 1] : tensor<5x104xf32> to tensor<5x96xf32>
  %0 = attn.activation gelu %x : tensor<5x96xf32>
  return %0 : tensor<5x96xf32>
}

func.func @dynamic(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = attn.activation silu %x : tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// Both inputs are read by rows: the transposed one through shared memory.
func.func @transposed(%x: tensor<2x50x75xf32>, %y: tensor<2x75x50xf32>) -> tensor<2x75x50xf32> {
  %init = tensor.empty() : tensor<2x75x50xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(b, i, j) -> (b, j, i)>, affine_map<(b, i, j) -> (b, i, j)>,
                     affine_map<(b, i, j) -> (b, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%x, %y : tensor<2x50x75xf32>, tensor<2x75x50xf32>) outs(%init : tensor<2x75x50xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x75x50xf32>
  return %0 : tensor<2x75x50xf32>
}

func.func @transposed_bf16(%x: tensor<64x96xbf16>) -> tensor<96x64xbf16> {
  %init = tensor.empty() : tensor<96x64xbf16>
  %0 = linalg.transpose ins(%x : tensor<64x96xbf16>) outs(%init : tensor<96x64xbf16>) permutation = [1, 0]
  return %0 : tensor<96x64xbf16>
}

// What is not read by rows, and what depends on the index itself.
func.func @numbered(%x: tensor<6x64xf32>, %c: tensor<64x6xf32>) -> tensor<6x64xf32> {
  %t = tensor.extract_slice %c[0, 2] [64, 1] [1, 1] : tensor<64x6xf32> to tensor<64xf32>
  %init = tensor.empty() : tensor<6x64xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %t : tensor<6x64xf32>, tensor<64xf32>) outs(%init : tensor<6x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.mulf %a, %f : f32
    %r = arith.addf %s, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x64xf32>
  return %0 : tensor<6x64xf32>
}
