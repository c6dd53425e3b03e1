// RUN: attn-run %s --profile --check --report=%t.html && FileCheck %s < %t.html
// RUN: attn-run - --report=%t.stdin.html < %s && FileCheck %s --check-prefix=STDIN < %t.stdin.html
// RUN: not attn-run %s --report=%t.none/page.html 2>&1 | FileCheck %s --check-prefix=PLACE

// A page of the compilation: schedules, numbers, times, the file with remarks
// below their lines, and what each phase made, of which two are seen at a time.
// CHECK: <h1>f of report.mlir for cpu</h1>
// CHECK: <h2>Schedules</h2>
// CHECK: <td>f:0</td><td>#attn.schedule&lt;
// CHECK: <h2>Numbers</h2>
// CHECK: <td>match</td>
// CHECK: <h2>Time of each step</h2>
// CHECK: <td>attn.attention</td>{{.*}}report.mlir:[[LINE:[0-9]+]]</td>
// CHECK: <h2>Remarks</h2>
// CHECK: {{ +}}[[LINE]]  </span>  %0 = attn.attention
// CHECK-NEXT: <span class="note"> {{ *}}[attn-r{{2}}
// CHECK: {{^}}<h2>Phases</h2>
// CHECK: <tr><td>raise</td><td>
// CHECK: <template id="version0">
// CHECK: attn.attention
// CHECK: <template id="version4">
// CHECK: llvm.func
// CHECK: <option value="version0" selected>input</option>
// CHECK: <option value="version1" selected>raise</option>
// CHECK: </html>
// STDIN: <p>&lt;stdin&gt;:{{[0-9]+}}: [attn-r{{2}}
// STDIN: %1 = attn.attention
// PLACE: --report={{.*}}none/page.html: '{{.*}}' is not a directory

func.func @f(%q: tensor<1x2x37x16xf32>, %k: tensor<1x2x37x16xf32>) -> tensor<1x2x37x16xf32> {
  %o = tensor.empty() : tensor<1x2x37x16xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<1x2x37x16xf32>, tensor<1x2x37x16xf32>, tensor<1x2x37x16xf32>)
    outs(%o : tensor<1x2x37x16xf32>) -> tensor<1x2x37x16xf32>
  return %0 : tensor<1x2x37x16xf32>
}
