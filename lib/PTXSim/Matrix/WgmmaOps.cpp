//===- WgmmaOps.cpp - Matrix products of a warpgroup ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp computes its 16 rows as an asynchronous operation of its own: it
// reads A and B through the async proxy and later adds to the accumulators.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Exec/Paths.h"
#include "PTXSim/Matrix/MatrixOps.h"
#include "PTXSim/Matrix/SharedMatrix.h"
#include "PTXSim/Matrix/Wgmma.h"
#include "PTXSim/Matrix/WgmmaState.h"
#include "PTXSim/Ops/OpHelpers.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

namespace attn::ptx {

namespace {
/// A decoded wgmma.mma_async.
struct Form {
  WgmmaShape shape;
  llvm::SmallVector<Opnd, 8> result;
  llvm::SmallVector<Opnd, 4> fragment; ///< A in registers, or none.
  Opnd a, b;                           ///< Descriptors.
  Opnd scaleD;
  uint32_t key = 0; ///< Equal for equal shapes.
};

/// One product from its issue to its end.
struct Product {
  const Form &form;
  Warp &warp;
  uint32_t registerBase;
  bool add;
  SharedMatrix a; ///< Elements only if A is in registers.
  std::shared_ptr<SharedMatrix> b;
  std::vector<float> sums;

