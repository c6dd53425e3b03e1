// RUN: attn-opt %s --attn-check-upstream --split-input-file --verify-diagnostics

// Ops of the table, with what to write instead.
func.func @scatter(%x: tensor<9x6xf32>, %y: tensor<3x6xf32>, %i: tensor<3x1xi32>) -> tensor<9x6xf32> {
  // expected-error @+1 {{'tensor.scatter' is not compiled: write scf.for with tensor.insert_slice}}
  %r = tensor.scatter %y into %x[%i] scatter_dims([0]) unique : (tensor<3x6xf32>, tensor<9x6xf32>, tensor<3x1xi32>) -> tensor<9x6xf32>
  return %r : tensor<9x6xf32>
}

// -----

// All whose names begin so.
func.func @winograd(%x: tensor<2x3x3x5xf32>, %o: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  // expected-error @+1 {{'linalg.winograd_filter_transform' is not compiled: write the convolution itself}}
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%x : tensor<2x3x3x5xf32>) outs(%o : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %r : tensor<6x6x5x2xf32>
}

// -----

func.func @loop(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{'affine.for' is not compiled: write scf.for}}
  %r = affine.for %i = 0 to 9 iter_args(%t = %x) -> tensor<9xf32> {
    affine.yield %t : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

// -----

func.func @memory() {
  // expected-error @+1 {{'memref.alloc' is not compiled: kernels are compiled from ops on tensors}}
  %m = memref.alloc() : memref<9xf32>
  return
}

// -----

// Passes have to know what an op does with memory.
func.func @intrinsic(%x: f32) -> f32 {
  // expected-error @+1 {{'llvm.call_intrinsic' is not compiled: nothing says what it reads and writes; write an op of arith or math}}
  %y = llvm.call_intrinsic "llvm.fabs.f32"(%x) : (f32) -> f32
  return %y : f32
}

// -----

// A constant exponent becomes products; others do not.
func.func @power(%x: tensor<9xi32>, %n: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>) {
  %two = arith.constant dense<2> : tensor<9xi32>
  %a = math.ipowi %x, %two : tensor<9xi32>
  // expected-error @+1 {{'math.ipowi' is not compiled: write products, with a constant exponent}}
  %b = math.ipowi %x, %n : tensor<9xi32>
  return %a, %b : tensor<9xi32>, tensor<9xi32>
}

// -----

// Complex numbers: torch-mlir leaves them where a model has them.
func.func @complex(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{'tensor.empty' has complex numbers, which kernels do not compute with: write the real and the imaginary part as two tensors}}
  %e = tensor.empty() : tensor<9xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<9xf32>) outs(%e : tensor<9xcomplex<f32>>) {
  ^bb0(%a: f32, %out: complex<f32>):
    %c = complex.create %a, %a : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<9xcomplex<f32>>
  return %x : tensor<9xf32>
}

// -----

// Types that kernels do not compute with.
func.func @narrow(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{'arith.truncf' has numbers of type 'f8E4M3FN', which kernels do not compute with: convert them to f16, bf16, f32 or f64 outside of the kernel}}
  %s = arith.truncf %x : tensor<9xf32> to tensor<9xf8E4M3FN>
  %r = arith.extf %s : tensor<9xf8E4M3FN> to tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// In the body of a structured op, too.
#map = affine_map<(i) -> (i)>
func.func @narrow_element(%x: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%x : tensor<9xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{'arith.truncf' has numbers of type 'f8E5M2'}}
    %s = arith.truncf %a : f32 to f8E5M2
    %b = arith.extf %s : f8E5M2 to f32
    linalg.yield %b : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

func.func @vectors(%x: f32) {
  // expected-error @+1 {{'vector.broadcast' works on a vector of several dimensions, which no kernel does: write it on tensors}}
  %v = vector.broadcast %x : f32 to vector<2x8xf32>
  return
}

// -----

// Too large for any machine.
func.func @large(%x: f32) {
  // expected-error @+1 {{'tensor.splat' makes a tensor of 18446744056529682436 bytes, more than the 140737488355328 that a process can address}}
  %t = tensor.splat %x : tensor<2147483647x2147483647xf32>
  return
}

// -----

// What is in a tensor.empty is nobody's.
#map = affine_map<(i) -> (i)>
func.func @empty() -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  // expected-error @+1 {{'linalg.generic' reads a tensor.empty, which holds anything: write linalg.fill, or tensor.splat, before}}
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    linalg.yield %b : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// Nor what is in a part of it.
#map = affine_map<(i) -> (i)>
func.func @empty_slice(%o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %s = tensor.extract_slice %e[2] [4] [1] : tensor<9xf32> to tensor<4xf32>
  // expected-error @+1 {{'linalg.generic' reads a tensor.empty}}
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The shape alone may be taken of it, as windows of pooling are.
func.func @window(%x: tensor<1x8x8x3xf32>, %o: tensor<1x7x7x3xf32>) -> tensor<1x7x7x3xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %r = linalg.pooling_nhwc_sum ins(%x, %e : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%o : tensor<1x7x7x3xf32>) -> tensor<1x7x7x3xf32>
  return %r : tensor<1x7x7x3xf32>
}

// -----

// Bodies compute with elements.
func.func @slice_in_body(%x: tensor<?xf32>, %at: tensor<4xindex>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: index, %o: f32):
    // expected-error @+1 {{'tensor.extract_slice' stands in the body of a structured op, which computes with numbers: write tensor.extract there, or a loop of scf around it}}
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %v = tensor.extract %s[%c0] : tensor<1xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @dim_in_body(%x: tensor<?xf32>, %at: tensor<4xindex>, %e: tensor<4xindex>) -> tensor<4xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<4xindex>) outs(%e : tensor<4xindex>) {
  ^bb0(%i: index, %o: index):
    // expected-error @+1 {{'tensor.dim' stands in the body of a structured op}}
    %n = tensor.dim %x, %i : tensor<?xf32>
    linalg.yield %n : index
  } -> tensor<4xindex>
  return %r : tensor<4xindex>
}

// -----

func.func @divisor(%x: tensor<?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' divides an index by a number below 1}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @factor(%x: tensor<?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' has a number of 2^31 or more in the map of an index}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2147483648)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @modulus(%n: index) -> index {
  // expected-error @+1 {{'affine.apply' divides by a number below 1}}
  %r = affine.apply affine_map<(i) -> (i mod -2)>(%n)
  return %r : index
}

// -----

func.func @poison(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'ub.poison' is not compiled: it has no value: write arith.constant}}
  %p = ub.poison : tensor<4xf32>
  %r = arith.addf %x, %p : tensor<4xf32>
  return %r : tensor<4xf32>
}
