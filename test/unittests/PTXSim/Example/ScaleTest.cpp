//===- ScaleTest.cpp - The example of docs/PTXSim.md runs -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/Error.h"

#include "gtest/gtest.h"

#include <vector>

llvm::Expected<bool> scale(llvm::StringRef ptx, std::vector<float> &data,
                           float factor);

static std::string kernel(const std::string &guard) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n) {
  .reg .b64 %p, %o; .reg .b32 %i, %c, %n; .reg .f32 %x, %f; .reg .pred %q;
  ld.param.u64 %p, [data]; ld.param.f32 %f, [factor]; ld.param.u32 %n, [n];
  mov.u32 %c, %ctaid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %c, 128, %i;
  setp.ge.u32 %q, %i, %n;
)" + guard +
         R"(
  mul.wide.u32 %o, %i, 4; add.u64 %p, %p, %o;
  ld.global.f32 %x, [%p]; mul.f32 %x, %x, %f; st.global.f32 [%p], %x;
  ret;
})";
}

TEST(Example, Scale) {
  std::vector<float> data(200, 3);
  llvm::Expected<bool> good = scale(kernel("@%q ret;"), data, 2);
  ASSERT_TRUE(bool(good)) << llvm::toString(good.takeError());
  EXPECT_TRUE(*good);
  EXPECT_EQ(data, std::vector<float>(200, 6));
}

TEST(Example, ScaleWithoutItsGuard) {
  std::vector<float> data(200, 3);
  llvm::Expected<bool> good = scale(kernel(""), data, 2);
  ASSERT_TRUE(bool(good)) << llvm::toString(good.takeError());
  EXPECT_FALSE(*good);
}

TEST(Example, ScaleOfNoPTX) {
  std::vector<float> data(200, 3);
  llvm::Expected<bool> good = scale("Once upon a time", data, 2);
  ASSERT_FALSE(bool(good));
  EXPECT_EQ(llvm::toString(good.takeError()).substr(0, 7), "line 1:");
}
