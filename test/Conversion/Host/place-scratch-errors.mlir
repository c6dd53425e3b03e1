// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-place-scratch

// expected-error@+1 {{needs a context as first argument and a status as last result}}
func.func @no_context(%n: index) {
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// expected-remark@+1 {{[attn-r303] scratch of layout: 0 bytes on the stack, 0 from the context, 1 buffers of dynamic size}}
func.func @layout(%ctx: !llvm.ptr, %n: index) -> i32 {
  // expected-error@+1 {{scratch must have the identity layout}}
  %0 = memref.alloc(%n) : memref<?xf32, strided<[2]>>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Counted in full, whatever 64 bits hold.
func.func @large(%ctx: !llvm.ptr) -> i32 {
  // expected-error@+1 {{this needs scratch memory of 18446744056529682436 bytes, more than the 140737488355328 that a process can address: make its sizes dynamic, or smaller}}
  %0 = memref.alloc() : memref<2147483647x2147483647xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
