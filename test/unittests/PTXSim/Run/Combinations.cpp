//===- Combinations.cpp - Instructions over all combinations of values ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attn::ptx::test {

const Values &edgeIntegers() {
  static const Values values{0,
                             1,
                             2,
                             7,
                             31,
                             0x7f,
                             0x80,
                             0x7fff,
                             0x8000,
                             0xffff,
                             0x12345678,
                             0x7fffffff,
                             0x80000000,
                             0xfffffffe,
                             0xffffffff,
                             0x100000000,
                             0x123456789abcdef0,
                             0x7fffffffffffffff,
                             0x8000000000000000,
                             0xffffffffffffffff};
  return values;
}

const Values &edgeFloats() {
  static const Values values{
      0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000,
      0xbf800000, 0x3f800001, 0x3fc00000, 0x40490fdb, 0xc2f6e979, 0x4b800001,
      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x33800000};
  return values;
}

const Values &edgeDoubles() {
  static const Values values{
      0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
      0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
      0xbff0000000000000, 0x3ff0000000000001, 0x400921fb54442d18,
      0xc05edd2f1a9fbe77, 0x7fefffffffffffff, 0xffefffffffffffff,
      0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
      0x3ca0000000000000};
  return values;
}

static uint64_t cut(uint64_t value, const std::string &type) {
  if (type == "pred")
    return value != 0;
  unsigned bits = unsigned(std::stoul(type.substr(1)));
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// Each list in its type, without what the cut made equal.
static Values distinct(const Values &values, const std::string &type) {
  Values result;
  for (uint64_t value : values)
    if (!is_contained(result, cut(value, type)))
      result.push_back(cut(value, type));
  return result;
}

static void compare(const std::string &op,
                    const std::vector<std::string> &types,
                    std::vector<Values> inputs, const Values &expected,
                    const std::string &rest) {
  static const char *names[] = {"%d", "%a", "%b", "%c"};
  std::string code = op + " %d";
  for (size_t k = 1; k != types.size(); ++k)
    code += std::string(", ") + names[k];
  code += rest;
  for (size_t begin = 0; begin < expected.size(); begin += 1024) {
    size_t end = std::min(expected.size(), begin + 1024);
    std::vector<Values> part;
    for (const Values &input : inputs)
      part.emplace_back(input.begin() + begin, input.begin() + end);
    Values got = evaluate(code + ";", types, part);
    for (size_t i = begin; i != end; ++i) {
      if (got[i - begin] == cut(expected[i], types[0]))
        continue;
      std::string text;
      for (const Values &input : inputs)
        text += " 0x" + utohexstr(input[i]);
      ADD_FAILURE() << code << " with" << text << " gives 0x"
                    << utohexstr(got[i - begin]) << ", not 0x"
                    << utohexstr(cut(expected[i], types[0]));
      return;
    }
  }
}

void check1(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect1 expect, const std::string &rest) {
  Values a = distinct(values, types[1]), expected;
  for (uint64_t x : a)
    expected.push_back(expect(x));
  compare(op, types, {a}, expected, rest);
}

void check2(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect2 expect, const std::string &rest) {
  Values a, b, expected;
  for (uint64_t x : distinct(values, types[1]))
    for (uint64_t y : distinct(values, types[2])) {
      a.push_back(x);
      b.push_back(y);
      expected.push_back(expect(x, y));
    }
  compare(op, types, {a, b}, expected, rest);
}

void check3(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect3 expect, const std::string &rest) {
  Values a, b, c, expected;
  for (uint64_t x : distinct(values, types[1]))
    for (uint64_t y : distinct(values, types[2]))
      for (uint64_t z : distinct(values, types[3])) {
        a.push_back(x);
        b.push_back(y);
        c.push_back(z);
        expected.push_back(expect(x, y, z));
      }
  compare(op, types, {a, b, c}, expected, rest);
}

} // namespace attn::ptx::test
