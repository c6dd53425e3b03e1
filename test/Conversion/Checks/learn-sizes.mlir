// What ops demand of arguments is asked, though the ops that raising makes of
// them have sizes of their own.
// RUN: attn-opt %s --split-input-file --attn-check-casts | FileCheck %s
// RUN: split-file %s %t
// RUN: not attn-run %t/reshape.mlir --shape=0:12 --shape=1:13x8 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not attn-run %t/reshape.mlir --shape=0:12 --shape=1:13x8 --portable 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: attn-run %t/reshape.mlir --shape=0:13 --shape=1:13x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: not attn-run %t/data.mlir --shape=0:14x8 --shape=1:8x7 --fill=2:13 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not attn-run %t/data.mlir --shape=0:14x8 --shape=1:8x7 --fill=2:13 --portable 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: attn-run %t/data.mlir --shape=0:14x8 --shape=1:8x7 --fill=2:14 --check | FileCheck %s --check-prefix=MATCH
// RESHAPE: (code 5): f: input 1: dimension 0 must equal dimension 0 of input 0 (13 against 12)
// DATA: (code 5): f: data.mlir:{{.*}}: 'linalg.matmul': dimension 0 of operand 2 must equal dimension 0 of input 0 (13 against 14)
// MATCH: match

