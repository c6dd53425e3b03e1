//===- JITTest.cpp - Linking of kernels into the process ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/JIT.h"
#include "attn/Target/CPU/CodeGen.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace attn;

namespace {

/// Object code of a module in LLVM's text form, with an invoker for `kernel`.
std::unique_ptr<llvm::MemoryBuffer> compile(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  llvm::cantFail(addInvoker(*module, "kernel"));
  auto machine = createTargetMachine(getHostTargetDescription());
  EXPECT_TRUE(bool(machine));
  llvm::cantFail(optimizeModule(*module, **machine));
  return llvm::cantFail(emitObject(*module, **machine));
}

/// A kernel that replaces *%a by CALLEE(*%a).
std::string makeKernel(const std::string &callee) {
  return "declare float @" + callee +
         "(float)\n"
         "define i32 @kernel(ptr %ctx, ptr %a) {\n"
         "  %x = load float, ptr %a\n"
         "  %y = call float @" +
         callee +
         "(float %x)\n"
         "  store float %y, ptr %a\n"
         "  ret i32 7\n"
         "}\n";
}

TEST(JIT, CallsAKernelThroughItsInvoker) {
  auto library = JITLibrary::create(compile(makeKernel("tanhf")));
  ASSERT_TRUE(bool(library));
  auto kernel = library->lookupInvoker("kernel");
  ASSERT_TRUE(bool(kernel));
  float value = 0.5f;
  void *arguments[] = {nullptr, &value};
  EXPECT_EQ((*kernel)(arguments), 7);
  EXPECT_FLOAT_EQ(value, 0.46211717f);
}

TEST(JIT, UnresolvedSymbolsAreNamed) {
  auto library = JITLibrary::create(compile(makeKernel("no_such_function")));
  ASSERT_TRUE(bool(library));
  auto kernel = library->lookupInvoker("kernel");
  ASSERT_FALSE(bool(kernel));
  EXPECT_NE(llvm::toString(kernel.takeError()).find("no_such_function"),
            std::string::npos);
}

TEST(CodeGen, ExponentialsOfTheCLibraryAreRefused) {
  auto object = compile(makeKernel("expf"));
  llvm::Error error = checkUndefinedSymbols(*object);
  ASSERT_TRUE(bool(error));
  EXPECT_NE(llvm::toString(std::move(error)).find("'expf'"), std::string::npos);
  object = compile(makeKernel("tanhf"));
  EXPECT_FALSE(bool(checkUndefinedSymbols(*object)));
}

TEST(JIT, RoundsToBF16WithoutTheCompilersRuntime) {
  auto library =
      JITLibrary::create(compile("define i32 @kernel(ptr %ctx, ptr %a) {\n"
                                 "  %x = load double, ptr %a\n"
                                 "  %y = fptrunc double %x to bfloat\n"
                                 "  %z = fpext bfloat %y to double\n"
                                 "  store double %z, ptr %a\n"
                                 "  ret i32 0\n"
                                 "}\n"));
  ASSERT_TRUE(bool(library));
  auto kernel = library->lookupInvoker("kernel");
  ASSERT_TRUE(bool(kernel));
  // Just above halfway: rounding to f32 first would make it exactly halfway,
  // and then down to 1.
  double value = 1 + 0x1p-8 + 0x1p-40;
  void *arguments[] = {nullptr, &value};
  (*kernel)(arguments);
  EXPECT_EQ(value, 1 + 0x1p-7);
}

/// A kernel that stores the low halves of eight words under a mask.
std::string makeMaskedStore(const std::string &mask) {
  return "define i32 @kernel(ptr %ctx, ptr %a, ptr %b) {\n"
         "  %x = load <16 x i32>, ptr %a, align 4\n"
         "  %y = trunc <16 x i32> %x to <16 x i16>\n"
         "  call void @llvm.masked.store.v16i16.p0(<16 x i16> %y, "
         "ptr align 2 %b, <16 x i1> <" +
         mask +
         ">)\n"
         "  ret i32 0\n"
         "}\n";
}

// LLVM 22 for AVX-512 writes four bytes where one element of two is on.
TEST(CodeGen, MaskedStoresWriteNoMoreThanTheirLanes) {
  for (unsigned lanes : {0x1u, 0x3u, 0x100u, 0x807fu, 0xffffu, 0u}) {
    std::string mask;
    for (unsigned i = 0; i < 16; ++i)
      mask += std::string(i ? ", i1 " : "i1 ") +
              ((lanes >> i & 1) ? "true" : "false");
    auto library = JITLibrary::create(compile(makeMaskedStore(mask)));
    ASSERT_TRUE(bool(library));
    auto kernel = library->lookupInvoker("kernel");
    ASSERT_TRUE(bool(kernel));
    uint32_t words[16];
    uint16_t halves[18];
    for (uint32_t i = 0; i < 16; ++i)
      words[i] = 0x70000 + 100 + i;
    std::fill(std::begin(halves), std::end(halves), uint16_t(1));
    void *arguments[] = {nullptr, words, halves};
    EXPECT_EQ((*kernel)(arguments), 0);
    for (unsigned i = 0; i < 18; ++i)
      EXPECT_EQ(halves[i], i < 16 && (lanes >> i & 1) ? 100 + i : 1)
          << "element " << i << " of mask " << lanes;
  }
}

// Whether LLVM knows the mask or not: it would take accesses of bf16 apart.
TEST(CodeGen, MaskedAccessesOfBF16AreThoseOfIntegers) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "define void @copy(ptr %a, ptr %b, <4 x i1> %mask, <4 x bfloat> %c) {\n"
      "  %x = call <4 x bfloat> @llvm.masked.load.v4bf16.p0(ptr align 2 %a, "
      "<4 x i1> %mask, <4 x bfloat> %c)\n"
      "  call void @llvm.masked.store.v4bf16.p0(<4 x bfloat> %x, "
      "ptr align 2 %b, <4 x i1> %mask)\n"
      "  ret void\n"
      "}\n",
      diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  auto machine = createTargetMachine(getHostTargetDescription());
  ASSERT_TRUE(bool(machine));
  llvm::cantFail(optimizeModule(*module, **machine));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->getFunction("copy")->print(os);
  EXPECT_NE(text.find("@llvm.masked.load.v4i16"), std::string::npos) << text;
  EXPECT_NE(text.find("@llvm.masked.store.v4i16"), std::string::npos) << text;
  EXPECT_EQ(text.find("v4bf16"), std::string::npos) << text;
}

} // namespace
