//===- WarpTest.cpp - Instructions between the lanes of a warp ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

static Values numbers() {
  Values v;
  for (uint64_t l = 0; l != 32; ++l)
    v.push_back(l * l * 2654435761u & 0xffffffff);
  return v;
}

/// The source lane as the ISA's pseudo-code says; -1 when it is out of range.
static int sourceLane(const std::string &mode, int lane, int b, int c) {
  int bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
  int maxLane = (lane & mask) | (cval & ~mask), minLane = lane & mask;
  int j = mode == "up"     ? lane - bval
          : mode == "down" ? lane + bval
          : mode == "bfly" ? lane ^ bval
                           : minLane | (bval & ~mask);
  bool in = mode == "up" ? j >= maxLane : j <= maxLane;
  return in ? j : -1;
}

TEST(Warp, Shuffles) {
  Values in = numbers();
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (int b : {0, 1, 5, 16, 31, 33})
      for (int width : {32, 16, 8, 2}) {
        bool up = std::string(mode) == "up";
        int c = (32 - width) << 8 | (up ? 0 : 31);
        std::string operands = " %d|%p1, %a, " + std::to_string(b) + ", " +
                               std::to_string(c) + ", -1;\n";
        std::string op = std::string("shfl.sync.") + mode + ".b32";
        Values got = evaluate(op + operands, {"b32", "b32"}, {in});
        Values valid = evaluate(op + operands + "selp.u32 %d, 1, 0, %p1;",
                                {"b32", "b32"}, {in});
        for (int l = 0; l != 32; ++l) {
          int from = sourceLane(mode, l, b, c);
          EXPECT_EQ(got[l], in[from < 0 ? l : from]) << op << b << " " << width;
          EXPECT_EQ(valid[l], uint64_t(from >= 0)) << op << b << " " << width;
        }
      }
  // Index by lane, without the predicate.
  Values reversed = evaluate("sub.u32 %t1, 31, %t;\n"
                             "shfl.sync.idx.b32 %d, %a, %t1, 31, 0xffffffff;",
                             {"b32", "b32"}, {in});
  for (int l = 0; l != 32; ++l)
    EXPECT_EQ(reversed[l], in[31 - l]);
}

TEST(Warp, Votes) {
  for (uint32_t mask :
       {0u, 1u, 0x80000000u, 0x0ff0u, 0xfffffffeu, 0xffffffffu}) {
    Values p;
    for (unsigned l = 0; l != 32; ++l)
      p.push_back(mask >> l & 1);
    auto vote = [&](const std::string &form, const std::string &type,
                    const std::string &source = "%a") {
      return evaluate("vote.sync." + form + " %d, " + source + ", -1;",
                      {type, "pred"}, {p})[13];
    };
    EXPECT_EQ(vote("all.pred", "pred"), mask == 0xffffffff);
    EXPECT_EQ(vote("any.pred", "pred"), mask != 0);
    EXPECT_EQ(vote("uni.pred", "pred"), mask == 0 || mask == 0xffffffff);
    EXPECT_EQ(vote("ballot.b32", "b32"), mask);
    EXPECT_EQ(vote("ballot.b32", "b32", "!%a"), uint32_t(~mask));
    EXPECT_EQ(vote("all.pred", "pred", "!%a"), mask == 0);
  }
}

// Of a part of the warp only its lanes count.
TEST(Warp, PartialVotes) {
  EXPECT_EQ(evaluate("mov.u32 %d, 7; setp.lt.u32 %p1, %t, 8;\n"
                     "@!%p1 bra END;\n"
                     "setp.gt.u32 %p2, %t, 2;\n"
                     "vote.sync.ballot.b32 %d, %p2, 0xff;\n"
                     "END:",
                     {"b32", "b32"}, {numbers()})[5],
            0xf8u);
}

TEST(Warp, Match) {
  Values v;
  for (uint64_t l = 0; l != 32; ++l)
    v.push_back(l % 3 + (l > 20 ? 0x100000000 : 0));
  for (const char *bits : {"32", "64"}) {
    std::string reg = std::string("b") + bits;
    Values got = evaluate("match.any.sync." + reg +
                              " %t1, %a, -1;\n"
                              "cvt.u" +
                              bits + ".u32 %d, %t1;",
                          {reg, reg}, {v});
    for (unsigned l = 0; l != 32; ++l) {
      uint64_t want = 0;
      for (unsigned k = 0; k != 32; ++k) {
        bool same =
            reg == "b64" ? v[k] == v[l] : uint32_t(v[k]) == uint32_t(v[l]);
        want |= uint64_t(same) << k;
      }
      EXPECT_EQ(got[l], want);
    }
    std::string all = "match.all.sync." + reg +
                      " %t1|%p1, %a, -1;\n"
                      "cvt.u" +
                      bits + ".u32 %d, %t1; @!%p1 add.u" + bits + " %d, %d, 1;";
    EXPECT_EQ(evaluate(all, {reg, reg}, {v})[4], 1u);
    EXPECT_EQ(evaluate(all, {reg, reg}, {{9}})[0], 0xffffffffu);
  }
}

