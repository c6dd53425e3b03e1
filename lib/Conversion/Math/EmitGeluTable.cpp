//===- EmitGeluTable.cpp - gelu from 32 polynomials -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x Phi(x) = max(x, 0) + b Phi(b) with b = -|x|. AVX-512 looks up 32 numbers in
// two registers with one instruction, and so Phi(b) is a polynomial of its own
// around each multiple of 1/4: no exponential and no division, 17 instructions
// instead of 27. Each polynomial holds a relative error, so that nothing
// cancels on the negative side, but that error grows faster than the portable
// form's, and below -7.6, where b Phi(b) is above -1.2e-13, it counts as 0.
//
//===----------------------------------------------------------------------===//

#include "EmitGeluTable.h"

#include "AVX512.h"
#include "FloatEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

/// As utils/fit-gelu-table.py finds them: a row for each power of the distance
/// from 0 and -7.75, -7.5 .. -0.25, which is the order of the low bits of
/// negative integers.
constexpr float kTable[][32] = {
    {5.00000000e-01, 0.00000000e+00, 3.19094354e-14, 2.08388618e-13,
     1.27982661e-12, 7.39232373e-12, 4.01602952e-11, 2.05227516e-10,
     9.86592030e-10, 4.46218795e-09, 1.89896117e-08, 7.60497514e-08,
     2.86651982e-07, 1.01708429e-06, 3.39767530e-06, 1.06885309e-05,
     3.16712503e-05, 8.84172987e-05, 2.32629100e-04, 5.77025057e-04,
     1.34989806e-03, 2.97976332e-03, 6.20966544e-03, 1.22244721e-02,
     2.27501318e-02, 4.00591567e-02, 6.68072030e-02, 1.05649777e-01,
     1.58655256e-01, 2.26627350e-01, 3.08537543e-01, 4.01293665e-01},
    {3.98942292e-01, 0.00000000e+00, 2.43408727e-13, 1.53841837e-12,
     9.13414917e-12, 5.09468405e-11, 2.66945188e-10, 1.31396161e-09,
     6.07573991e-09, 2.63919606e-08, 1.07696160e-07, 4.12843065e-07,
     1.48670904e-06, 5.02948251e-06, 1.59836873e-05, 4.77185313e-05,
     1.33830050e-04, 3.52595409e-04, 8.72682314e-04, 2.02904758e-03,
     4.43184795e-03, 9.09356214e-03, 1.75283011e-02, 3.17396522e-02,
     5.39909676e-02, 8.62773210e-02, 1.29517600e-01, 1.82649091e-01,
     2.41970718e-01, 3.01137418e-01, 3.52065325e-01, 3.86668116e-01},
    {-4.80947548e-08, 0.00000000e+00, 9.12095594e-13, 5.57308973e-12,
     3.19511917e-11,  1.71860484e-10, 8.67204364e-10, 4.10465528e-09,
     1.82217228e-08,  7.58579048e-08, 2.96103792e-07, 1.08353402e-06,
     3.71628721e-06,  1.19438137e-05, 3.59605583e-05, 1.01396254e-04,
     2.67649739e-04,  6.61099621e-04, 1.52717112e-03, 3.29717807e-03,
     6.64775819e-03,  1.25036649e-02, 2.19104439e-02, 3.57072428e-02,
     5.39911501e-02,  7.54928291e-02, 9.71382856e-02, 1.14155598e-01,
     1.20985091e-01,  1.12926126e-01, 8.80159140e-02, 4.83332500e-02},
    {-6.64918870e-02, 0.00000000e+00,  2.24723538e-12,  1.32506471e-11,
     7.32153088e-11,  3.79016318e-10,  1.83784155e-09,  8.34536351e-09,
     3.54770116e-08,  1.41147723e-07,  5.25370467e-07,  1.82867825e-06,
     5.94938865e-06,  1.80807565e-05,  5.12940860e-05,  1.35725248e-04,
     3.34620359e-04,  7.67700374e-04,  1.63637509e-03,  3.23390029e-03,
     5.90921007e-03,  9.94608086e-03,  1.53371189e-02,  2.14900747e-02,
     2.69950293e-02,  2.96573453e-02,  2.69824788e-02,  1.71232671e-02,
     2.47452761e-07,  -2.19574180e-02, -4.40075323e-02, -6.04163297e-02},
    {-2.03494692e-05, 0.00000000e+00,  4.19860631e-12,  2.38139074e-11,
     1.26385388e-10,  6.27425667e-10,  2.91246516e-09,  1.26359643e-08,
     5.12145206e-08,  1.93804269e-07,  6.84278007e-07,  2.25246049e-06,
     6.90602428e-06,  1.96993897e-05,  5.22066221e-05,  1.28318483e-04,
     2.91860895e-04,  6.12512580e-04,  1.18136674e-03,  2.08233646e-03,
     3.32641951e-03,  4.75119567e-03,  5.92211075e-03,  6.11410849e-03,
     4.46787197e-03,  3.62756429e-04,  -6.08636206e-03, -1.36613930e-02,
     -2.01171339e-02, -2.28672400e-02, -2.00987216e-02, -1.17865968e-02},
    {9.86634661e-03,  0.00000000e+00,  5.54880100e-12,  3.04320805e-11,
     1.55886179e-10,  7.45421669e-10,  3.32570527e-09,  1.38339464e-08,
     5.36111422e-08,  1.93373623e-07,  6.48481091e-07,  2.01911575e-06,
     5.82754137e-06,  1.55586822e-05,  3.83258230e-05,  8.68002753e-05,
     1.79888113e-04,  3.38825455e-04,  5.74049016e-04,  8.59940541e-04,
     1.10251387e-03,  1.12000515e-03,  6.69538393e-04,  -4.49998508e-04,
     -2.22829077e-03, -4.28322889e-03, -5.84151736e-03, -5.96954115e-03,
     -4.03299974e-03, -1.68136976e-04, 4.54632007e-03,  8.42678268e-03}};
