// Probabilities of 1000 classes, softmax(logits / temperature), with steps as PyTorch exports them. They become one
// attn.softmax whose scale is 1 / temperature.
// build/bin/attn-run examples/spelled_softmax.mlir --check --remarks
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#kept = affine_map<(i, j) -> (i, 0)>
#number = affine_map<(i, j) -> ()>
func.func @classify(%logits: tensor<32x1000xf32>, %temperature: tensor<f32>) -> tensor<32x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %init = tensor.empty() : tensor<32x1000xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %temperature : tensor<32x1000xf32>, tensor<f32>) outs(%init : tensor<32x1000xf32>) {
  ^bb0(%x: f32, %t: f32, %out: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  } -> tensor<32x1000xf32>
  %rows = tensor.empty() : tensor<32xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<32x1000xf32>) outs(%low : tensor<32xf32>) {
  ^bb0(%x: f32, %m: f32):
    %n = arith.maximumf %x, %m : f32
    linalg.yield %n : f32
  } -> tensor<32xf32>
  %kept = tensor.expand_shape %largest [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
  %shifted = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %kept : tensor<32x1000xf32>, tensor<32x1xf32>) outs(%init : tensor<32x1000xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  } -> tensor<32x1000xf32>
  %weights = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%shifted : tensor<32x1000xf32>) outs(%init : tensor<32x1000xf32>) {
  ^bb0(%x: f32, %out: f32):
    %w = math.exp %x : f32
    linalg.yield %w : f32
  } -> tensor<32x1000xf32>
  %column = tensor.empty() : tensor<32x1xf32>
  %none = linalg.fill ins(%zero : f32) outs(%column : tensor<32x1xf32>) -> tensor<32x1xf32>
  %sums = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<32x1000xf32>) outs(%none : tensor<32x1xf32>) {
  ^bb0(%w: f32, %s: f32):
    %n = arith.addf %w, %s : f32
    linalg.yield %n : f32
  } -> tensor<32x1xf32>
  %p = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sums : tensor<32x1000xf32>, tensor<32x1xf32>) outs(%init : tensor<32x1000xf32>) {
  ^bb0(%w: f32, %s: f32, %out: f32):
    %q = arith.divf %w, %s : f32
    linalg.yield %q : f32
  } -> tensor<32x1000xf32>
  return %p : tensor<32x1000xf32>
}
