// The options of attn-lint, on two faults: a sigmoid and a missing scale.

// RUN: attn-opt %s --attn-lint="json=%t.json" -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: python3 -c "import json; w = json.load(open('%t.json'))['warnings']; assert [(x['id'], x['values'].get('variance')) for x in w] == [('attn-w101', 64.0), ('attn-w103', None)], w"
// JSON: "id": "attn-w101"
// JSON: "op": "attn.attention"
// JSON: "function": "faults"
// JSON: "location": "{{.*}}options.mlir:[[@LINE+35]]:
// JSON: "text": "attn.attention: the predicted variance of the scores is 64;
// JSON: "mend": "scale(#attn.inv_sqrt_dim)"
// JSON: "fixed": false
// JSON: "variance": 64
// JSON: "id": "attn-w103"
// JSON: "function": "sigmoid"

// RUN: attn-opt %s --attn-lint="fix json=-" -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=FIXED
// FIXED: "fixed": true
// FIXED: "fixed": true

// Warnings that are not asked for are neither said nor mended.
// RUN: attn-opt %s --attn-lint="ignore=attn-w101 fix" 2>&1 | FileCheck %s --check-prefix=IGNORE
// IGNORE-NOT: attn-w101
// IGNORE: attn-w103
// IGNORE: attn.attention scale(#attn.none)
// IGNORE: attn.activation sigmoid unit_moment
// RUN: attn-opt %s --attn-lint="ignore=attn-w101,attn-w103 json=-" -o /dev/null 2>%t.err | FileCheck %s --check-prefix=EMPTY
// RUN: count 0 < %t.err
// EMPTY: "warnings": []

// RUN: not attn-opt %s --attn-lint="ignore=attn-w999" 2>&1 | FileCheck %s --check-prefix=ID
// ID: error: attn-lint: there is no warning 'attn-w999'
// RUN: not attn-opt %s --attn-lint="entropy-from=64 entropy-to=64" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: attn-lint: lengths need 1 <= entropy-from < entropy-to
// RUN: not attn-opt %s --attn-lint="entropy-to=128 entropy-alternative=softmax1" 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: attn-lint: 'softmax1' is not a scale policy
// RUN: not attn-opt %s --attn-lint="unknown-size=0" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: attn-lint: unknown-size must be positive
// RUN: not attn-opt %s --attn-lint="json=%t.none/lint.json" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot write {{.*}}lint.json

func.func @faults(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

func.func @sigmoid(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.activation sigmoid %x : tensor<16x64xf32>
  %y = attn.linear ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// A declaration has no moments.
func.func private @elsewhere(tensor<16x64xf32>) -> tensor<16x64xf32>
