//===- OpList.h - All ops of the dialect, as types --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what a library knows of ops by a function for each: who has an overload
// for an op is found by the compiler, so that no list of ops stands anywhere
// but in TableGen.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_OPLIST_H
#define ATTN_DIALECT_ATTN_IR_OPLIST_H

#include "attn/Dialect/Attn/IR/TransformerOps.h"

namespace attn {

/// Types that a generic lambda is called with, one after the other.
template <typename... OpTys> struct OpList {
  /// The lambda takes an OpType<XOp>.
  template <typename Visitor> static void forEach(Visitor &&visitor) {
    (visitor(OpType<OpTys>()), ...);
  }
  template <typename OpTy> struct OpType {
    using type = OpTy;
  };
};

using AllOps = OpList<
#define GET_OP_LIST
#include "attn/Dialect/Attn/IR/AttnOps.cpp.inc"
    ,
#define GET_OP_LIST
#include "attn/Dialect/Attn/IR/TransformerOps.cpp.inc"
    >;

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_OPLIST_H
