// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-emit-entry

// expected-error@+1 {{there is no '@f__dims' beside the kernel}}
func.func @f(%ctx: !llvm.ptr) -> i32 attributes {attn.entry = 0 : i64} {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
