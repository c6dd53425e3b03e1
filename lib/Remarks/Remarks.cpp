//===- Remarks.cpp - What passes tell about their choices -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Remarks/Remarks.h"
#include "attn/Remarks/FillText.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace attn;

namespace {
struct Entry {
  StringRef label;
  RemarkKind kind;
  StringRef text;
};
} // namespace

/// Two remarks with one number do not compile: they would be the same case.
static Entry lookUp(RemarkId id) {
  switch (id) {
#define ATTN_REMARK(Name, Number, Kind, Text, Explanation)                     \
  case RemarkId::Name:                                                         \
    return {"attn-r" #Number, RemarkKind::Kind, Text};
#include "attn/Remarks/Remarks.def"
  }
  llvm_unreachable("all remarks are in the table");
}

Remark::Remark(RemarkId id, std::initializer_list<Argument> arguments)
    : id(id), arguments(arguments) {}

RemarkKind Remark::getKind() const { return lookUp(id).kind; }

StringRef Remark::getLabel() const { return lookUp(id).label; }

std::string Remark::getText() const {
  StringRef text = lookUp(id).text;
  assert(static_cast<size_t>(llvm::count(text, '{')) == arguments.size() &&
         "an argument has no hole in the text");
  return fillText(text, arguments);
}

void Remark::emit(Location loc) const {
  auto opts = remark::RemarkOpts::name(getLabel()).category("attn");
  auto streamed = [&] {
    switch (getKind()) {
    case RemarkKind::Passed:
      return remark::passed(loc, opts);
    case RemarkKind::Missed:
      return remark::missed(loc, opts);
    case RemarkKind::Analysis:
      return remark::analysis(loc, opts);
    }
    llvm_unreachable("all kinds are handled");
  }();
  // mlir-opt gives every context an engine; its filters tell whether it is
  // used.
  if (!streamed) {
    emitRemark(loc) << '[' << getLabel() << "] " << getText();
    return;
  }
  streamed << getText();
  for (const auto &[name, value] : arguments)
    streamed << remark::detail::Remark::Arg(name, value);
}
