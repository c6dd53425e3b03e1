//===- Backend.cpp - The backends there are -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Backend.h"
#include "CPUBackend.h"
#include "NVPTXBackend.h"

using namespace attn;

static const CPUBackend &getCPUBackend() {
  static const CPUBackend backend;
  return backend;
}

static const NVPTXBackend &getNVPTXBackend() {
  static const NVPTXBackend backend(getCPUBackend());
  return backend;
}

const Backend &attn::getBackend(const TargetDescription &target) {
  if (target.gpu)
    return getNVPTXBackend();
  return getCPUBackend();
}

void attn::registerBackendTranslations(mlir::DialectRegistry &registry) {
  getCPUBackend().registerTranslations(registry);
  getNVPTXBackend().registerTranslations(registry);
}
