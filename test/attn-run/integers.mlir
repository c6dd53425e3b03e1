// RUN: attn-run %s --check | FileCheck %s

// Whole numbers at the ends of their range: the smallest one has quotients but by -1, and bits are counted in the
// type's own width.
// CHECK: out0 against f64 reference: match, max error 0,
// CHECK: out1 against f64 reference: match, max error 0,
// CHECK: out2 against f64 reference: match, max error 0,
// CHECK: out3 against f64 reference: match, max error 0,
func.func @f(%zero: tensor<4xi1>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi32>, tensor<4xi32>) {
  %a = arith.constant dense<[-9223372036854775808, -9223372036854775808, 9223372036854775807, -7]> : tensor<4xi64>
  %b = arith.constant dense<[2, -3, -1, -1]> : tensor<4xi64>
  %quotients = arith.divsi %a, %b : tensor<4xi64>
  %rests = arith.remsi %a, %b : tensor<4xi64>
  %c = arith.constant dense<[0, 1, -2147483648, 12]> : tensor<4xi32>
  %trailing = math.cttz %c : tensor<4xi32>
  %ones = math.ctpop %c : tensor<4xi32>
  return %quotients, %rests, %trailing, %ones : tensor<4xi64>, tensor<4xi64>, tensor<4xi32>, tensor<4xi32>
}
