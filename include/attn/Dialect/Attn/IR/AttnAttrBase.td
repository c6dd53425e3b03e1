//===- AttnAttrBase.td - Shared pieces of the attribute definitions -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTNATTRBASE_TD
#define ATTN_DIALECT_ATTN_IR_ATTNATTRBASE_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "attn/Dialect/Attn/IR/AttnEnums.td"
include "attn/Dialect/Attn/IR/PolicyInterfaces.td"
include "attn/Dialect/Attn/IR/ScheduleInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

class Attn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Attn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// How the fast path of the CPU computes an op.
class Attn_CPUSchedule<string name, string attrMnemonic, list<Trait> traits = []>
    : Attn_Attr<name, attrMnemonic,
                !listconcat([Attn_ScheduleAttrInterface], traits)> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::attn::TargetKind getMachine() const { return ::attn::TargetKind::CPU; }
    ::llvm::LogicalResult verifyOn(::mlir::Operation *op) const;
  }];
}

/// A finite double, printed so that it reads back as the same bits.
class Attn_Double<string desc> : AttrParameter<"::attn::Double", desc, "double"> {
  let parser = "::attn::parseDouble($_parser)";
  let printer = "::attn::printDouble($_printer, $_self)";
}


def Attn_LengthAttr : Attn_Attr<"Length", "length"> {
  let summary = "what the length n of a scale policy counts";
  let description = [{
    | source | n |
    |---|---|
    | `keys` | the number of keys, or the batch's kv length |
    | `position` | aligned position + 1; restarts in each segment |
    | `position_operand` | the param (batch, row) + 1: the position is given |
    | `visible` | keys that the masks leave to the row which make it a range |
    | `constant(c)` | c |
    | `half_max(L)` | L / 2 |
    | `seen` | keys that all masks together leave to the row: counted before the attention |

    n is never taken below 1.
  }];
  let parameters = (ins EnumParameter<Attn_LengthKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$value);
  let assemblyFormat = "custom<Length>($kind, $value)";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool usesPositions() const {
      return getKind() == LengthKind::Position || getKind() == LengthKind::Visible;
    }
    /// n where it is a compile-time constant (never below 1).
    std::optional<double> getConstant() const;
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_ATTNATTRBASE_TD
