// The first argument has many more elements than an address has values.
func.func @huge(%x: tensor<?x?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %y, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
