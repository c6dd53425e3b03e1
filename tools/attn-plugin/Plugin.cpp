//===- Plugin.cpp - The dialect and its passes for mlir-opt ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCheck.h"
#include "attn/InitAll.h"
#include "attn/Support/Version.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/WithColor.h"

constexpr const char *kName = "attn-mlir";

static const char *getVersion() {
  static const std::string version = attn::getVersion();
  return version.c_str();
}

/// No program knows version 0, so each refuses the plugin.
static uint32_t getInterfaceVersion() {
  llvm::Error error = attn::plugin::checkHost();
  if (!error)
    return MLIR_PLUGIN_API_VERSION;
  llvm::WithColor::error(llvm::errs(), "attn-plugin")
      << llvm::toString(std::move(error)) << "\n";
  return 0;
}

extern "C" mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {getInterfaceVersion(), kName, getVersion(),
          [](mlir::DialectRegistry *registry) {
            attn::registerDialects(*registry);
          }};
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {getInterfaceVersion(), kName, getVersion(),
          [] { attn::registerPasses(); }};
}
