//===- Module.cpp - Modules: reading, passes, printing --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn/Compiler/Cancellation.h"
#include "attn/Compiler/InputFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace attn;
using namespace attn::capi;
using llvm::createStringError;

static std::unique_ptr<attn_module> wrap(attn_compiler &compiler,
                                         std::shared_ptr<IRContext> ir,
                                         mlir::OwningOpRef<mlir::ModuleOp> op,
                                         std::string name) {
  auto module = std::make_unique<attn_module>();
  module->compiler = &compiler;
  module->ir = std::move(ir);
  module->op = std::move(op);
  module->name = std::move(name);
  return module;
}

/// A copy that ends with a zero byte and begins where bytecode may: sections
/// of it are aligned to addresses.
static std::unique_ptr<llvm::MemoryBuffer> copyInput(llvm::StringRef data,
                                                     llvm::StringRef name) {
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      data.size(), name, llvm::Align(64));
  if (copy)
    llvm::copy(data, copy->getBufferStart());
  return copy;
}

static llvm::Error parse(Session &session, llvm::StringRef data,
                         llvm::StringRef name, attn_module **module) {
  session.beginPhase("parse");
  std::unique_ptr<llvm::MemoryBuffer> input = copyInput(data, name);
  if (!input)
    return createStringError(std::make_error_code(std::errc::not_enough_memory),
                             name + ": there is no memory for a copy");
  if (llvm::Error error = checkContents(*input))
    return error;
  auto ir = std::make_shared<IRContext>();
  session.use(ir);
  auto op = parseModule(*input, ir->mlir);
  if (!op) {
    // What the parser has said is more than that it failed.
    std::string reasons = session.takeErrors();
    if (reasons.empty())
      return op.takeError();
    llvm::consumeError(op.takeError());
    return createStringError(reasons);
  }
  *module =
      wrap(session.getCompiler(), std::move(ir), std::move(*op), name.str())
          .release();
  return llvm::Error::success();
}

attn_code attn_module_parse(attn_compiler *compiler, const char *data,
                            size_t size, const char *name,
                            attn_module **module) {
  if (module)
    *module = nullptr;
  if (!compiler || !module || !data)
    return refuse(compiler, "attn_module_parse: the compiler, the data or the "
                            "place for the module is null");
  return run(*compiler, [&](Session &session) {
    return parse(session, {data, size}, name ? name : "<module>", module);
  });
}

attn_code attn_module_load(attn_compiler *compiler, const char *path,
                           attn_module **module) {
  if (module)
    *module = nullptr;
  if (!compiler || !module || !path)
    return refuse(compiler, "attn_module_load: the compiler, the path or the "
                            "place for the module is null");
  return run(*compiler, [&](Session &session) -> llvm::Error {
    // Standard input is the host's, whatever tools call it.
    std::string file = llvm::StringRef(path) == "-" ? "./-" : path;
    auto buffer = readInputFile(file);
    if (!buffer)
      return buffer.takeError();
    return parse(session, (*buffer)->getBuffer(), file, module);
  });
}

llvm::Error capi::checkUsable(const attn_module &module) {
  if (module.ir->isDamaged)
    return createStringError("the module was lost by a fault of the compiler; "
                             "parse it again");
  if (module.isBroken)
    return createStringError("a pass failed on the module or was cancelled; "
                             "parse it again");
  return llvm::Error::success();
}

attn_code attn_module_clone(const attn_module *module, attn_module **copy) {
  if (copy)
    *copy = nullptr;
  if (!module || !copy)
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_clone: the module or the place for its copy is "
                  "null");
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    *copy = wrap(*module->compiler, module->ir, module->op.get().clone(),
                 module->name)
                .release();
    return llvm::Error::success();
  });
}

void attn_module_destroy(attn_module *module) {
  if (!module)
    return;
  // What a fault left behind cannot be taken apart.
  if (!module->ir->isDamaged)
    runOnLargeStack([&] { delete module; });
}

/// `builtin.module(...)` as it is, else a list of passes on the module.
static llvm::Error addPasses(mlir::PassManager &manager,
                             llvm::StringRef pipeline) {
  std::string text;
  llvm::raw_string_ostream messages(text);
  llvm::StringRef passes = pipeline.trim();
  if (passes.consume_front("builtin.module(") && !passes.consume_back(")"))
    return createStringError("pipeline '" + pipeline + "': lacks a ')'");
  if (succeeded(mlir::parsePassPipeline(passes, manager, messages)))
    return llvm::Error::success();
  return createStringError("pipeline '" + pipeline +
                           "': " + llvm::StringRef(text).rtrim());
}

static llvm::Error runPasses(Session &session, attn_module &module,
                             llvm::StringRef pipeline) {
  std::atomic<bool> &isCancelled = session.getCompiler().isCancelled;
  mlir::PassManager manager(&module.ir->mlir);
  if (llvm::Error error = addPasses(manager, pipeline))
    return error;
  CancelScope cancel(&module.ir->mlir, [&] { return isCancelled.load(); });
  bool isGood = succeeded(manager.run(*module.op));
  module.isBroken = !isGood || isCancelled;
  if (isCancelled)
    return llvm::make_error<CancelledError>();
  if (isGood)
    return llvm::Error::success();
  return createStringError("pipeline '" + pipeline + "' failed");
}

attn_code attn_module_run(attn_module *module, const char *pipeline) {
  if (!module || !pipeline)
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_run: the module or the pipeline is null");
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    return runPasses(session, *module, pipeline);
  });
}

static std::string print(mlir::ModuleOp module, attn_print_form form) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (form == ATTN_PRINT_BYTECODE) {
    (void)mlir::writeBytecodeToFile(module, os);
    return text;
  }
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo(
                       form == ATTN_PRINT_TEXT_WITH_LOCATIONS));
  os << "\n";
  return text;
}

attn_code attn_module_print(attn_module *module, attn_print_form form,
                            attn_buffer **contents) {
  if (contents)
    *contents = nullptr;
  if (!module || !contents)
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_print: the module or the place for its text is "
                  "null");
  if (form < ATTN_PRINT_TEXT || form > ATTN_PRINT_BYTECODE)
    return refuse(module->compiler, "attn_module_print: there is no form " +
                                        llvm::Twine(int(form)));
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    *contents = makeBuffer(print(*module->op, form));
    return llvm::Error::success();
  });
}
