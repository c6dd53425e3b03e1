# Everything that a kernel on the tile unit should not do.
body:
  ldtilecfg (%rsp)
1:
  tileloadd 64(%rsp,%rax), %tmm2
  tdpbf16ps %tmm2, %tmm1, %tmm0
  tilestored %tmm0, (%rdi,%rax)
  vaddps %zmm0, %zmm1, %zmm2
  cmpq %rdi, %rsi
  jne 1b
  ldtilecfg (%rdi)
2:
  tdpbf16ps %tmm2, %tmm1, %tmm0
  callq other
  decq %rdi
  jne 2b
  tilerelease
  callq other
  retq
