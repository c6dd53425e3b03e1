// RUN: attn-opt %s --verify-diagnostics --attn-expand-copies

func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  // expected-error@+1 {{copies of unranked memrefs are not supported}}
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
