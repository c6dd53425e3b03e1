// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=1024 text=%t.txt json=%t.json html=%t.html"
// RUN: FileCheck %s < %t.txt
// RUN: python3 %S/Inputs/check_entropy.py %t.json
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: echo "module {}" | attn-opt - -o /dev/null --attn-analyze-entropy="head-dim=128 from=64 to=64 policies=inv_sqrt_dim;gradient_max<scores=cosine,n=keys> text=-" | FileCheck %s --check-prefix=ALONE
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=1024 json=-" | diff %t.json -
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=1024 json=- seed=1" | not diff -q %t.json -
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=100 to=150 policies=inv_dim;#attn.constant<0.5>;gradient_max<scores=cosine,n=keys>" 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: attn-opt %s --attn-analyze-entropy="from=64 to=64 text=%t.txt" | attn-opt -o %t.after
// RUN: attn-opt %s | diff %t.after -

// Policies without ops: those for cosines are for scores of cosines.
// ALONE: scale policies, d = 128, dot product
// ALONE: #attn.inv_sqrt_dim
// ALONE: scale policies, d = 128, cosine
// ALONE: #attn.gradient_max<scores = cosine, n = keys>

// The op's own policy comes first, with its own head dimension; the usual
// alternatives follow, without a repetition. At n = 512 the base of log_length
// makes it inv_sqrt_dim.
// CHECK-LABEL: attn.attention in @log_length
// CHECK-SAME: d = 64, dot product
// CHECK-NEXT: #attn.log_length<base = 5.120000e+02, n = keys> (its own)
// CHECK: 64 0.08333 3.943 3.937 2.879 {{3\.9[34][0-9]}} +- 0.001
// CHECK: 512 0.12500 5.742
// CHECK: 1024 0.13889 6.317 6.314 4.798 {{6\.31[0-9]}} +- 0.00
// CHECK: from 64 to 1024 it grows by 2.374
// CHECK: #attn.inv_sqrt_dim
// CHECK: 64 0.12500 3.685 3.659 2.239 {{3\.68[0-9]}} +- 0.00
// CHECK: 1024 0.12500 6.433 6.431 5.011
// CHECK: from 64 to 1024 it grows by 2.749
// CHECK: #attn.gradient_max_fit<scores = normal, n = keys>
// CHECK: #attn.gradient_max<scores = normal, n = keys>
// CHECK: #attn.gradient_max_blind

// HTML: <!DOCTYPE html>
// HTML: <meta name="viewport" content="width=device-width
// HTML: prefers-color-scheme: dark
// HTML: attn.attention in @log_length
// HTML: <svg
// HTML: log_length&lt;base = 5.120000e+02, n = keys&gt;
// HTML: </svg>
// HTML: </html>

// Policies by option, sampled between other lengths. One of them is for cosine
// scores, so it is not compared where the similarity is the dot product.
// CHOSEN-LABEL: attn.attention in @log_length
// CHOSEN: (its own)
// CHOSEN: #attn.inv_dim
// CHOSEN-NEXT: n lambda
// CHOSEN-NEXT: 100 0.01562
// CHOSEN-NEXT: 150 0.01562
// CHOSEN: #attn.constant<5.000000e-01>
// CHOSEN-NOT: gradient_max
// CHOSEN-LABEL: attn.attention in @cosine
// CHOSEN: #attn.gradient_max<scores = cosine, n = keys>
func.func @log_length(%q: tensor<1x8x48x64xf32>, %k: tensor<1x8x?x64xf32>, %v: tensor<1x8x?x64xf32>,
                      %init: tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32> {
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<1x8x48x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>)
    outs(%init : tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32>
  return %o : tensor<1x8x48x64xf32>
}

// Cosine scores have their own distribution and policies, n = constant(c) is
// the length that lambda is made for, whatever n is.
// CHECK-LABEL: attn.attention in @cosine
// CHECK-SAME: d = 64, cosine
// CHECK: n = constant(1024)> (its own)
// CHECK: 64 19.76507
// CHECK: 1024 19.76507 4.415 4.234
// CHECK: #attn.gradient_max_fit<scores = cosine, n = keys>
// CHECK: 64 11.25770 3.297 3.211
func.func @cosine(%q: tensor<1x8x48x64xf32>, %k: tensor<1x8x?x64xf32>, %v: tensor<1x8x?x64xf32>,
                  %init: tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32> {
  %o = attn.attention scale(#attn.gradient_max<scores = cosine, n = constant(1024)>)
    similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<1x8x48x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>)
    outs(%init : tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32>
  return %o : tensor<1x8x48x64xf32>
}

// A trained scale is not known; the alternatives are.
// CHECK-LABEL: attn.attention in @learned
// CHECK-NEXT: #attn.learned (its own)
// CHECK-NEXT: lambda depends on a param
// CHECK-NEXT: #attn.inv_sqrt_dim
func.func @learned(%q: tensor<1x8x48x64xf32>, %k: tensor<1x8x?x64xf32>, %v: tensor<1x8x?x64xf32>,
                   %scale: tensor<8xf32>, %init: tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32> {
  %o = attn.attention scale(#attn.learned) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<1x8x48x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>)
    params(%scale : tensor<8xf32>) outs(%init : tensor<1x8x48x64xf32>) -> tensor<1x8x48x64xf32>
  return %o : tensor<1x8x48x64xf32>
}
