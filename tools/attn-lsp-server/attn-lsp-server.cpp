//===- attn-lsp-server.cpp - Editors' support for files with attn ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/CommandLine.h"
#include "attn/Compiler/CrashGuard.h"
#include "attn/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  attn::CrashGuard guard("attn-lsp-server", argc, argv);
  attn::removeForeignFlags();
  attn::setVersionPrinter();
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
