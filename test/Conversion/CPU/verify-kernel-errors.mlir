// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-verify-kernel

func.func @allocation_in_key_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%j) in (%n) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{'memref.alloc' op allocates inside a loop of a parallel body}}
      %0 = memref.alloc() : memref<4xf32>
    }
  }
  return
}

// -----

func.func @copy_in_key_loop(%n: index, %a: memref<4xf32>, %b: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%j) in (%n) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{'memref.copy' op copies inside a loop of a parallel body}}
      memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    }
  }
  return
}

// -----

func.func @exponential(%x: f32) -> f32 {
  // expected-error@+1 {{'math.exp2' op is left: it would become a call of the C library}}
  %y = math.exp2 %x : f32
  return %y : f32
}

// -----

func.func @matrix(%v: vector<4x4xf32>) {
  // expected-error@+1 {{'arith.addf' op works on vectors of more than one dimension}}
  %0 = arith.addf %v, %v : vector<4x4xf32>
  return
}

// -----

func.func @attention(%q: memref<4x8xf32>, %o: memref<4x8xf32>) {
  // expected-error@+1 {{'attn.attention' op is left: no lowering took it}}
  attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %q, %q : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) outs(%o : memref<4x8xf32>)
  return
}
