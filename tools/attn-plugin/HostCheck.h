//===- HostCheck.h - Whose MLIR a plugin works with -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_PLUGIN_HOSTCHECK_H
#define ATTN_PLUGIN_HOSTCHECK_H

#include "llvm/Support/Error.h"

namespace attn::plugin {

/// Fails if the program that loads this plugin has another MLIR than the one
/// that the plugin is bound to: what is registered with the latter would be
/// lost, or worse.
llvm::Error checkHost();

} // namespace attn::plugin

#endif // ATTN_PLUGIN_HOSTCHECK_H
