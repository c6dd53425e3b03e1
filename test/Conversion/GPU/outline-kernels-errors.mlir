// RUN: attn-opt %s --attn-outline-kernels --verify-diagnostics

func.func @dynamic_block(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{the threads of a block must be constants}}
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %n, %s1 = %c1, %s2 = %c1) {
    gpu.terminator
  }
  return
}