TEST(Warp, Redux) {
  Values in = numbers();
  uint32_t sum = 0, all = ~0u, any = 0, odd = 0, least = ~0u, most = 0;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (uint64_t v : in) {
    uint32_t u = uint32_t(v);
    sum += u;
    all &= u | 0x100;
    any |= u;
    odd ^= u;
    least = std::min(least, u);
    most = std::max(most, u);
    low = std::min(low, int32_t(u));
    high = std::max(high, int32_t(u));
  }
  auto redux = [&](const char *form) {
    return evaluate(std::string("redux.sync.") + form + " %d, %a, -1;",
                    {"b32", "b32"}, {in})[9];
  };
  EXPECT_EQ(redux("add.u32"), sum);
  EXPECT_EQ(redux("add.s32"), sum);
  EXPECT_EQ(redux("min.u32"), least);
  EXPECT_EQ(redux("max.u32"), most);
  EXPECT_EQ(redux("min.s32"), uint32_t(low));
  EXPECT_EQ(redux("max.s32"), uint32_t(high));
  EXPECT_EQ(redux("or.b32"), any);
  EXPECT_EQ(redux("xor.b32"), odd);
  EXPECT_EQ(redux("and.b32"), 0u);
  EXPECT_EQ(evaluate("or.b32 %a, %a, 0x100; redux.sync.and.b32 %d, %a, -1;",
                     {"b32", "b32"}, {in})[0],
            all);
}

// Of numbers and, where that is asked for, of their magnitudes; what is no
// number counts only where it is to come through.
TEST(Warp, FloatReductions) {
  constexpr uint32_t minusThree = 0xc0400000, two = 0x40000000,
                     three = 0x40400000, noNumber = 0x7fc00000,
                     canonical = 0x7fffffff;
  auto redux = [&](const char *form, uint32_t third) {
    return evaluate(std::string("mov.u32 %t1, %laneid; and.b32 %t1, %t1, 3;\n"
                                "setp.lt.u32 %p1, %t1, 2;\n"
                                "selp.b32 %a, %a, %b, %p1;\nredux.sync.") +
                        form + ".f32 %d, %a, -1;",
                    {"b32", "b32", "b32"},
                    {{minusThree, two, minusThree, two}, {third}})[9];
  };
  EXPECT_EQ(redux("min", two), minusThree);
  EXPECT_EQ(redux("max", two), two);
  EXPECT_EQ(redux("max.abs", two), three);
  EXPECT_EQ(redux("min.abs", two), two);
  EXPECT_EQ(redux("max", noNumber), two);
  EXPECT_EQ(redux("max.NaN", noNumber), canonical);
  EXPECT_EQ(redux("min.abs.NaN", noNumber), canonical);
}

// Exactly one lane is chosen, of those in the mask.
TEST(Warp, Elect) {
  Values got = evaluate("elect.sync %t1|%p1, -1; selp.u32 %d, 1, 0, %p1;\n"
                        "setp.ne.u32 %p2, %t1, %t; and.pred %p2, %p2, %p1;\n"
                        "@%p2 add.u32 %d, %d, 50;",
                        {"b32"}, {});
  uint64_t sum = 0;
  for (uint64_t v : got)
    sum += v;
  EXPECT_EQ(sum, 1u);
  Values part =
      evaluate("mov.u32 %d, 0; setp.gt.u32 %p2, %t, 19; @!%p2 bra E;\n"
               "elect.sync _|%p1, 0xfff00000; selp.u32 %d, 1, 0, %p1;\n"
               "E:",
               {"b32"}, {});
  for (unsigned l = 0; l != 20; ++l)
    EXPECT_EQ(part[l], 0u);
}

TEST(Warp, ActiveMask) {
  Values got = evaluate("setp.lt.u32 %p1, %t, 5; mov.u32 %d, 0;\n"
                        "@%p1 activemask.b32 %d;",
                        {"b32"}, {});
  EXPECT_EQ(got[3], 0x1fu);
  EXPECT_EQ(got[5], 0u);
}

// Masks that do not fit are misuse, not a guess.
TEST(Warp, MaskMisuse) {
  auto finding = [](const std::string &code) {
    Report report;
    evaluate(code, {"b32", "b32"}, {{1}}, &report);
    return report.findings.empty() ? ""
                                   : toString(report.findings[0].kind).str();
  };
  EXPECT_EQ(finding("shfl.sync.idx.b32 %d, %a, 0, 31, 0xfffffffe;"), "fault");
  EXPECT_EQ(finding("vote.sync.ballot.b32 %d, 1, 0xffff;"), "fault");
  EXPECT_EQ(finding("bar.warp.sync 1;"), "barrier-misuse");
  // Lane 0 waits for lanes that never come.
  EXPECT_EQ(finding("mov.u32 %d, 0; setp.gt.u32 %p1, %t, 1; @%p1 bra F;\n"
                    "setp.eq.u32 %p1, %t, 0; @!%p1 bra E;\n"
                    "redux.sync.add.u32 %d, %a, 3; E: bar.warp.sync 3; F:"),
            "deadlock");
}

} // namespace attn::ptx::test