  uint32_t *registers(const Opnd &op) const {
    uint8_t *storage = warp.paths->registers.data();
    return reinterpret_cast<uint32_t *>(storage + registerBase + op.offset);
  }
  /// The warp may have ended without waiting.
  bool gone() const { return warp.paths->registers.empty(); }
  void read(ClusterMemory &memory);
  void write();
};
} // namespace

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

void Product::read(ClusterMemory &memory) {
  if (gone())
    return;
  const WgmmaShape &shape = form.shape;
  const uint8_t *shared = memory.sharedBytes(*warp.cta);
  b->read(shared);
  if (form.fragment.empty()) {
    a.read(shared);
  } else {
    const uint32_t *lanes[WgmmaShape::operandRegisters];
    for (unsigned r = 0; r != WgmmaShape::operandRegisters; ++r)
      lanes[r] = registers(form.fragment[r]);
    a.elements = decodeFragment(shape.a, shape.k, lanes);
  }
  sums = multiply(shape, a.elements, b->elements);
}

void Product::write() {
  if (gone())
    return;
  llvm::SmallVector<uint32_t *, 128> places;
  for (const Opnd &op : form.result)
    places.push_back(registers(op));
  accumulate(form.shape, sums, add, places);
}

//===----------------------------------------------------------------------===//
// mma_async
//===----------------------------------------------------------------------===//

/// The value that all lanes must have. False, after a finding, if they do not.
static bool uniform(Exec &x, const Inst &inst, Opnd op, const char *what,
                    uint64_t &value) {
  value = x.lane(op, 0);
  for (unsigned l = 1; l != kLanes; ++l)
    if (x.lane(op, l) != value) {
      x.fault(inst, FindingKind::AsyncMisuse,
              std::string("The lanes of the warp have different values of ") +
                  what + ".");
      return false;
    }
  return true;
}

static void reportRegister(Exec &x, const Inst &inst, FindingKind kind,
                           uint32_t otherLine, const std::string &message) {
  x.cluster.diagnostics.report(kind, &x.warp, 0, inst.line, message, otherLine);
}

/// What the registers went through since the last fence.
static void checkRegisters(Exec &x, const Inst &inst, const Form &form,
                           uint32_t base, bool fenced) {
  if (!fenced)
    return reportRegister(x, inst, FindingKind::AsyncMisuse, 0,
                          "There is no wgmma.fence before the first wgmma of "
                          "the warp.");
  auto fence = [&](const Warp::RegisterUse &use, const char *what) {
    if (use.written)
      reportRegister(x, inst, FindingKind::AsyncMisuse, use.written,
                     std::string(what) + " was written in line " +
                         std::to_string(use.written) +
                         ", and no wgmma.fence follows before this wgmma.");
    return use.written == 0;
  };
  for (const Opnd &op : form.fragment)
    if (!fence(x.warp.registerUse(base + op.offset), "A register of A"))
      break;
  for (const Opnd &op : form.result) {
    Warp::RegisterUse &use = x.warp.registerUse(base + op.offset);
    if (!fence(use, "An accumulator register"))
      break;
    if (use.reads) {
      reportRegister(x, inst, FindingKind::InFlight, use.line,
                     "An accumulator register is still read as a part of A by "
                     "the wgmma of line " +
                         std::to_string(use.line) + ".");
      break;
    }
    // Products of one shape are in order without a fence.
    if (use.shape && use.shape != form.key) {
      reportRegister(x, inst, FindingKind::AsyncMisuse, use.line,
                     "The wgmma of line " + std::to_string(use.line) +
                         " accumulates in the same registers with another "
                         "shape, and no wgmma.fence lies between.");
      break;
    }
  }
  for (const Opnd &op : form.result)
    x.warp.registerUse(base + op.offset).shape = form.key;
}

static Step runProduct(Exec &x, const Inst &inst) {
  const auto &form = *static_cast<const Form *>(inst.extra);
  const WgmmaShape &shape = form.shape;
  WgmmaState *state = wgmmaState(x, inst);
  uint64_t a = 0, b = 0, add = 0;
  std::shared_ptr<SharedMatrix> matrixB;
  if (!state || !uniform(x, inst, form.b, "B's descriptor", b) ||
      !uniform(x, inst, form.scaleD, "scale-d", add) ||
      (form.a && !uniform(x, inst, form.a, "A's descriptor", a)) ||
      !wgmmaStep(x, inst, *state, {a, b, add}, &matrixB))
    return Step::Fault;
  uint32_t base = x.warp.paths->path().frame().registerBase;
  checkRegisters(x, inst, form, base, state->fenced);
  if (!state->groups.back())
    state->groups.back() = inst.line;

  auto op = std::make_unique<Operation>(x.warp);
  op->lanes = x.active;
  op->line = inst.line;
  op->group = GroupKind::Wgmma;
  op->checked = true;
  auto product = std::make_shared<Product>(
      Product{form, x.warp, base, add != 0, {}, matrixB, {}});
  if (form.a) {
    product->a = {'A', shape.a, shape.kMajorA, x.warp.index % 4 * 16,
                  16,  64,      shape.k};
    if (!product->a.open(x, inst, a, *op))
      return Step::Fault;
  }
  if (matrixB->pieces.empty()) {
    *matrixB = {'B', shape.b, shape.kMajorB, 0, shape.n, shape.n, shape.k};
    if (!matrixB->open(x, inst, b, *op))
      return Step::Fault;
  } else if (!matrixB->check(x, inst)) {
    return Step::Fault;
  }
  auto rebased = [&](const Opnd &reg) {
    Opnd result = reg;
    result.offset += base;
    return result;
  };
  for (const Opnd &reg : form.fragment)
    op->registerReads.push_back(rebased(reg));
  for (const Opnd &reg : form.result)
    op->registerWrites.push_back(rebased(reg));
  ClusterMemory &memory = memoryOf(x);
  op->read = [product, &memory] {
    product->read(memory);
    return true;
  };
  op->write = [product] {
    product->write();
    return true;
  };
  return engineOf(x).issue(std::move(op)) ? Step::Next : Step::Fault;
}

//===----------------------------------------------------------------------===//
// fence, commit_group, wait_group
//===----------------------------------------------------------------------===//

static Step runFence(Exec &x, const Inst &inst) {
  WgmmaState *state = wgmmaState(x, inst);
  if (!state || !wgmmaStep(x, inst, *state))
    return Step::Fault;
  state->fenced = true;
  for (Warp::RegisterUse &use : x.warp.registerUses)
    use.written = use.shape = 0;
  return Step::Next;
}

static Step runCommit(Exec &x, const Inst &inst) {
  WgmmaState *state = wgmmaState(x, inst);
  if (!state || !wgmmaStep(x, inst, *state))
    return Step::Fault;
  state->groups.push_back(0);
  ++state->commits;
  x.async.commit(x.warp, x.active, GroupKind::Wgmma);
  x.noteProgress();
  return Step::Next;
}

static Step runWait(Exec &x, const Inst &inst) {
  WgmmaState *state = wgmmaState(x, inst);
  if (!state || (!x.waitSlot() && !wgmmaStep(x, inst, *state)))
    return Step::Fault;
  // The products are the warpgroup's: none ends before all its warps have
  // issued their share, and then it ends for all of them.
  uint64_t done = state->commits - std::min(state->commits, inst.imm);
  Warp *peers[4];
  for (unsigned w = 0; w != 4; ++w) {
    peers[w] = x.cta.warps[(x.warp.index & ~3u) + w].get();
    if (peers[w]->wgmma->commits < done) {
      x.waitSlot() = 1;
      return Step::Retry;
    }
  }
  for (Warp *peer : peers)
    if (done && !engineOf(x).finishReads(*peer, peer->wgmma->commits - done))
      return Step::Fault;
  engineOf(x).learnReads(x.warp, inst.imm);
  while (state->groups.size() > inst.imm + 1)
    state->groups.pop_front();
  bool good = x.async.wait(x.warp, x.active, GroupKind::Wgmma, inst.imm,
                           /*readOnly=*/false, inst.line);
  return good ? Step::Next : Step::Fault;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// "m64n128k16"
static bool parseShape(llvm::StringRef text, uint32_t &n, uint32_t &k) {
  return text.consume_front("m64n") && !text.consumeInteger(10, n) &&
         text.consume_front("k") && !text.consumeInteger(10, k) &&
         text.empty() && n >= 8 && n <= 256 && n % 8 == 0;
}

/// The types PTX has products of, and the k that goes with them.
static bool legalTypes(const WgmmaShape &s) {
  using T = ir::Type;
  auto byteFloat = [](T t) { return t == T::E4M3 || t == T::E5M2; };
  auto byteInteger = [](T t) { return t == T::S8 || t == T::U8; };
  bool half = s.result == T::F16, single = s.result == T::F32;
  if (s.a == T::F16 && s.b == T::F16)
    return s.k == 16 && (half || single);
  if (s.a == T::BF16 && s.b == T::BF16)
    return s.k == 16 && single;
  if (s.a == T::TF32 && s.b == T::TF32)
    return s.k == 8 && single;
  if (byteFloat(s.a) && byteFloat(s.b))
    return s.k == 32 && (half || single);
  if (byteInteger(s.a) && byteInteger(s.b))
    return s.k == 32 && s.result == T::S32 && (s.n % 16 == 0 || s.n <= 24);
  return false;
}

static bool addRegisters(Decoder &d, const ir::Operand &op, ir::Type type,
                         size_t count, llvm::SmallVectorImpl<Opnd> &out) {
  if (!op.is(ir::Operand::Kind::Vector) || op.elements.size() != count) {
    d.error("wgmma of this shape needs a vector of " + llvm::Twine(count) +
            " registers here");
    return false;
  }
  for (const ir::Operand &element : op.elements) {
    if (!element.is(ir::Operand::Kind::Register)) {
      d.error("expected a register");
      return false;
    }
    out.push_back(d.source(element, type));
  }
  return true;
}

/// imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, as far as the form has
/// them, from operand `at` on.
static bool decodeSigns(Decoder &d, const ir::Instruction &inst, size_t at,
                        bool fragment, WgmmaShape &shape) {
  bool integer = shape.result == ir::Type::S32;
  bool half = ir::bitWidth(shape.a) == 16;
  size_t want = (integer ? 0 : 2) + (half ? (fragment ? 1 : 2) : 0);
  if (inst.operands.size() != at + want) {
    d.error("wgmma of these types has " + llvm::Twine(at + want) + " operands");
    return false;
  }
  auto literal = [&] { return int64_t(d.immediate(inst.operands[at++])); };
  for (bool *negate : {&shape.negateA, &shape.negateB}) {
    if (integer)
      break;
    int64_t scale = literal();
    if (scale != 1 && scale != -1)
      d.error("imm-scale must be 1 or -1");
    *negate = scale == -1;
  }
  for (bool *kMajor : {&shape.kMajorA, &shape.kMajorB}) {
    if (!half || (fragment && kMajor == &shape.kMajorA))
      continue;
    int64_t transpose = literal();
    if (transpose != 0 && transpose != 1)
      d.error("imm-trans must be 0 or 1");
    *kMajor = transpose == 0;
  }
  return true;
}

static void decodeProduct(Decoder &d, const ir::Instruction &inst, Inst &out) {
  auto &form = *d.extra<Form>(out);
  WgmmaShape &shape = form.shape;
  bool shaped = false;
  for (llvm::StringRef m : inst.modifiers)
    shaped |= parseShape(m, shape.n, shape.k);
  shape.result = inst.type(0);
  shape.a = inst.type(1);
  shape.b = inst.type(2);
  shape.saturate = inst.has("satfinite");
  if (inst.has("sp"))
    return d.error("sparse wgmma is not supported");
  if (!shaped || !legalTypes(shape) ||
      (shape.saturate && shape.result != ir::Type::S32))
    return d.error("wgmma has no such shape and types");
  const std::vector<ir::Operand> &ops = inst.operands;
  if (ops.size() < 4)
    return d.error("wgmma.mma_async has at least 4 operands");
  if (!addRegisters(d, ops[0],
                    shape.result == ir::Type::F16 ? ir::Type::B32
                                                  : shape.result,
                    shape.resultRegisters(), form.result))
    return;
  bool fragment = ops[1].is(ir::Operand::Kind::Vector);
  if (!fragment)
    form.a = d.source(ops[1], ir::Type::B64);
  else if (!addRegisters(d, ops[1], ir::Type::B32, WgmmaShape::operandRegisters,
                         form.fragment))
    return;
  form.b = d.source(ops[2], ir::Type::B64);
  form.scaleD = d.predicate(ops[3]);
  if (!decodeSigns(d, inst, 4, fragment, shape))
    return;
  form.key = shape.n << 16 | shape.k << 8 | uint32_t(shape.a);
  // Accumulators are not among them: products may follow each other there.
  llvm::SmallVector<Opnd, 8> reads{form.b, form.scaleD};
  if (form.a)
    reads.push_back(form.a);
  reads.append(form.fragment.begin(), form.fragment.end());
  d.setOps(out, reads);
  out.handler = runProduct;
}

static void decodeWgmma(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!inst.has("sync") || !inst.has("aligned"))
    return;
  if (inst.has("mma_async")) {
    decodeProduct(d, inst, out);
  } else if (inst.has("wait_group")) {
    if (!hasOperands(d, inst, 1))
      return;
    out.imm = d.immediate(inst.operands[0]);
    out.handler = runWait;
  } else if (hasOperands(d, inst, 0)) {
    out.handler = inst.has("fence")          ? runFence
                  : inst.has("commit_group") ? runCommit
                                             : nullptr;
  }
}

void registerWgmmaOps(OpTable &table) { table.add("wgmma", decodeWgmma); }

} // namespace attn::ptx
