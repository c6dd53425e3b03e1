// Every element kind goes from --inputs through a kernel to --output and comes
// back with the same bits. bf16 is u16 in files, booleans are one byte.

// RUN: mkdir -p %t
// DEFINE: %{npz} = %python %S/Inputs/npz.py
// RUN: %{npz} write %t/in.npz arg0:f8:3:1.1+1 arg1:f2:3:1.5+1 arg2:u2:3:16256+1 arg3:b1:4:1,0,0,1 \
// RUN:   arg4:i1:3:-1+1 arg5:i4:3:-2147483648+1 arg6:i8:1:-4503599627370497 arg7:f4::2.5
// RUN: attn-run %s --inputs=%t/in.npz --output=%t/out.npz --check | FileCheck %s --check-prefix=REPORT
// RUN: %{npz} print %t/out.npz | FileCheck %s

// REPORT-COUNT-8: match, max error 0,

// CHECK:      out0.npy <f8 (3,) 1.1 2.1 3.1
// CHECK-NEXT: out1.npy <f2 (3,) 1.5 2.5 3.5
// CHECK-NEXT: out2.npy <u2 (3,) 16256 16257 16258
// CHECK-NEXT: out3.npy |b1 (4,) 1 0 0 1
// CHECK-NEXT: out4.npy |i1 (3,) -1 0 1
// CHECK-NEXT: out5.npy <i4 (3,) -2.14748e+09
// CHECK-NEXT: out6.npy <i8 (1,) -4.5036e+15
// CHECK-NEXT: out7.npy <f4 () 2.5

// The same arrays give the same bytes.
// RUN: attn-run %s --inputs=%t/in.npz --output=%t/again.npz
// RUN: cmp %t/out.npz %t/again.npz

func.func @identity(%a: tensor<3xf64>, %b: tensor<3xf16>, %c: tensor<3xbf16>, %d: tensor<4xi1>,
                    %e: tensor<3xi8>, %f: tensor<3xi32>, %g: tensor<1xi64>, %h: tensor<f32>)
    -> (tensor<3xf64>, tensor<3xf16>, tensor<3xbf16>, tensor<4xi1>,
        tensor<3xi8>, tensor<3xi32>, tensor<1xi64>, tensor<f32>) {
  return %a, %b, %c, %d, %e, %f, %g, %h
      : tensor<3xf64>, tensor<3xf16>, tensor<3xbf16>, tensor<4xi1>,
        tensor<3xi8>, tensor<3xi32>, tensor<1xi64>, tensor<f32>
}
