// Results are right whatever they share on the way.
// RUN: attn-run %s --entry=one_empty --check | FileCheck %s
// RUN: attn-run %s --entry=one_value --check | FileCheck %s
// RUN: attn-run %s --entry=value_and_next --check | FileCheck %s
// RUN: attn-run %s --entry=old_value --check | FileCheck %s
// RUN: attn-run %s --entry=exchanged --check | FileCheck %s
// RUN: attn-run %s --entry=crossed --check | FileCheck %s
// RUN: attn-run %s --entry=state --check | FileCheck %s
// RUN: attn-run %s --entry=state --portable --check | FileCheck %s
// CHECK: out0 {{.*}}: match
// CHECK: out1 {{.*}}: match

func.func @one_empty(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> (tensor<f32>, tensor<f32>) {
  %scalar = tensor.empty() : tensor<f32>
  %0 = attn.statistics infinity_norm ins(%x : tensor<64x256xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  %1 = attn.statistics infinity_norm ins(%y : tensor<64x256xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

func.func @one_value(%x: tensor<64xf32>, %s: tensor<2xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tensor.insert_slice %s into %a[3] [2] [1] : tensor<2xf32> into tensor<64xf32>
  %c = tensor.insert_slice %s into %a[7] [2] [1] : tensor<2xf32> into tensor<64xf32>
  return %b, %c : tensor<64xf32>, tensor<64xf32>
}

func.func @value_and_next(%x: tensor<64xf32>, %s: tensor<2xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tensor.insert_slice %s into %a[3] [2] [1] : tensor<2xf32> into tensor<64xf32>
  return %b, %a : tensor<64xf32>, tensor<64xf32>
}

func.func @old_value(%c: tensor<8xf32> {attn.inout = 0 : index}, %x: tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %new = tensor.insert_slice %x into %c[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %old = tensor.extract_slice %c[3] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %new, %old : tensor<8xf32>, tensor<2xf32>
}

func.func @exchanged(%c: tensor<8xf32> {attn.inout = 1 : index}, %d: tensor<8xf32> {attn.inout = 0 : index}) -> (tensor<8xf32>, tensor<8xf32>) {
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}

func.func @crossed(%c: tensor<8xf32> {attn.inout = 0 : index}, %d: tensor<8xf32> {attn.inout = 1 : index}, %x: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = tensor.insert_slice %x into %c[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %m = tensor.insert_slice %x into %c[5] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %n, %m : tensor<8xf32>, tensor<8xf32>
}

func.func @state(%c: tensor<16x16xf32> {attn.inout = 0 : index}, %x: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %new = linalg.matmul ins(%c, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %sum = arith.addf %c, %new : tensor<16x16xf32>
  return %new, %sum : tensor<16x16xf32>, tensor<16x16xf32>
}
