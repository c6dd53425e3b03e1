//--- outside.mlir
// Nothing is linked to a kernel.
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- recursion.mlir
// All calls are inlined.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- sizes.mlir
func.func @f(%x: tensor<?xf32>, %count: tensor<i32>) -> tensor<?xf32> {
  %value = tensor.extract %count[] : tensor<i32>
  %size = arith.index_cast %value : i32 to index
  %part = tensor.extract_slice %x[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}
//--- large.mlir
func.func @f(%x: tensor<2147483648x1xf32>) -> tensor<1xf32> {
  %0 = arith.constant dense<0.0> : tensor<1xf32>
  return %0 : tensor<1xf32>
}
//--- inout.mlir
func.func @f(%x: tensor<4xf32> {attn.inout = 7 : index}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
