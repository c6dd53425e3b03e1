// RUN: attn-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{a target's vectorBits must be from 128 to 2048, got 64}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 64, registers = 16, l1 = 32768, l2 = 1048576>} {}

// -----

// expected-error@+1 {{a target's vectorBits must be a power of two, got 384}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 384, registers = 16, l1 = 32768, l2 = 1048576>} {}

// -----

// expected-error@+1 {{a target's registers must be from 8 to 32, got 4}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 256, registers = 4, l1 = 32768, l2 = 1048576>} {}

// -----

// expected-error@+1 {{a target's l1 must be from 1024 to 1073741824, got 0}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 256, registers = 16, l1 = 0, l2 = 1048576>} {}

// -----

// expected-error@+1 {{a target's l2 must be from 1024 to 1073741824, got 1073741825}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 256, registers = 16, l1 = 32768, l2 = 1073741825>} {}

// -----

// expected-error@+1 {{a target's features must be strings, got [1]}}
module attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [1], vectorBits = 256, registers = 16, l1 = 32768, l2 = 1048576>} {}

// -----

// expected-error@+1 {{attn.target must be a #attn.target, got "cpu:x86-64-v3"}}
module attributes {attn.target = "cpu:x86-64-v3"} {}

// -----

// expected-error@+1 {{attn.target belongs on a module}}
func.func @f() attributes {attn.target = #attn.target<cpu, name = "a", triple = "b", features = [], vectorBits = 256, registers = 16, l1 = 32768, l2 = 1048576>} {
  return
}

// -----

func.func @contraction(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{attn.contraction is the #attn.contraction_schedule, #attn.gpu_product or #attn.gpu_dots of a structured op, got 3 : i64}}
  %0 = linalg.matmul {attn.contraction = 3} ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
