// Where the processor has no instruction for a conversion, the object brings its
// own function, which rounds as IEEE 754 says. Every half, the middle of any two,
// and the neighbours of each.

// REQUIRES: x86
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/check_conversions.py write %t/in.npz

// Plain x86-64 has an instruction for none of them.
// RUN: attn-run %s --target=cpu:x86-64 --inputs=%t/in.npz --output=%t/out.npz
// RUN: %python %S/Inputs/check_conversions.py check %t/in.npz %t/out.npz | FileCheck %s

// CHECK:      half to float: {{.*}} 0 wrong
// CHECK-NEXT: float to half: {{.*}} 0 wrong
// CHECK-NEXT: float to bf16: {{.*}} 0 wrong
// CHECK-NEXT: double to half: {{.*}} 0 wrong
// CHECK-NEXT: double to bf16: {{.*}} 0 wrong

// Nothing is left to the compiler's runtime library.
// RUN: attn-compile %s --target=cpu:x86-64 --emit=obj -o %t/k
// RUN: llvm-nm --undefined-only %t/k.o | count 0
// RUN: llvm-nm %t/k.o | FileCheck %s --check-prefix=OWN
// OWN-DAG: t __extendhfsf2
// OWN-DAG: t __truncsfhf2
// OWN-DAG: t __truncdfhf2
// OWN-DAG: t __truncdfbf2

func.func @convert(%half: tensor<?xf16>, %single: tensor<?xf32>, %double: tensor<?xf64>)
    -> (tensor<?xf32>, tensor<?xf16>, tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>) {
  %0 = arith.extf %half : tensor<?xf16> to tensor<?xf32>
  %1 = arith.truncf %single : tensor<?xf32> to tensor<?xf16>
  %2 = arith.truncf %single : tensor<?xf32> to tensor<?xbf16>
  %3 = arith.truncf %double : tensor<?xf64> to tensor<?xf16>
  %4 = arith.truncf %double : tensor<?xf64> to tensor<?xbf16>
  return %0, %1, %2, %3, %4
      : tensor<?xf32>, tensor<?xf16>, tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>
}
