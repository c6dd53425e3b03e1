// RUN: not attn-opt %s --attn-select-schedule=target=cpu:z80 2>&1 | FileCheck %s

// An unknown target is an error that lists the known ones.
// CHECK: error: {{.*}}z80
func.func @any() {
  return
}
