//===- TargetDescriptionTest.cpp - Targets by feature bits ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/TargetDescription.h"
#include "attn/Target/TargetNames.h"
#include "attn/Target/TilePermission.h"
#include "gtest/gtest.h"

using namespace attn;

namespace {

TEST(TargetDescription, NamedTargetsDoNotDependOnTheHost) {
  auto v3 = parseTargetDescription("cpu:x86-64-v3");
  auto v4 = parseTargetDescription("cpu:x86-64-v4");
  ASSERT_TRUE(v3 && v4);
  EXPECT_EQ(v3->vectorBits, 256u);
  EXPECT_EQ(v3->numVectorRegisters, 16u);
  EXPECT_EQ(v3->getLanes(32), 8u);
  EXPECT_TRUE(v3->hasFastVectors());
  EXPECT_FALSE(v3->hasAVX512);
  EXPECT_EQ(v4->vectorBits, 512u);
  EXPECT_EQ(v4->numVectorRegisters, 32u);
  EXPECT_EQ(v4->getLanes(64), 8u);
  EXPECT_TRUE(v4->hasAVX512);
  EXPECT_FALSE(v4->hasAMXBF16);
  EXPECT_EQ(v3->l1Bytes, 32 * 1024);
}

TEST(TargetDescription, GenericTargetsAreStepsUpFromTheOneBefore) {
  const char *names[] = {"cpu:x86-64",        "cpu:x86-64-v3",
                         "cpu:x86-64-v4",     "cpu:x86-64-v4-bf16",
                         "cpu:x86-64-v4-amx", "cpu:x86-64-v4-amx-fp16"};
  TargetDescription before;
  for (const char *name : names) {
    auto target = parseTargetDescription(name);
    ASSERT_TRUE(bool(target)) << name;
    EXPECT_EQ(target->name, name);
    EXPECT_GT(target->features.size(), before.features.size());
    for (const std::string &feature : before.features)
      EXPECT_TRUE(target->hasFeature(feature)) << feature;
    EXPECT_EQ(getBestGenericTarget(*target), name);
    before = *target;
  }
  EXPECT_TRUE(before.hasFeature("avx512bf16"));
  EXPECT_TRUE(before.hasAMXBF16);
  EXPECT_TRUE(before.hasAMXF16);
  EXPECT_FALSE(parseTargetDescription("cpu:x86-64-v4-amx")->hasAMXF16);
}

TEST(TargetDescription, AArch64HasVectorsOf128Bits) {
  auto neon = parseTargetDescription("cpu:aarch64");
  auto sve2 = parseTargetDescription("cpu:aarch64-sve2");
  ASSERT_TRUE(neon && sve2);
  for (const TargetDescription &target : {*neon, *sve2}) {
    EXPECT_EQ(target.vectorBits, 128u);
    EXPECT_EQ(target.numVectorRegisters, 32u);
    EXPECT_TRUE(target.hasFastVectors() && target.hasFMA);
    EXPECT_TRUE(target.isAArch64());
  }
  EXPECT_FALSE(neon->hasFeature("sve2"));
  EXPECT_TRUE(sve2->hasFeature("sve2"));
}

TEST(TargetDescription, UnknownNamesAreErrors) {
  for (const char *name :
       {"", "CPU", "cpu:", "cpu:skylake", "nvptx", "nvptx:sm_8"}) {
    auto target = parseTargetDescription(name);
    EXPECT_FALSE(bool(target)) << name;
    llvm::consumeError(target.takeError());
  }
}

TEST(TargetDescription, GPUsHaveTheirOwnDescription) {
  auto ampere = parseTargetDescription("nvptx:sm_80");
  auto hopper = parseTargetDescription("nvptx:sm_90a");
  ASSERT_TRUE(ampere && hopper && ampere->gpu && hopper->gpu);
  EXPECT_EQ(ampere->gpu->sm, 80u);
  EXPECT_EQ(ampere->gpu->sharedBytesBlock, 163 * 1024);
  EXPECT_FALSE(ampere->gpu->hasWgmma);
  EXPECT_EQ(hopper->gpu->arch, "sm_90a");
  EXPECT_EQ(hopper->gpu->sharedBytesBlock, 227 * 1024);
  EXPECT_TRUE(hopper->gpu->hasWgmma && hopper->gpu->hasTMA);
  EXPECT_FALSE(ampere->hasFastVectors());
  EXPECT_EQ(getHostSide(*ampere).triple, "x86_64-unknown-linux-gnu");
  EXPECT_FALSE(getHostSide(*ampere).gpu);
}

TEST(TargetDescription, HostSupportsItself) {
  EXPECT_FALSE(bool(checkHostSupports(getHostTargetDescription())));
}

TEST(TargetDescription, MissingFeaturesAreNamed) {
  TargetDescription target = getHostTargetDescription();
  target.name = "cpu:future";
  target.features.push_back("no-such-feature");
  llvm::Error error = checkHostSupports(target);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "this machine cannot run code for 'cpu:future': it lacks "
            "no-such-feature");
}

TEST(TargetDescription, WhoLacksTilesAloneIsToldOfTheEmulator) {
  TargetDescription target = getHostTargetDescription();
  target.name = "cpu:tiles";
  target.features.push_back("amx-future");
  EXPECT_EQ(llvm::toString(checkHostSupports(target)),
            "this machine cannot run code for 'cpu:tiles': it lacks "
            "amx-future; attn-run --emulator=amx runs it");
}

TEST(TargetDescription, WhatTilesComeWithIsEmulated) {
  for (const char *name : {"amx-tile", "amx-bf16", "avx512bf16"})
    EXPECT_TRUE(isEmulatedFeature(name)) << name;
  for (const char *name : {"avx512f", "avx512fp16", "neon"})
    EXPECT_FALSE(isEmulatedFeature(name)) << name;
}

TEST(TargetDescription, TheHostHasTilesWhereItMayUseThem) {
  if (!requestTilePermission())
    for (const std::string &feature : getHostTargetDescription().features)
      EXPECT_NE(feature.substr(0, 4), "amx-") << feature;
}

TEST(TargetDescription, TheHostHasPairsWhereTheyAreFastOrBesideTiles) {
  TargetDescription host = getHostTargetDescription();
  EXPECT_EQ(host.hasAVX512BF16, hasProcessorFeature("avx512bf16") &&
                                    (host.hasAMXBF16 || !hasSlowPairs()));
}

/// Exits with 0 where a refused tile unit leaves multiply-adds of f32, and
/// pairs to those who ask for them.
[[noreturn]] void refuseTiles() {
  bool isRefused = refuseTilePermission();
  TargetDescription host = getHostTargetDescription();
  llvm::Error error =
      checkHostSupports(*parseTargetDescription("cpu:x86-64-v4-bf16"));
  bool canRunPairs = !error;
  llvm::consumeError(std::move(error));
  bool isRight = isRefused && host.hasAVX512 && !host.hasAMXBF16 &&
                 !host.hasAVX512BF16 && canRunPairs;
  std::_Exit(isRight ? 0 : 1);
}

TEST(TargetDescriptionDeathTest, RefusedTilesLeaveMultiplyAdds) {
  if (!hasProcessorFeature("amx-tile") || !hasProcessorFeature("avx512bf16"))
    GTEST_SKIP() << "no AMX";
  // A process of its own, which nobody has asked Linux for.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(refuseTiles(), testing::ExitedWithCode(0), "");
}

} // namespace
