// Contractions of any layout, in numbers: as layers where there is a weight, else by
// copies, reshapes and steps of a batch.
//
// RUN: attn-run %s --check --remarks | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --target=cpu:x86-64-v3 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --target=nvptx:sm_80 --simulate=1 --check | FileCheck %s --check-prefix=MATCH
//
// CHECK-COUNT-14: match
// CHECK-NOT: attn-r242
// MATCH-COUNT-14: match
func.func @products(%a0: tensor<2x24x2x3x16xf32>,
    %b0: tensor<2x20x2x16xf32>,
    %a1: tensor<2x2x3x24x20xf32>,
    %b1: tensor<2x20x2x16xf32>,
    %a2: tensor<18x10x2xf32>,
    %b2: tensor<2x10x2xf32>,
    %a3: tensor<2x3x24x16xf32>,
    %b3: tensor<2x20x3x16xf32>,
    %a4: tensor<2x24x48xf32>,
    %b4: tensor<3x48x16xf32>,
    %a5: tensor<2x24x48xf32>,
    %b5: tensor<48x3x16xf32>,
    %a6: tensor<2x24x3x16xf32>,
    %b6: tensor<16x3x48xf32>,
    %a7: tensor<48x3x16xf32>,
    %b7: tensor<2x24x48xf32>,
    %a8: tensor<3x4x7x48xf32>,
    %b8: tensor<4x48x32xf32>,
    %a9: tensor<2x3x16xf32>,
    %b9: tensor<3x16xf32>,
    %a10: tensor<2x24x16x48xf32>,
    %b10: tensor<16x48x4xf32>,
    %a11: tensor<5x2x7x48xf32>,
    %b11: tensor<48x4x7x32xf32>,
    %a12: tensor<2x24x5xf32>,
    %b12: tensor<2x2xf32>,
    %a13: tensor<2x48x24xf32>,
    %b13: tensor<48x32xf32>)
  -> (tensor<2x2x3x24x20xf32>,
     tensor<2x24x2x3x16xf32>,
     tensor<18x2x2xf32>,
     tensor<2x24x20xf32>,
     tensor<2x24x3x16xf32>,
     tensor<2x24x3x16xf32>,
     tensor<2x24x48xf32>,
     tensor<3x16x2x24xf32>,
     tensor<3x4x7x32xf32>,
     tensor<2xf32>,
     tensor<2x24x4xf32>,
     tensor<5x2x4x32xf32>,
     tensor<24x5x2xf32>,
     tensor<2x32x24xf32>) {
  %zero = arith.constant 0.0 : f32
  // scores_groups: btkgh, bskh -> bkgts
  %e0 = tensor.empty() : tensor<2x2x3x24x20xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2x3x24x20xf32>) -> tensor<2x2x3x24x20xf32>
  %r0 = linalg.contract indexing_maps = [affine_map<(b, g, h, k, s, t) -> (b, t, k, g, h)>,
                                          affine_map<(b, g, h, k, s, t) -> (b, s, k, h)>,
                                          affine_map<(b, g, h, k, s, t) -> (b, k, g, t, s)>]
      ins(%a0, %b0 : tensor<2x24x2x3x16xf32>, tensor<2x20x2x16xf32>) outs(%z0 : tensor<2x2x3x24x20xf32>) -> tensor<2x2x3x24x20xf32>
  // values_groups: bkgts, bskh -> btkgh
  %e1 = tensor.empty() : tensor<2x24x2x3x16xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x24x2x3x16xf32>) -> tensor<2x24x2x3x16xf32>
  %r1 = linalg.contract indexing_maps = [affine_map<(b, g, h, k, s, t) -> (b, k, g, t, s)>,
                                          affine_map<(b, g, h, k, s, t) -> (b, s, k, h)>,
                                          affine_map<(b, g, h, k, s, t) -> (b, t, k, g, h)>]
      ins(%a1, %b1 : tensor<2x2x3x24x20xf32>, tensor<2x20x2x16xf32>) outs(%z1 : tensor<2x24x2x3x16xf32>) -> tensor<2x24x2x3x16xf32>
  // batch_last: ijb, kjb -> ikb
  %e2 = tensor.empty() : tensor<18x2x2xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<18x2x2xf32>) -> tensor<18x2x2xf32>
  %r2 = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (i, j, b)>,
                                          affine_map<(b, i, j, k) -> (k, j, b)>,
                                          affine_map<(b, i, j, k) -> (i, k, b)>]
      ins(%a2, %b2 : tensor<18x10x2xf32>, tensor<2x10x2xf32>) outs(%z2 : tensor<18x2x2xf32>) -> tensor<18x2x2xf32>
  // two_sums_apart: bnth, bsnh -> bts
  %e3 = tensor.empty() : tensor<2x24x20xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  %r3 = linalg.contract indexing_maps = [affine_map<(b, h, n, s, t) -> (b, n, t, h)>,
                                          affine_map<(b, h, n, s, t) -> (b, s, n, h)>,
                                          affine_map<(b, h, n, s, t) -> (b, t, s)>]
      ins(%a3, %b3 : tensor<2x3x24x16xf32>, tensor<2x20x3x16xf32>) outs(%z3 : tensor<2x24x20xf32>) -> tensor<2x24x20xf32>
  // weights_ndh: btd, ndh -> btnh
  %e4 = tensor.empty() : tensor<2x24x3x16xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x24x3x16xf32>) -> tensor<2x24x3x16xf32>
  %r4 = linalg.contract indexing_maps = [affine_map<(b, d, h, n, t) -> (b, t, d)>,
                                          affine_map<(b, d, h, n, t) -> (n, d, h)>,
                                          affine_map<(b, d, h, n, t) -> (b, t, n, h)>]
      ins(%a4, %b4 : tensor<2x24x48xf32>, tensor<3x48x16xf32>) outs(%z4 : tensor<2x24x3x16xf32>) -> tensor<2x24x3x16xf32>
  // weights_dnh: btd, dnh -> btnh
  %e5 = tensor.empty() : tensor<2x24x3x16xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<2x24x3x16xf32>) -> tensor<2x24x3x16xf32>
  %r5 = linalg.contract indexing_maps = [affine_map<(b, d, h, n, t) -> (b, t, d)>,
                                          affine_map<(b, d, h, n, t) -> (d, n, h)>,
                                          affine_map<(b, d, h, n, t) -> (b, t, n, h)>]
      ins(%a5, %b5 : tensor<2x24x48xf32>, tensor<48x3x16xf32>) outs(%z5 : tensor<2x24x3x16xf32>) -> tensor<2x24x3x16xf32>
  // weights_hnd: btnh, hnd -> btd
  %e6 = tensor.empty() : tensor<2x24x48xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<2x24x48xf32>) -> tensor<2x24x48xf32>
  %r6 = linalg.contract indexing_maps = [affine_map<(b, d, h, n, t) -> (b, t, n, h)>,
                                          affine_map<(b, d, h, n, t) -> (h, n, d)>,
                                          affine_map<(b, d, h, n, t) -> (b, t, d)>]
      ins(%a6, %b6 : tensor<2x24x3x16xf32>, tensor<16x3x48xf32>) outs(%z6 : tensor<2x24x48xf32>) -> tensor<2x24x48xf32>
  // weights_first: dnh, btd -> nhbt
  %e7 = tensor.empty() : tensor<3x16x2x24xf32>
  %z7 = linalg.fill ins(%zero : f32) outs(%e7 : tensor<3x16x2x24xf32>) -> tensor<3x16x2x24xf32>
  %r7 = linalg.contract indexing_maps = [affine_map<(b, d, h, n, t) -> (d, n, h)>,
                                          affine_map<(b, d, h, n, t) -> (b, t, d)>,
                                          affine_map<(b, d, h, n, t) -> (n, h, b, t)>]
      ins(%a7, %b7 : tensor<48x3x16xf32>, tensor<2x24x48xf32>) outs(%z7 : tensor<3x16x2x24xf32>) -> tensor<3x16x2x24xf32>
  // experts: gecd, edf -> gecf
  %e8 = tensor.empty() : tensor<3x4x7x32xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<3x4x7x32xf32>) -> tensor<3x4x7x32xf32>
  %r8 = linalg.contract indexing_maps = [affine_map<(c, d, e, f, g) -> (g, e, c, d)>,
                                          affine_map<(c, d, e, f, g) -> (e, d, f)>,
                                          affine_map<(c, d, e, f, g) -> (g, e, c, f)>]
      ins(%a8, %b8 : tensor<3x4x7x48xf32>, tensor<4x48x32xf32>) outs(%z8 : tensor<3x4x7x32xf32>) -> tensor<3x4x7x32xf32>
  // vector: bnh, nh -> b
  %e9 = tensor.empty() : tensor<2xf32>
  %z9 = linalg.fill ins(%zero : f32) outs(%e9 : tensor<2xf32>) -> tensor<2xf32>
  %r9 = linalg.contract indexing_maps = [affine_map<(b, h, n) -> (b, n, h)>,
                                          affine_map<(b, h, n) -> (n, h)>,
                                          affine_map<(b, h, n) -> (b)>]
      ins(%a9, %b9 : tensor<2x3x16xf32>, tensor<3x16xf32>) outs(%z9 : tensor<2xf32>) -> tensor<2xf32>
  // heads_out: bthd, hde -> bte
  %e10 = tensor.empty() : tensor<2x24x4xf32>
  %z10 = linalg.fill ins(%zero : f32) outs(%e10 : tensor<2x24x4xf32>) -> tensor<2x24x4xf32>
  %r10 = linalg.contract indexing_maps = [affine_map<(b, d, e, h, t) -> (b, t, h, d)>,
                                          affine_map<(b, d, e, h, t) -> (h, d, e)>,
                                          affine_map<(b, d, e, h, t) -> (b, t, e)>]
      ins(%a10, %b10 : tensor<2x24x16x48xf32>, tensor<16x48x4xf32>) outs(%z10 : tensor<2x24x4xf32>) -> tensor<2x24x4xf32>
  // four: abcd, decf -> abef
  %e11 = tensor.empty() : tensor<5x2x4x32xf32>
  %z11 = linalg.fill ins(%zero : f32) outs(%e11 : tensor<5x2x4x32xf32>) -> tensor<5x2x4x32xf32>
  %r11 = linalg.contract indexing_maps = [affine_map<(a, b, c, d, e, f) -> (a, b, c, d)>,
                                          affine_map<(a, b, c, d, e, f) -> (d, e, c, f)>,
                                          affine_map<(a, b, c, d, e, f) -> (a, b, e, f)>]
      ins(%a11, %b11 : tensor<5x2x7x48xf32>, tensor<48x4x7x32xf32>) outs(%z11 : tensor<5x2x4x32xf32>) -> tensor<5x2x4x32xf32>
  // terms_first: kta, kb -> tab
  %e12 = tensor.empty() : tensor<24x5x2xf32>
  %z12 = linalg.fill ins(%zero : f32) outs(%e12 : tensor<24x5x2xf32>) -> tensor<24x5x2xf32>
  %r12 = linalg.contract indexing_maps = [affine_map<(a, b, k, t) -> (k, t, a)>,
                                          affine_map<(a, b, k, t) -> (k, b)>,
                                          affine_map<(a, b, k, t) -> (t, a, b)>]
      ins(%a12, %b12 : tensor<2x24x5xf32>, tensor<2x2xf32>) outs(%z12 : tensor<24x5x2xf32>) -> tensor<24x5x2xf32>
  // channels: bdt, df -> bft
  %e13 = tensor.empty() : tensor<2x32x24xf32>
  %z13 = linalg.fill ins(%zero : f32) outs(%e13 : tensor<2x32x24xf32>) -> tensor<2x32x24xf32>
  %r13 = linalg.contract indexing_maps = [affine_map<(b, d, f, t) -> (b, d, t)>,
                                          affine_map<(b, d, f, t) -> (d, f)>,
                                          affine_map<(b, d, f, t) -> (b, f, t)>]
      ins(%a13, %b13 : tensor<2x48x24xf32>, tensor<48x32xf32>) outs(%z13 : tensor<2x32x24xf32>) -> tensor<2x32x24xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13
    : tensor<2x2x3x24x20xf32>,
      tensor<2x24x2x3x16xf32>,
      tensor<18x2x2xf32>,
      tensor<2x24x20xf32>,
      tensor<2x24x3x16xf32>,
      tensor<2x24x3x16xf32>,
      tensor<2x24x48xf32>,
      tensor<3x16x2x24xf32>,
      tensor<3x4x7x32xf32>,
      tensor<2xf32>,
      tensor<2x24x4xf32>,
      tensor<5x2x4x32xf32>,
      tensor<24x5x2xf32>,
      tensor<2x32x24xf32>
}
