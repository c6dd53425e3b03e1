// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-outline-parallel

// expected-error@+1 {{needs a context as first argument and a status as last result}}
func.func @no_context(%n: index) {
  scf.forall (%i) in (%n) {
  }
  return
}

// -----

func.func @tensors(%ctx: !llvm.ptr, %t: tensor<4xf32>) -> i32 {
  // expected-error@+1 {{still yields tensors; bufferize first}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<4xf32> {
    scf.forall.in_parallel {
    }
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

func.func @captured_tensor(%ctx: !llvm.ptr, %t: tensor<4xf32>, %m: memref<4xf32>) -> i32 {
  // expected-error@+1 {{captures a value of type 'tensor<4xf32>', which has no place in memory}}
  scf.forall (%i) in (4) {
    %x = tensor.extract %t[%i] : tensor<4xf32>
    memref.store %x, %m[%i] : memref<4xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
