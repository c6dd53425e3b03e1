//===- AtomicFormsTest.cpp - Every form of atom and red -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane updates a 16-byte cell of its own in the space under test. What
// comes back and what is in the cell afterwards is checked for all of them.
//
//===----------------------------------------------------------------------===//

#include "HalfModel.h"

namespace attn::ptx::test {

namespace {
using Update = uint64_t (*)(uint64_t old, uint64_t b);

struct Operation {
  std::string name, type;
  unsigned bits;
  Update f;
  bool inShared = true;    ///< The same there as in global memory.
  Update shared = nullptr; ///< Else what it is there.
  std::string reg() const {
    return bits == 16 ? "%h" : bits == 32 ? "%t" : "%w";
  }
};

int32_t s32(uint64_t v) { return int32_t(v); }
int64_t s64(uint64_t v) { return int64_t(v); }
float toFloat(uint64_t v) { return llvm::bit_cast<float>(uint32_t(v)); }
uint64_t addFloat(uint64_t a, uint64_t b) {
  float sum = toFloat(a) + toFloat(b);
  return sum != sum ? 0x7fffffff : f32(sum);
}
float flushed(uint64_t a) {
  float v = toFloat(a);
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
uint64_t addFlushed(uint64_t a, uint64_t b) {
  float sum = flushed(f32(flushed(a) + flushed(b)));
  return sum != sum ? 0x7fffffff : f32(sum);
}
uint64_t addDouble(uint64_t a, uint64_t b) {
  return f64(llvm::bit_cast<double>(a) + llvm::bit_cast<double>(b));
}

template <const half::Format &f> uint64_t addHalf(uint64_t a, uint64_t b) {
  return half::sum(f, f.decode(a), f.decode(b));
}
template <const half::Format &f, bool least>
uint64_t pickHalf(uint64_t a, uint64_t b) {
  double x = f.decode(a), y = f.decode(b);
  if (std::isnan(x) && std::isnan(y))
    return 0x7fff;
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? b : a;
  if (x == 0 && y == 0)
    return least ? a | b : a & b;
  return (x < y) == least ? a : b;
}
template <Update low> uint64_t both(uint64_t a, uint64_t b) {
  return low(a >> 16, b >> 16) << 16 | low(a & 0xffff, b & 0xffff);
}

const Operation integers[] = {
    {"add", "u32", 32, [](uint64_t a, uint64_t b) { return a + b; }},
    {"add", "s32", 32, [](uint64_t a, uint64_t b) { return a + b; }},
    {"add", "u64", 64, [](uint64_t a, uint64_t b) { return a + b; }},
    {"min", "u32", 32, [](uint64_t a, uint64_t b) { return std::min(a, b); }},
    {"max", "u32", 32, [](uint64_t a, uint64_t b) { return std::max(a, b); }},
    {"min", "u64", 64, [](uint64_t a, uint64_t b) { return std::min(a, b); }},
    {"max", "u64", 64, [](uint64_t a, uint64_t b) { return std::max(a, b); }},
    {"min", "s32", 32,
     [](uint64_t a, uint64_t b) { return s32(a) < s32(b) ? a : b; }},
    {"max", "s32", 32,
     [](uint64_t a, uint64_t b) { return s32(a) > s32(b) ? a : b; }},
    {"min", "s64", 64,
     [](uint64_t a, uint64_t b) { return s64(a) < s64(b) ? a : b; }},
    {"max", "s64", 64,
     [](uint64_t a, uint64_t b) { return s64(a) > s64(b) ? a : b; }},
    {"and", "b32", 32, [](uint64_t a, uint64_t b) { return a & b; }},
    {"or", "b32", 32, [](uint64_t a, uint64_t b) { return a | b; }},
    {"xor", "b32", 32, [](uint64_t a, uint64_t b) { return a ^ b; }},
    {"and", "b64", 64, [](uint64_t a, uint64_t b) { return a & b; }},
    {"or", "b64", 64, [](uint64_t a, uint64_t b) { return a | b; }},
    {"xor", "b64", 64, [](uint64_t a, uint64_t b) { return a ^ b; }},
    {"inc", "u32", 32,
     [](uint64_t a, uint64_t b) { return a >= b ? 0 : a + 1; }},
    {"dec", "u32", 32,
     [](uint64_t a, uint64_t b) { return a == 0 || a > b ? b : a - 1; }}};
// Global memory has no subnormal singles; shared memory does.
const Operation floats[] = {
    {"add", "f32", 32, addFlushed, false, addFloat},
    {"add", "f64", 64, addDouble},
    {"add.noftz", "f16", 16, addHalf<half::f16>},
    {"add.noftz", "bf16", 16, addHalf<half::bf16>},
    {"add.noftz", "f16x2", 32, both<addHalf<half::f16>>},
    {"add.noftz", "bf16x2", 32, both<addHalf<half::bf16>>}};
const Operation halves[] = {
    {"add.noftz", "f16", 16, addHalf<half::f16>},
    {"min.noftz", "f16", 16, pickHalf<half::f16, true>},
    {"max.noftz", "f16", 16, pickHalf<half::f16, false>},
    {"add.noftz", "bf16", 16, addHalf<half::bf16>},
    {"min.noftz", "bf16", 16, pickHalf<half::bf16, true>},
    {"max.noftz", "bf16", 16, pickHalf<half::bf16, false>},
    {"add.noftz", "f16x2", 32, both<addHalf<half::f16>>},
    {"min.noftz", "f16x2", 32, both<pickHalf<half::f16, true>>},
    {"max.noftz", "f16x2", 32, both<pickHalf<half::f16, false>>},
    {"add.noftz", "bf16x2", 32, both<addHalf<half::bf16>>},
    {"min.noftz", "bf16x2", 32, both<pickHalf<half::bf16, true>>},
    {"max.noftz", "bf16x2", 32, both<pickHalf<half::bf16, false>>}};

using Cells = std::vector<uint32_t>; ///< Four words a lane.

/// Operand `which` of element k in a lane.
uint64_t sample(const Operation &op, unsigned lane, unsigned k,
                unsigned which) {
  unsigned n = lane * 7 + k * 3 + which * (lane / 3 + 5);
  auto pick = [&](const Values &v) { return v[n % v.size()]; };
  auto halfOf = [&](const half::Format &f) {
    return pick(half::samples(f)) |
           (op.bits == 32 ? half::samples(f)[(n / 2) % 30] << 16 : 0);
  };
  if (op.type.rfind("f16", 0) == 0)
    return halfOf(half::f16);
  if (op.type.rfind("bf16", 0) == 0)
    return halfOf(half::bf16);
  if (op.type == "f32")
    return pick(edgeFloats());
  // A double that is NaN may come out with any bits.
  if (op.type == "f64")
    return edgeDoubles()[n % 12];
  uint64_t v = pick(edgeIntegers());
  return op.bits == 64 ? v : v & 0xffffffff;
}

/// One kernel around `code`; %m is the cell. Returns result and cell.
void execute(const std::string &code, const std::string &space,
             const Cells &olds, const Cells &operands, Cells &result,
             Cells &after) {
  noteForms(code);
  bool shared = space.rfind("shared", 0) == 0;
  std::string text =
      ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {\n"
      ".reg .b64 %a, %b, %c, %d, %off, %m, %policy; .reg .b128 %q<4>;\n"
      ".reg .b16 %h<24>; .reg .b32 %t<24>, %v<4>; .reg .b64 %w<12>;\n"
      "ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c];\n"
      "ld.param.u64 %d, [d]; mov.u32 %v0, %tid.x;\n"
      "mul.wide.u32 %off, %v0, 16; add.u64 %a, %a, %off;\n"
      "add.u64 %b, %b, %off; add.u64 %c, %c, %off; add.u64 %d, %d, %off;\n"
      "createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;\n"
      "mov.u64 %m, %a;\n";
  std::string move = "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%a];\n";
  if (shared)
    text += ".shared .align 16 .b8 s[512]; mov.u64 %m, s;\n"
            "add.u64 %m, %m, %off;\n" +
            move + "st.shared.v4.b32 [%m], {%v0, %v1, %v2, %v3};\n";
  text += code + std::string(shared ? "ld.shared" : "ld.global") +
          ".v4.b32 {%v0, %v1, %v2, %v3}, [%m];\n"
          "st.global.v4.b32 [%d], {%v0, %v1, %v2, %v3};\nret; }";
  std::vector<std::vector<uint32_t>> buffers{olds, operands, Cells(128),
                                             Cells(128)};
  Launch launch;
  launch.block.x = 32;
  EXPECT_EQ(problem(runKernel(text, launch, buffers)), "") << text;
  result = buffers[2];
  after = buffers[3];
}

uint64_t element(const Cells &cells, unsigned lane, unsigned k, unsigned bits) {
  uint64_t value = 0;
  std::memcpy(&value,
              reinterpret_cast<const char *>(cells.data() + 4 * lane) +
                  k * bits / 8,
              bits / 8);
  return value;
}
void setElement(Cells &cells, unsigned lane, unsigned k, unsigned bits,
                uint64_t value) {
  std::memcpy(reinterpret_cast<char *>(cells.data() + 4 * lane) + k * bits / 8,
              &value, bits / 8);
}

std::string registers(const Operation &op, unsigned first, unsigned count) {
  std::string list;
  for (unsigned k = 0; k != count; ++k)
    list += (k ? ", " : "") + op.reg() + std::to_string(first + k);
  return count > 1 ? "{" + list + "}" : list;
}

/// `form` is everything between the opcode and the operands.
void check(const std::string &form, const std::string &space,
           const Operation &op, unsigned count = 1, bool policy = false,
           bool hasRed = true) {
  bool shared = space.rfind("shared", 0) == 0;
  Update f = shared && !op.inShared ? op.shared : op.f;
  Cells olds(128), operands(128), result, after;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned k = 0; k != count; ++k) {
      setElement(olds, lane, k, op.bits, sample(op, lane, k, 0));
      setElement(operands, lane, k, op.bits, sample(op, lane, k, 1));
    }
  std::string vec = count > 1 ? ".v" + std::to_string(count) : "";
  std::string bits = std::to_string(op.bits);
  std::string load = "ld.global" + vec + ".b" + bits + " " +
                     registers(op, 0, count) + ", [%b];\n";
  std::string tail = policy ? ", %policy;\n" : ";\n";
  for (bool returns : {true, false}) {
    if (!returns && !hasRed)
      continue;
    std::string code = load + (returns ? "atom" : "red") + form + " " +
                       (returns ? registers(op, 8, count) + ", " : "") +
                       "[%m], " + registers(op, 0, count) + tail;
    if (returns)
      code += "st.global" + vec + ".b" + bits + " [%c], " +
              registers(op, 8, count) + ";\n";
    execute(code, space, olds, operands, result, after);
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned k = 0; k != count; ++k) {
        uint64_t a = element(olds, lane, k, op.bits);
        uint64_t b = element(operands, lane, k, op.bits);
        uint64_t mask = op.bits == 64 ? ~0ull : (1ull << op.bits) - 1;
        ASSERT_EQ(element(after, lane, k, op.bits), f(a, b) & mask)
            << form << std::hex << " 0x" << a << " 0x" << b;
        if (returns)
          ASSERT_EQ(element(result, lane, k, op.bits), a) << form;
      }
  }
}

const char *const spaces[] = {"", ".global", ".shared", ".shared::cta",
                              ".shared::cluster"};
std::string plain(const char *space) { return *space ? space + 1 : ""; }
} // namespace

TEST(AtomicForms, SpacesAndTypes) {
  for (const char *space : spaces) {
    for (const Operation &op : integers)
      check(std::string(space) + "." + op.name + "." + op.type, plain(space),
            op);
    for (const Operation &op : floats)
      check(std::string(space) + "." + op.name + "." + op.type, plain(space),
            op);
  }
}

TEST(AtomicForms, OrdersAndScopes) {
  const Operation &add = integers[0];
  const Operation &max = integers[10];
  const Operation &inc = integers[17];
  Operation single = floats[0];
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char *scope : {"", ".cta", ".cluster", ".gpu", ".sys"}) {
      std::string prefix = std::string(order) + scope;
      bool red = prefix.find("acq") == std::string::npos;
      check(prefix + ".global.add.u32", "global", add, 1, false, red);
      check(prefix + ".global.max.s64", "global", max, 1, false, red);
      check(prefix + ".shared::cluster.inc.u32", "shared", inc, 1, false, red);
      check(prefix + ".global.v2.f32.add", "global", single, 2, false, red);
      check(prefix + ".global.add.v4.f32", "global", single, 4, false, red);
    }
}

