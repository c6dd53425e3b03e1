// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule -o /dev/null --remarks-filter=attn --remark-format=yaml --remarks-output-file=%t.yaml 2>&1 | count 0
// RUN: FileCheck %s --input-file=%t.yaml

// Remarks that an engine asks for go there, with their arguments one by one, and
// are no diagnostics.
// CHECK: --- !Passed
// CHECK: Name: {{.*}}attn-r202
// CHECK: - schedule: {{.*}}'#attn.schedule<
// CHECK: --- !Analysis
// CHECK: Name: {{.*}}attn-r301
// CHECK: - flops: {{.*}}'24576'
// CHECK: - bytes: {{.*}}'50176'
func.func @decode(%q: tensor<2x1x64xf32>, %k: tensor<2x48x64xf32>) -> tensor<2x1x64xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<2x1x64xf32>, tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%q : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %0 : tensor<2x1x64xf32>
}
