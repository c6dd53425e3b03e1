//===- MmaOps.cpp - mma.sync ----------------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numerics. Products of f16, bf16, tf32 and 8-bit floats are exact. They are
// added to C in double precision, k ascending, and the sum is rounded once, to
// nearest, to the type of D. The PTX ISA leaves the order and the precision
// beyond that of D open; GPUs keep fewer bits, so the last bits of theirs may
// differ, never those of sums that fit. f64 is a chain of fused multiply-adds,
// k ascending. Integers are exact; the result wraps, or saturates with
// .satfinite. Subnormal numbers are kept, NaN results are canonical.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/Elements.h"
#include "PTXSim/Matrix/Fragments.h"
#include "PTXSim/Matrix/MatrixOps.h"
#include "PTXSim/Matrix/MmaShape.h"
#include "PTXSim/Ops/FloatMath.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace attn::ptx {

namespace {
constexpr unsigned kMaxM = 16, kMaxK = 32, kN = 8;

template <typename T> struct Matrices {
  T a[kMaxM][kMaxK], b[kMaxK][kN], c[kMaxM][kN];
};

/// The elements of one register in all lanes, lane after lane.
template <unsigned per, typename T>
void decodeRegister(ir::Type type, const void *lanes, T (&out)[kLanes * per]) {
  if constexpr (std::is_integral_v<T>) {
    elementsToInteger(type, lanes, kLanes * per, out);
  } else if (type == ir::Type::F64) {
    std::memcpy(out, lanes, kLanes * sizeof(double));
  } else {
    float values[kLanes * per];
    elementsToFloat(type, lanes, kLanes * per, values);
    for (unsigned e = 0; e != kLanes * per; ++e)
      out[e] = values[e];
  }
}

/// ops: D, A, B, C; `per` elements in a register of A or B. The four lanes of a
/// group hold 4 * per neighbours of a row of A, or of a column of B.
template <unsigned per, typename T>
void gatherOperands(const Exec &x, const Inst &i, const MmaShape &shape,
                    Matrices<T> &matrices) {
  const Opnd *a = i.ops + shape.registersC(), *b = a + shape.registersA();
  T values[kLanes * per];
  for (unsigned r = 0; r != shape.registersA(); ++r) {
    decodeRegister<per>(shape.a, x.src<uint8_t>(a[r]), values);
    for (unsigned g = 0; g != kLanes / 4; ++g) {
      Place p = placeInA(shape.m, per, 4 * g, r, 0);
      std::memcpy(&matrices.a[p.row][p.column], values + 4 * per * g,
                  4 * per * sizeof(T));
    }
  }
  for (unsigned r = 0; r != shape.registersB(); ++r) {
    decodeRegister<per>(shape.b, x.src<uint8_t>(b[r]), values);
    for (unsigned g = 0; g != kLanes / 4; ++g) {
      Place p = placeInB(per, 4 * g, r, 0);
      for (unsigned e = 0; e != 4 * per; ++e)
        matrices.b[p.row + e][p.column] = values[4 * per * g + e];
    }
  }
}

template <unsigned per, typename T>
void gatherAddend(const Exec &x, const Inst &i, const MmaShape &shape,
                  Matrices<T> &matrices) {
  const Opnd *c =
      i.ops + shape.registersC() + shape.registersA() + shape.registersB();
  T values[kLanes * per];
  for (unsigned r = 0; r != shape.registersC(); ++r) {
    if constexpr (std::is_integral_v<T>)
      std::memcpy(values, x.src<int32_t>(c[r]), sizeof(values));
    else
      decodeRegister<per>(shape.c, x.src<uint8_t>(c[r]), values);
    for (unsigned l = 0; l != kLanes; ++l)
      for (unsigned j = 0; j != per; ++j) {
        Place p = placeInC(l, r * per + j);
        matrices.c[p.row][p.column] = values[l * per + j];
      }
  }
}

/// `encode` makes the bits of one element of D.
template <unsigned per, typename Slot, typename T, typename F>
void scatterResult(Exec &x, const Inst &i, const MmaShape &shape,
                   const Matrices<T> &matrices, F &&encode) {
  for (unsigned r = 0; r != shape.registersC(); ++r) {
    auto *d = x.dst<Slot>(i.ops[r]);
    for (unsigned l = 0; l != kLanes; ++l) {
      Slot bits = 0;
      for (unsigned j = 0; j != per; ++j) {
        Place p = placeInC(l, r * per + j);
        bits |= Slot(encode(matrices.c[p.row][p.column])) << (16 * j);
      }
      d[l] = bits;
    }
  }
}

/// c += a b
template <unsigned m, typename T>
void multiply(unsigned k, Matrices<T> &matrices) {
  for (unsigned row = 0; row != m; ++row) {
    T sum[kN];
    std::copy_n(matrices.c[row], kN, sum);
    for (unsigned kk = 0; kk != k; ++kk) {
      T factor = matrices.a[row][kk];
      for (unsigned n = 0; n != kN; ++n)
        sum[n] += factor * matrices.b[kk][n];
    }
    std::copy_n(sum, kN, matrices.c[row]);
  }
}

template <unsigned per> Step floatProduct(Exec &x, const Inst &i) {
  if (!requireWholeWarp(x, i))
    return Step::Fault;
  const auto &shape = *static_cast<const MmaShape *>(i.extra);
  Matrices<double> matrices;
  gatherOperands<per>(x, i, shape, matrices);
  if (shape.c == ir::Type::F16) {
    gatherAddend<2>(x, i, shape, matrices);
    multiply<16>(shape.k, matrices);
    scatterResult<2, uint32_t>(x, i, shape, matrices, halfFromDouble);
  } else {
    gatherAddend<1>(x, i, shape, matrices);
    multiply<16>(shape.k, matrices);
    scatterResult<1, uint32_t>(x, i, shape, matrices, [](double value) {
      return singleFromDouble(value);
    });
  }
  return Step::Next;
}

Step doubleProduct(Exec &x, const Inst &i) {
  if (!requireWholeWarp(x, i))
    return Step::Fault;
  const auto &shape = *static_cast<const MmaShape *>(i.extra);
  Matrices<double> matrices;
  gatherOperands<1>(x, i, shape, matrices);
  gatherAddend<1>(x, i, shape, matrices);
  auto rounding = Rounding(i.imm);
  for (unsigned row = 0; row != shape.m; ++row)
    for (unsigned n = 0; n != kN; ++n)
      for (unsigned k = 0; k != shape.k; ++k) {
        double a = matrices.a[row][k], b = matrices.b[k][n];
        double &c = matrices.c[row][n];
        c = rounding == Rounding::Nearest
                ? std::fma(a, b, c)
                : roundedDouble(Wide::Fma, a, b, c, rounding);
      }
  scatterResult<1, uint64_t>(x, i, shape, matrices, [](double value) {
    return value != value ? 0x7fffffffffffffff : bit_cast<uint64_t>(value);
  });
  return Step::Next;
}

Step integerProduct(Exec &x, const Inst &i) {
  if (!requireWholeWarp(x, i))
    return Step::Fault;
  const auto &shape = *static_cast<const MmaShape *>(i.extra);
  Matrices<int32_t> matrices, addend;
  gatherOperands<4>(x, i, shape, matrices);
  gatherAddend<1>(x, i, shape, addend);
  // No sum of products comes near the limits of 32 bits; the addend may.
  std::fill_n(&matrices.c[0][0], kMaxM * kN, 0);
  shape.m == 16 ? multiply<16>(shape.k, matrices)
                : multiply<8>(shape.k, matrices);
  for (unsigned row = 0; row != shape.m; ++row)
    for (unsigned n = 0; n != kN; ++n) {
      int64_t sum = int64_t(matrices.c[row][n]) + addend.c[row][n];
      if (shape.saturate)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      matrices.c[row][n] = int32_t(uint32_t(uint64_t(sum)));
    }
  scatterResult<1, uint32_t>(x, i, shape, matrices,
                             [](int32_t value) { return uint32_t(value); });
  return Step::Next;
}

void decodeMma(Decoder &d, const ir::Instruction &inst, Inst &out) {
  for (StringRef m : inst.modifiers)
    if (m == "sp" || m.starts_with("sp::"))
      return d.error("products with a sparse A (mma.sp) are not supported");
  if (!hasOperands(d, inst, 4))
    return;
  if (!inst.has("sync") || !inst.has("aligned") || !inst.has("row") ||
      !inst.has("col")) {
    d.error("only mma.sync.aligned with .row.col is supported");
    return;
  }
  std::string problem;
  std::optional<MmaShape> shape = MmaShape::of(inst, problem);
  if (!shape) {
    d.error(problem);
    return;
  }
  if (!onlyModifiers(d, inst,
                     {"sync", "aligned", "row", "col", "rn", "rz", "rm", "rp",
                      "satfinite", "m8n8k4", "m8n8k16", "m16n8k4", "m16n8k8",
                      "m16n8k16", "m16n8k32"}) ||
      !requireTarget(d, shape->architecture))
    return;
  bool rounds = roundingOf(inst) != Rounding::Nearest || inst.has("rn");
  if (rounds && (shape->a != ir::Type::F64 || shape->m != 8))
    return d.error("only mma.m8n8k4 of f64 has a rounding");
  out.imm = uint64_t(roundingOf(inst));
  *d.extra<MmaShape>(out) = *shape;
  bool isDouble = shape->a == ir::Type::F64;
  ir::Type input = isDouble ? ir::Type::F64 : ir::Type::B32;
  ir::Type result = shape->c == ir::Type::F16 ? ir::Type::B32 : shape->c;
  const auto &in = inst.operands;
  SmallVector<Opnd, 16> ops;
  if (!registersOf(d, in[0], shape->registersC(), result, false, ops) ||
      !registersOf(d, in[1], shape->registersA(), input, true, ops) ||
      !registersOf(d, in[2], shape->registersB(), input, true, ops) ||
      !registersOf(d, in[3], shape->registersC(), result, true, ops))
    return;
  d.setOps(out, ops);
  unsigned per = shape->perRegister();
  out.handler = isDouble                    ? doubleProduct
                : shape->c == ir::Type::S32 ? integerProduct
                : per == 1                  ? floatProduct<1>
                : per == 2                  ? floatProduct<2>
                                            : floatProduct<4>;
}
} // namespace

void registerMmaOps(OpTable &table) { table.add("mma", decodeMma); }

} // namespace attn::ptx
