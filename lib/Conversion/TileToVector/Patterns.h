//===- Patterns.h - The ops that become vector loops ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_PATTERNS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_PATTERNS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {

class ScratchPool;
struct TargetDescription;

/// The lowering of each scheduled op on memrefs but matrix products. `scratch`
/// and `target` outlive the patterns.
void populateVectorPatterns(mlir::RewritePatternSet &patterns,
                            ScratchPool &scratch,
                            const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_PATTERNS_H
