// A program that is valid but cannot be linked ends with 3, names the symbol
// that is missing, and leaves the lowered module behind for a report.

// RUN: rm -rf %t && mkdir -p %t
// RUN: env TMPDIR=%t %python %S/Inputs/exit_code.py 3 attn-run %s --output=%t/o.npz 2>&1 | FileCheck %s
// CHECK: attn-run: internal error: {{.*}}__truncxfbf2{{.*}}reproducer: {{.*}}attn-run-codegen-
// RUN: cat %t/attn-run-codegen-*.mlir | FileCheck %s --check-prefix=FILE
// FILE: llvm.fptrunc {{.*}} f80 to bf16
// RUN: not ls %t/o.npz

#map = affine_map<(d0) -> (d0)>

// No run-time library of ours has a function for the last conversion.
func.func @f(%a: tensor<4xf32>) -> tensor<4xbf16> {
  %empty = tensor.empty() : tensor<4xbf16>
  %o = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%empty : tensor<4xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %wide = arith.extf %x : f32 to f80
    %square = arith.mulf %wide, %wide : f80
    %y = arith.truncf %square : f80 to bf16
    linalg.yield %y : bf16
  } -> tensor<4xbf16>
  return %o : tensor<4xbf16>
}