/// Entries are 2^-kStepBits apart.
constexpr unsigned kStepBits = 2;
/// Where Phi counts as 0.
constexpr double kEnd = 7.75;
constexpr int64_t kLanes = 16;

Value emitHalf(FloatEmitter &e, VectorType type, const float (&row)[32],
               int64_t first) {
  return arith::ConstantOp::create(
      e.builder, e.loc,
      DenseElementsAttr::get(type, ArrayRef(row + first, kLanes)));
}

/// One vector of 16 lanes.
Value emitOne(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<VectorType>(x.getType());
  FloatEmitter e(builder, loc, type);
  Value b = avx512::emitMinusMagnitude(builder, loc, x, e.constant(kEnd));
  // Minus the nearest entry's number stands in the low bits of this sum.
  constexpr double magic = 0x1.8p23 / (1 << kStepBits);
  Value entry = e.bits(e.add(b, e.constant(magic)));
  Value rest = avx512::emitRest(builder, loc, b, kStepBits);
  Value tail;
  for (const auto &row : llvm::reverse(kTable)) {
    Value coefficient =
        avx512::emitLookUp(builder, loc, entry, emitHalf(e, type, row, 0),
                           emitHalf(e, type, row, kLanes));
    tail = tail ? e.mulAdd(tail, rest, coefficient) : coefficient;
  }
  // b again, but -inf where x is: its product with 0 is NaN, as is that of x
  // and Phi(x). NaN is not less than 0 and stays; so does +inf.
  Value zero = e.constant(0.0);
  Value positive = e.select(e.compare(CmpFPredicate::OGT, zero, x), zero, x);
  Value weight = e.select(e.compare(CmpFPredicate::OLT, x, b), x, b);
  return e.mulAdd(weight, tail, positive);
}

} // namespace

bool canEmitGeluByTable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() && !vector.isScalable() &&
         vector.getNumElements() % kLanes == 0;
}

Value emitGeluByTable(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<VectorType>(x.getType());
  int64_t count = type.getNumElements();
  auto flat = VectorType::get({count}, type.getElementType());
  Value whole = vector::ShapeCastOp::create(builder, loc, flat, x);
  Value result = arith::ConstantOp::create(builder, loc,
                                           DenseElementsAttr::get(flat, 0.0f));
  for (int64_t i = 0; i < count; i += kLanes) {
    Value part = vector::ExtractStridedSliceOp::create(builder, loc, whole, {i},
                                                       {kLanes}, {1});
    result = vector::InsertStridedSliceOp::create(
        builder, loc, emitOne(builder, loc, part), result, {i}, {1});
  }
  return vector::ShapeCastOp::create(builder, loc, type, result);
}

} // namespace attn
