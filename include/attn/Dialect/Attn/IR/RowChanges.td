//===- RowChanges.td - Norm and rotation of rows that are loaded -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ROWCHANGES_TD
#define ATTN_DIALECT_ATTN_IR_ROWCHANGES_TD

include "attn/Dialect/Attn/IR/AttnAttrBase.td"

class Attn_RowChange<string name, string attrMnemonic, list<string> overrides>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface, overrides>,
        Attn_RowChangeAttrInterface]>;

def Attn_RowNormAttr : Attn_RowChange<"RowNorm", "row_norm", ["getParamSpecs"]> {
  let summary = "a row is normalised, as attn.norm over the head dimension does";
  let description = [{
    `layer`, `rms` or `l2` as in `attn.norm`; `layer` is centred, the others are
    not. With `gamma` and with `beta` these are params of the head dimension, or
    of head and head dimension.

    `#attn.row_norm<rms, eps = 1.0e-06, gamma>`
  }];
  let parameters = (ins EnumParameter<Attn_NormKind>:$kind,
                        Attn_Double<"eps, not negative">:$eps,
                        "::attn::EpsMode":$mode, "bool":$gamma, "bool":$beta);
  let assemblyFormat = "`<` $kind `,` `eps` `=` $eps `` custom<RowNormOptions>($mode, $gamma, $beta) `>`";
  let genVerifyDecl = 1;
}

def Attn_RotateAttr : Attn_RowChange<"Rotate", "rotate", ["getParamSpecs", "verifyPolicy"]> {
  let summary = "pairs of a row's elements turn, as attn.rope turns them";
  let description = [{
    The first `dims` elements of a row form pairs by layout. Its param is a table
    over rows and the head dimension: with r = `dims`, element t < r/2 of a row is
    the sine and element r/2 + t the cosine of the angle of pair t; elements past
    r are not read. That is what `attn.sinusoidal_positions pairs(half_split)`
    writes for r elements.

    `#attn.rotate<half_split, dims = 64>`
  }];
  let parameters = (ins EnumParameter<Attn_PairLayout>:$pairs, "int64_t":$dims);
  let assemblyFormat = "`<` $pairs `,` `dims` `=` $dims `>`";
  let genVerifyDecl = 1;
}

#endif // ATTN_DIALECT_ATTN_IR_ROWCHANGES_TD
