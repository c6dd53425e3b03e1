// Contractions of any layout whose sizes are known at run time only.
//
// RUN: attn-run %s --entry=scores --shape=arg0:2x5x2x3x16 --shape=arg1:2x7x2x16 --check --remarks | FileCheck %s
// RUN: attn-run %s --entry=merged_heads --shape=arg0:2x5x3x16 --check --remarks | FileCheck %s
// RUN: attn-run %s --entry=terms_apart --shape=arg0:2x3x5x16 --shape=arg1:2x7x3x16 --check --remarks | FileCheck %s
// RUN: attn-run %s --entry=terms_apart --shape=arg0:2x3x5x16 --shape=arg1:2x7x3x16 --target=nvptx:sm_80 --simulate=1 --check | FileCheck %s
//
// CHECK: out0 against f64 reference: match
// CHECK-NOT: attn-r242

// Groups of query heads are steps of the batch beside the rows, which may be longer.
func.func @scores(%a: tensor<?x?x2x3x16xf32>, %b: tensor<?x?x2x16xf32>) -> tensor<?x2x3x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %a, %c0 : tensor<?x?x2x3x16xf32>
  %T = tensor.dim %a, %c1 : tensor<?x?x2x3x16xf32>
  %S = tensor.dim %b, %c1 : tensor<?x?x2x16xf32>
  %e = tensor.empty(%B, %T, %S) : tensor<?x2x3x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2x3x?x?xf32>) -> tensor<?x2x3x?x?xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b,t,k,g,h,s) -> (b,t,k,g,h)>, affine_map<(b,t,k,g,h,s) -> (b,s,k,h)>, affine_map<(b,t,k,g,h,s) -> (b,k,g,t,s)>]
      ins(%a, %b : tensor<?x?x2x3x16xf32>, tensor<?x?x2x16xf32>) outs(%z : tensor<?x2x3x?x?xf32>) -> tensor<?x2x3x?x?xf32>
  return %r : tensor<?x2x3x?x?xf32>
}

// Rows of two dimensions, terms of two: a layer.
func.func @merged_heads(%a: tensor<?x?x3x16xf32>, %w: tensor<3x16x20xf32>) -> tensor<?x?x20xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = attn.activation relu %a : tensor<?x?x3x16xf32>
  %B = tensor.dim %a, %c0 : tensor<?x?x3x16xf32>
  %T = tensor.dim %a, %c1 : tensor<?x?x3x16xf32>
  %e = tensor.empty(%B, %T) : tensor<?x?x20xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x20xf32>) -> tensor<?x?x20xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b,t,n,h,d) -> (b,t,n,h)>, affine_map<(b,t,n,h,d) -> (n,h,d)>, affine_map<(b,t,n,h,d) -> (b,t,d)>]
      ins(%x, %w : tensor<?x?x3x16xf32>, tensor<3x16x20xf32>) outs(%z : tensor<?x?x20xf32>) -> tensor<?x?x20xf32>
  return %r : tensor<?x?x20xf32>
}

// The terms of one operand are copied side by side.
func.func @terms_apart(%a: tensor<?x3x?x16xf32>, %w: tensor<?x?x3x16xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = attn.activation relu %a : tensor<?x3x?x16xf32>
  %B = tensor.dim %a, %c0 : tensor<?x3x?x16xf32>
  %T = tensor.dim %a, %c2 : tensor<?x3x?x16xf32>
  %S = tensor.dim %w, %c1 : tensor<?x?x3x16xf32>
  %e = tensor.empty(%B, %T, %S) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b,t,n,h,s) -> (b,n,t,h)>, affine_map<(b,t,n,h,s) -> (b,s,n,h)>, affine_map<(b,t,n,h,s) -> (b,t,s)>]
      ins(%x, %w : tensor<?x3x?x16xf32>, tensor<?x?x3x16xf32>) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
