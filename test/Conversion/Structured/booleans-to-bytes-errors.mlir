// RUN: attn-opt %s --verify-diagnostics --attn-booleans-to-bytes

// Structured ops come before this pass.
func.func @structured(%a: memref<4xi1>, %b: i1) {
  // expected-error@+1 {{failed to legalize operation 'linalg.fill'}}
  linalg.fill ins(%b : i1) outs(%a : memref<4xi1>)
  return
}
