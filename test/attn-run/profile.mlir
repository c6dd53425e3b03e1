// RUN: attn-run %s --profile --check --json=%t.json | FileCheck %s
// RUN: %python -c "import json; p = json.load(open(r'%t.json'))['profile']; s = p['steps']; assert [x['name'] for x in s if 'linear' in x['name']] and all(x['seconds'] > 0 and x['runs'] >= 1 for x in s), p; assert sum(x['seconds'] for x in s) <= 1.05 * p['seconds'], p; assert all(x['seconds'] >= y['seconds'] for x, y in zip(s, s[1:])), p"
// RUN: attn-run %s --profile --threads=2 --portable | FileCheck %s --check-prefix=PORTABLE
// RUN: not attn-run %s --profile --target=nvptx:sm_80 2>&1 | FileCheck %s --check-prefix=GPU

// What each step of a kernel takes: by the op of the program and its line, the
// two norms, which are one kernel, each by itself, and together by kind.
// CHECK: match
// CHECK: profile of {{[0-9]+}} calls, {{[0-9.e+-]+}} ms each
// CHECK-DAG: {{[0-9.]+}} % {{ *[0-9.e+-]+}} ms  attn.linear at {{.*}}profile.mlir:[[#@LINE + 12]]
// CHECK-DAG: ms  attn.norm at {{.*}}profile.mlir:[[#@LINE + 9]]
// CHECK-DAG: ms  attn.norm at {{.*}}profile.mlir:[[#@LINE + 12]]
// CHECK: ms  between the steps
// CHECK: by kind
// PORTABLE: ms  attn.linear at {{.*}}profile.mlir
// GPU: --profile: of a GPU only with --simulate

func.func @f(%x: tensor<64x96xf32>, %g: tensor<96xf32>, %w: tensor<96x96xf32>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<64x96xf32>) gamma(%g : tensor<96xf32>)
    outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %y = attn.linear ins(%n, %w : tensor<64x96xf32>, tensor<96x96xf32>)
    outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%y : tensor<64x96xf32>) gamma(%g : tensor<96xf32>)
    outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %m : tensor<64x96xf32>
}
