//===- attn-lsp-server.cpp - Editors' support for files with attn ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layer.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/InitAll.h"
#include "attn/Support/CrashGuard.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>

using namespace attn;

/// The server reads the command line itself; these are flags that change what
/// goes over standard input and output.
static bool hasFlag(int argc, char **argv,
                    std::initializer_list<llvm::StringRef> names) {
  return llvm::any_of(llvm::ArrayRef(argv, argc), [&](llvm::StringRef word) {
    return llvm::is_contained(names, word.ltrim('-'));
  });
}

int main(int argc, char **argv) {
  CrashGuard guard("attn-lsp-server", argc, argv);
  removeForeignFlags();
  setVersionPrinter();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  std::unique_ptr<lsp::Layer> layer;
  if (!hasFlag(argc, argv,
               {"help", "help-hidden", "help-list", "help-list-hidden",
                "version"})) {
    bool isTest = hasFlag(argc, argv, {"lit-test"});
    bool isDelimited = isTest || hasFlag(argc, argv, {"input-style=delimited"});
    layer = std::make_unique<lsp::Layer>(
        isDelimited ? llvm::lsp::Delimited : llvm::lsp::Standard,
        isTest || hasFlag(argc, argv, {"pretty"}));
  }
  bool failed = mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
  if (!layer)
    return failed;
  layer->finish();
  // A thread may still wait for the editor, so there is nothing to take down.
  ::_exit(failed);
}
