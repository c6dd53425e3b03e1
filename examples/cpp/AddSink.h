//===- AddSink.h - A pass of the host compiler ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HOST_ADDSINK_H
#define HOST_ADDSINK_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace host {

/// Lets every attention give its weight to nothing at all: softmax becomes
/// softmax1.
std::unique_ptr<mlir::Pass> createAddSinkPass();

} // namespace host

#endif // HOST_ADDSINK_H
