//===- InitAll.h - The one list of dialects and passes ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_INITALL_H
#define ATTN_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace attn {

/// Adds the attn dialect, the upstream dialects that framework IR and our
/// pipelines use, and every interface implementation those passes rely on. The
/// list is short on purpose: all of MLIR would be over 100 MB of program.
void registerDialects(mlir::DialectRegistry &registry);

/// Makes our passes and pipelines, and the few upstream passes that go with
/// them in tests, known to textual pipelines.
void registerPasses();

} // namespace attn

#endif // ATTN_INITALL_H
