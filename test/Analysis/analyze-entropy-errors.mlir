// What the options must say, and a file that cannot be written.

// RUN: not attn-opt %s --attn-analyze-entropy="policies=causal" 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: error: attn-analyze-entropy: 'causal' is not a scale policy
// RUN: not attn-opt %s --attn-analyze-entropy="policies=inv_sqrt_dim;constant" 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: error: attn-analyze-entropy: 'constant' is not a scale policy
// RUN: not attn-opt %s --attn-analyze-entropy="from=0" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not attn-opt %s --attn-analyze-entropy="from=64 to=63" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: attn-analyze-entropy: lengths need 1 <= from <= to
// RUN: not attn-opt %s --attn-analyze-entropy="to=16777217" 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: attn-analyze-entropy: to must not exceed 16777216
// RUN: not attn-opt %s --attn-analyze-entropy="samples=0" 2>&1 | FileCheck %s --check-prefix=SAMPLES
// SAMPLES: error: attn-analyze-entropy: samples must be positive
// RUN: not attn-opt %s --attn-analyze-entropy="head-dim=0" 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: error: attn-analyze-entropy: head-dim must be positive
// RUN: not attn-opt %s --attn-analyze-entropy="json=%t.none/report.json" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot write {{.*}}report.json: No such file or directory

// Without an attention the policies of the options are compared, of any head
// dimension, and nothing without them. At n = 1 there is nothing to choose.
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=1 to=2 head-dim=16 policies=inv_sqrt_dim" 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: scale policies, d = 16, dot product
// ALONE: 1 0.25000 {{-?}}0.000 {{-?[0-9.]+}} {{-?[0-9.]+}} 0.000 +- 0.000
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: Entropy of the weights
// NONE-NOT: d =
module {}
