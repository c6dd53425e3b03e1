// Functions that share constants and have some of their own.

func.func @f0(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @f1(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[1.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @f2(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[2.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[1.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @f3(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[3.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[1.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @f4(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[4.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[2.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @f5(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %own = arith.constant dense<[5.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %shared = arith.constant dense<[2.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.addf %x, %own : tensor<4xf32>
  %1 = arith.mulf %x, %shared : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
