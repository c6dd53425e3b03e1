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

} // namespace
