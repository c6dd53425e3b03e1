// A mask that fills with the lowest number hides nothing where it hides all: such a
// row's scores are alike, and the logarithm of their sum is that number, which has
// no log2. The lowest bf16 is another one. In the last attention keys are split.
// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// RUN: attn-run %s --target=nvptx:sm_80 --simulate --check | FileCheck %s
// CHECK-COUNT-6: against f64 reference: match

func.func @main(%q: tensor<8x64xf32>, %k: tensor<48x64xf32>, %q1: tensor<8x64xbf16>, %k1: tensor<48x64xbf16>,
                %q2: tensor<1x64xf16>, %k2: tensor<1024x64xf16>)
    -> (tensor<8x64xf32>, tensor<8xf32>, tensor<8x64xbf16>, tensor<8xf32>, tensor<1x64xf16>, tensor<1xf32>) {
  %fill = arith.constant dense<-3.40282347E+38> : tensor<8x48xf32>
  %o = tensor.empty() : tensor<8x64xf32>
  %l = tensor.empty() : tensor<8xf32>
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]
    ins(%q, %k, %k : tensor<8x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) params(%fill : tensor<8x48xf32>)
    outs(%o, %l : tensor<8x64xf32>, tensor<8xf32>) -> tensor<8x64xf32>, tensor<8xf32>
  %fill1 = arith.constant dense<-3.38953139E+38> : tensor<8x48xbf16>
  %o1 = tensor.empty() : tensor<8x64xbf16>
  %1:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]
    ins(%q1, %k1, %k1 : tensor<8x64xbf16>, tensor<48x64xbf16>, tensor<48x64xbf16>) params(%fill1 : tensor<8x48xbf16>)
    outs(%o1, %l : tensor<8x64xbf16>, tensor<8xf32>) -> tensor<8x64xbf16>, tensor<8xf32>
  %fill2 = arith.constant dense<-3.40282347E+38> : tensor<1x1024xf32>
  %o2 = tensor.empty() : tensor<1x64xf16>
  %l2 = tensor.empty() : tensor<1xf32>
  %2:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]
    ins(%q2, %k2, %k2 : tensor<1x64xf16>, tensor<1024x64xf16>, tensor<1024x64xf16>) params(%fill2 : tensor<1x1024xf32>)
    outs(%o2, %l2 : tensor<1x64xf16>, tensor<1xf32>) -> tensor<1x64xf16>, tensor<1xf32>
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<8x64xf32>, tensor<8xf32>, tensor<8x64xbf16>, tensor<8xf32>, tensor<1x64xf16>, tensor<1xf32>
}