// The type may come before or behind the operation.
TEST(AtomicForms, Vectors) {
  for (const Operation &op : halves)
    for (unsigned n : {2u, 4u, 8u}) {
      if (op.bits * n > 128)
        continue;
      std::string vec = ".v" + std::to_string(n);
      check(".global." + op.name + vec + "." + op.type, "global", op, n);
      check(".global" + vec + "." + op.type + "." + op.name, "global", op, n);
    }
  for (unsigned n : {2u, 4u}) {
    std::string vec = ".v" + std::to_string(n);
    check(".global" + vec + ".f32.add", "global", floats[0], n);
    for (const char *prefix : {"", ".relaxed.gpu", ".release.sys"}) {
      check(std::string(prefix) + ".global.add" + vec + ".f32", "global",
            floats[0], n);
      check(std::string(prefix) + ".global.add.L2::cache_hint" + vec + ".f32",
            "global", floats[0], n, true);
    }
  }
  check(".global.add.L2::cache_hint.u32", "global", integers[0], 1, true);
}

static std::vector<std::string> allOrders() {
  std::vector<std::string> all;
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char *scope : {"", ".cta", ".cluster", ".gpu", ".sys"})
      all.push_back(std::string(order) + scope);
  return all;
}

// The lanes whose cell holds what is compared get the third operand.
TEST(AtomicForms, ExchangeAndCompare) {
  auto word = [](unsigned lane, unsigned k) { return lane * 0x01010101u + k; };
  Cells olds, operands, result, after;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned k = 0; k != 4; ++k) {
      olds.push_back(word(lane, k));
      // Odd lanes compare with something else, in the last byte only.
      bool differs = lane % 2 && k == 3;
      operands.push_back(word(lane, k) ^ (differs ? 0x80000000u : 0));
    }
  for (const char *space : spaces)
    for (unsigned bits : {16u, 32u, 64u, 128u})
      for (bool exchange : {true, false})
        for (const std::string &order : allOrders()) {
          if (exchange && bits == 16)
            continue;
          std::string b = std::to_string(bits);
          std::string r = bits == 16   ? "%h"
                          : bits == 32 ? "%t"
                          : bits == 64 ? "%w"
                                       : "%q";
          std::string name =
              order + space + (exchange ? ".exch.b" : ".cas.b") + b;
          // Shorter comparisons differ in the lowest bit.
          Cells in(operands), old(olds);
          if (bits < 128)
            for (unsigned lane = 0; lane != 32; ++lane)
              in[4 * lane] ^= lane % 2;
          std::string code =
              "ld.global.b" + b + " " + r + "0, [%b];\n" +
              (bits == 128 ? "mov.b64 %w0, 77; mov.b64 %w1, 88;\n"
                             "mov.b128 %q1, {%w0, %w1};\n"
                           : "mov.b" + b + " " + r + "1, 77;\n") +
              "atom" + name + " " + r + "2, [%m], " + r + "0" +
              (exchange ? "" : ", " + r + "1") + ";\nst.global.b" + b +
              " [%c], " + r + "2;\n";
          execute(code, plain(space), old, in, result, after);
          for (unsigned lane = 0; lane != 32; ++lane) {
            unsigned words = std::max(bits / 32, 1u);
            uint32_t mask = bits == 16 ? 0xffff : ~0u;
            for (unsigned k = 0; k != words; ++k) {
              uint32_t before = old[4 * lane + k];
              uint32_t third = k == 0 ? 77 : bits == 128 && k == 2 ? 88 : 0;
              uint32_t want = exchange   ? in[4 * lane + k]
                              : lane % 2 ? before
                                         : third;
              want = (want & mask) | (before & ~mask);
              ASSERT_EQ(result[4 * lane + k] & mask, before & mask) << name;
              ASSERT_EQ(after[4 * lane + k], want) << name << " " << lane;
            }
          }
        }
}

} // namespace attn::ptx::test
