//===- BuildModule.cpp - Modules without a text ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn-c/build.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace attn;
using namespace attn::capi;
using llvm::createStringError;

attn_code attn_module_create(attn_compiler *compiler, const char *name,
                             attn_module **module) {
  if (module)
    *module = nullptr;
  if (!compiler || !module)
    return refuse(compiler, "attn_module_create: the compiler or the place for "
                            "the module is null");
  return run(*compiler, [&](Session &) {
    auto ir = std::make_shared<IRContext>();
    auto made = std::make_unique<attn_module>();
    made->compiler = compiler;
    made->name = name ? name : "<module>";
    made->op = mlir::ModuleOp::create(mlir::UnknownLoc::get(&ir->mlir));
    made->ir = std::move(ir);
    *module = made.release();
    return llvm::Error::success();
  });
}

attn_code attn_module_verify(attn_module *module) {
  if (!module)
    return ATTN_BAD_INPUT;
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    if (failed(mlir::verify(*module->op)))
      return createStringError(module->name + ": the module breaks a rule");
    return llvm::Error::success();
  });
}
