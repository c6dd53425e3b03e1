// Activations of bf16 take two numbers a word of memory: each result is in its own
// place, also in the rest of a row, with one operand or two.
// RUN: attn-run %s --entry=activations --check | FileCheck %s --check-prefix=NINE --implicit-check-not=MISMATCH
// RUN: attn-run %s --entry=activations --target=cpu:x86-64 --check | FileCheck %s --check-prefix=NINE --implicit-check-not=MISMATCH
// RUN: attn-run %s --entry=product --check | FileCheck %s --check-prefix=PRODUCT
// RUN: attn-run %s --entry=product --target=cpu:x86-64 --check | FileCheck %s --check-prefix=PRODUCT

// NINE-COUNT-9: match
// PRODUCT: out0 against {{.*}}: match

func.func @activations(%x: tensor<3x77xbf16>)
    -> (tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>) {
  %0 = attn.activation relu %x : tensor<3x77xbf16>
  %1 = attn.activation elu %x : tensor<3x77xbf16>
  %2 = attn.activation selu %x : tensor<3x77xbf16>
  %3 = attn.activation gelu %x : tensor<3x77xbf16>
  %4 = attn.activation gelu_tanh %x : tensor<3x77xbf16>
  %5 = attn.activation silu %x : tensor<3x77xbf16>
  %6 = attn.activation sigmoid %x : tensor<3x77xbf16>
  %7 = attn.activation tanh %x : tensor<3x77xbf16>
  %8 = attn.activation softplus %x : tensor<3x77xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3x77xbf16>
}

// Two numbers for each lane and one for each row.
#row = affine_map<(i, j) -> (i, j)>
#once = affine_map<(i, j) -> (i)>
func.func @product(%x: tensor<3x77xbf16>, %y: tensor<3x77xbf16>, %s: tensor<3xbf16>) -> tensor<3x77xbf16> {
  %e = tensor.empty() : tensor<3x77xbf16>
  %z = linalg.generic {indexing_maps = [#row, #row, #once, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %s : tensor<3x77xbf16>, tensor<3x77xbf16>, tensor<3xbf16>) outs(%e : tensor<3x77xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.extf %c : bf16 to f32
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<3x77xbf16>
  return %z : tensor<3x77xbf16>
}
