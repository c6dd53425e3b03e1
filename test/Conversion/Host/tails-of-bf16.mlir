// The tail of a vector of bf16 is one access of integers: LLVM takes it apart where a
// processor has no arithmetic on bf16. Other types stay.
// RUN: attn-opt %s --attn-host-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @halves(
// CHECK: %[[PASS:.*]] = llvm.bitcast %{{.*}} : vector<16xbf16> to vector<16xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[PASS]] {{.*}} -> vector<16xi16>
// CHECK: %[[FLOATS:.*]] = llvm.bitcast %[[LOADED]] : vector<16xi16> to vector<16xbf16>
// CHECK: %[[STORED:.*]] = llvm.bitcast %[[FLOATS]] : vector<16xbf16> to vector<16xi16>
// CHECK: llvm.intr.masked.store %[[STORED]], {{.*}} : vector<16xi16>
func.func @halves(%x: memref<40xbf16>, %y: memref<40xbf16>, %mask: vector<16xi1>, %old: vector<16xbf16>) {
  %i = arith.constant 32 : index
  %v = vector.maskedload %x[%i], %mask, %old : memref<40xbf16>, vector<16xi1>, vector<16xbf16> into vector<16xbf16>
  vector.maskedstore %y[%i], %mask, %v : memref<40xbf16>, vector<16xi1>, vector<16xbf16>
  return
}

// CHECK-LABEL: llvm.func @others(
// CHECK-NOT: llvm.bitcast
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf16>
// CHECK-NOT: llvm.bitcast
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xf16>
func.func @others(%x: memref<40xf16>, %y: memref<40xf16>, %mask: vector<16xi1>, %old: vector<16xf16>) {
  %i = arith.constant 32 : index
  %v = vector.maskedload %x[%i], %mask, %old : memref<40xf16>, vector<16xi1>, vector<16xf16> into vector<16xf16>
  vector.maskedstore %y[%i], %mask, %v : memref<40xf16>, vector<16xi1>, vector<16xf16>
  return
}
