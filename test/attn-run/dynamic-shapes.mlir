// Dynamic sizes come from --shape or from the arrays; results are as large as
// the kernel says.

// RUN: mkdir -p %t
// DEFINE: %{exit} = %python %S/Inputs/exit_code.py
// RUN: attn-run %s --entry=outer --shape=0:3 --shape=arg1:2 --output=%t/o.npz --check
// RUN: %python %S/Inputs/npz.py print %t/o.npz | FileCheck %s --check-prefix=SHAPE
// SHAPE: out0.npy <f4 (3, 2)

// RUN: %python %S/Inputs/npz.py write %t/in.npz arg0:f4:2:1,2 arg1:f4:3:10,20,30
// RUN: attn-run %s --entry=outer --inputs=%t/in.npz --output=%t/o.npz --check
// RUN: %python %S/Inputs/npz.py print %t/o.npz | FileCheck %s --check-prefix=VALUES
// VALUES: out0.npy <f4 (2, 3) 10 20 30 20 40 60

// A size of 0 is a size.
// RUN: attn-run %s --entry=outer --shape=0:0 --shape=1:4 --check

// RUN: %{exit} 2 attn-run %s --entry=outer --shape=0:3 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: attn-run: error: argument 1 is ?xf32: give --shape=1:... or --inputs

// Sizes that do not go together: the kernel itself refuses them.
// RUN: %{exit} 2 attn-run %s --entry=sum --shape=0:3 --shape=1:4 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: attn-run: error: the kernel refused its arguments (code {{[0-9]+}}): {{.+}}

#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#both = affine_map<(d0, d1) -> (d0, d1)>
#id = affine_map<(d0) -> (d0)>

func.func @outer(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?xf32>
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %o = linalg.generic {indexing_maps = [#row, #column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}

func.func @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %o = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %o : tensor<?xf32>
}
