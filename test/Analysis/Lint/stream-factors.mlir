// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-fuse-epilogue --attn-lint -o /dev/null 2>&1 | grep "warning: .attn" | FileCheck %s --check-prefix=EPILOGUE --implicit-check-not=attn-w
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule --attn-fuse-residual-norm --attn-lint -o /dev/null 2>&1 | grep "warning: .attn" | FileCheck %s --check-prefix=NORM --implicit-check-not=attn-w
// Streams whose blocks have constant factors: faults, and twins that are silent.
// After fusion the same is said.

// 12 Post Norm blocks hardly hear their input; those of 2 x + F(x) (DeepNorm)
// keep (4/5)^12 of its second moment.
// EPILOGUE: [attn-w104] arith.addf: after 12 Post Norm blocks the input of the stream weighs 0.01562
// NORM: [attn-w104] attn.norm: after 12 Post Norm blocks the input of the stream weighs 0.01562
func.func @plain(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %e = tensor.empty() : tensor<48x64xf32>
  %y = scf.for %i = %c0 to %c12 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    // expected-warning@below {{[attn-w104] arith.addf: after 12 Post Norm blocks the input of the stream weighs 0.01562: it has 0.0002441 of the predicted second moment}}
    // expected-note@below {{not mended by}}
    %s = arith.addf %h, %f : tensor<48x64xf32>
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    scf.yield %n : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

func.func @deepnorm(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %two = arith.constant dense<2.0> : tensor<48x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %y = scf.for %i = %c0 to %c12 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %a = arith.mulf %h, %two : tensor<48x64xf32>
    %s = arith.addf %a, %f : tensor<48x64xf32>
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    scf.yield %n : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

// A factor of 1.1 leaves (1.21/2.21)^12.
// EPILOGUE: [attn-w104] arith.addf: after 12 Post Norm blocks the input of the stream weighs 0.0269
// NORM: [attn-w104] attn.norm: after 12 Post Norm blocks the input of the stream weighs 0.0269
func.func @small_factor(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %two = arith.constant dense<1.1> : tensor<48x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %y = scf.for %i = %c0 to %c12 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %a = arith.mulf %h, %two : tensor<48x64xf32>
    // expected-warning@below {{[attn-w104] arith.addf: after 12 Post Norm blocks the input of the stream weighs 0.0269}}
    // expected-note@below {{not mended by}}
    %s = arith.addf %a, %f : tensor<48x64xf32>
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    scf.yield %n : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

// A Pre Norm stream grows, and ends without a norm; halved, it does not grow.
// EPILOGUE: [attn-w102] arith.addf: the stream of 4 Pre Norm blocks ends without a norm; its predicted second moment is 5, that of its input 1
// NORM: [attn-w102] arith.addf: the stream of 4 Pre Norm blocks ends without a norm; its predicted second moment is 5, that of its input 1
func.func @growing(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<48x64xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%h : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %f = attn.linear ins(%n, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    // expected-warning@below {{[attn-w102] arith.addf: the stream of 4 Pre Norm blocks ends without a norm; its predicted second moment is 5, that of its input 1}}
    // expected-note@below {{mend it by attn.norm rms behind the loop}}
    %s = arith.addf %h, %f : tensor<48x64xf32>
    scf.yield %s : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

// The sum is a result of the norm of the next block: two blocks without a loop.
// EPILOGUE: [attn-w102] arith.addf: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1
// NORM: [attn-w102] arith.addf: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1
func.func @unrolled(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f = attn.linear ins(%n, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s = arith.addf %x, %f : tensor<48x64xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %g = attn.linear ins(%m, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w102] arith.addf: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1}}
  // expected-note@below {{mend it by attn.norm rms behind it}}
  %t = arith.addf %s, %g : tensor<48x64xf32>
  return %t : tensor<48x64xf32>
}

func.func @halved(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant dense<0.5> : tensor<48x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%h : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %f = attn.linear ins(%n, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %s = arith.addf %h, %f : tensor<48x64xf32>
    %t = arith.mulf %s, %half : tensor<48x64xf32>
    scf.yield %t : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

// tanh of math in a layer's epilogue is one between two layers, too.
// EPILOGUE: [attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943
// NORM: [attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943
func.func @tanh(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %f = attn.linear ins(%x, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943, and the layer after it has 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = math.tanh %f : tensor<48x64xf32>
  %y = attn.linear ins(%t, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %y : tensor<48x64xf32>
}
