//===- TileInstruction.cpp - Instructions of AMX, decoded -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileInstruction.h"

using namespace attn;

const char *attn::getTileOpName(TileOp op) {
  switch (op) {
  case TileOp::LoadConfig:
    return "ldtilecfg";
  case TileOp::StoreConfig:
    return "sttilecfg";
  case TileOp::Release:
    return "tilerelease";
  case TileOp::Zero:
    return "tilezero";
  case TileOp::Load:
    return "tileloadd";
  case TileOp::LoadOnce:
    return "tileloaddt1";
  case TileOp::Store:
    return "tilestored";
  case TileOp::ProductBF16:
    return "tdpbf16ps";
  case TileOp::ProductF16:
    return "tdpfp16ps";
  }
  return "";
}

namespace {

/// The prefix of three bytes. R, X, B and vvvv are stored inverted.
struct VEX {
  bool r, x, b, w, l;
  uint8_t map, vvvv, pp;

  explicit VEX(const uint8_t *code)
      : r(!(code[1] & 0x80)), x(!(code[1] & 0x40)), b(!(code[1] & 0x20)),
        w(code[2] & 0x80), l(code[2] & 4), map(code[1] & 31),
        vvvv((~code[2] >> 3) & 15), pp(code[2] & 3) {}
};

/// What VEX.pp stands for.
enum Prefix : uint8_t { kNone, k66, kF3, kF2 };

constexpr uint8_t kVEX3 = 0xc4, kMap0F38 = 2;
constexpr uint8_t kConfigure = 0x49, kMove = 0x4b, kProduct = 0x5c;

} // namespace

static bool findConfigureOp(Prefix pp, const ModRM &modRM, TileOp &op) {
  if (!modRM.isMemory()) {
    op = pp == kNone ? TileOp::Release : TileOp::Zero;
    return pp == kNone ? modRM.reg == 0 && modRM.rm == 0
                       : pp == kF2 && modRM.rm == 0;
  }
  op = pp == kNone ? TileOp::LoadConfig : TileOp::StoreConfig;
  return (pp == kNone || pp == k66) && modRM.reg == 0;
}

/// Rows of memory have a SIB byte, which rm = 4 says.
static bool findMoveOp(Prefix pp, const ModRM &modRM, TileOp &op) {
  op = pp == kF2 ? TileOp::Load : pp == k66 ? TileOp::LoadOnce : TileOp::Store;
  return pp != kNone && modRM.isMemory() && modRM.rm == 4;
}

static bool findProductOp(Prefix pp, const ModRM &modRM, TileOp &op) {
  op = pp == kF3 ? TileOp::ProductBF16 : TileOp::ProductF16;
  return (pp == kF3 || pp == kF2) && !modRM.isMemory();
}

static bool findOp(uint8_t opcode, Prefix pp, const ModRM &modRM, TileOp &op) {
  switch (opcode) {
  case kConfigure:
    return findConfigureOp(pp, modRM, op);
  case kMove:
    return findMoveOp(pp, modRM, op);
  case kProduct:
    return findProductOp(pp, modRM, op);
  default:
    return false;
  }
}

bool attn::decodeTileInstruction(const uint8_t *code,
                                 TileInstruction &decoded) {
  if (code[0] != kVEX3)
    return false;
  VEX vex(code);
  if (vex.map != kMap0F38 || vex.w || vex.l)
    return false;
  uint8_t opcode = code[3];
  if (opcode != kConfigure && opcode != kMove && opcode != kProduct)
    return false;
  ModRM modRM(code[4]);
  decoded = TileInstruction();
  if (!findOp(opcode, Prefix(vex.pp), modRM, decoded.op))
    return false;
  // There are eight tiles, so that nothing extends the number of one.
  bool isProduct = opcode == kProduct;
  if (vex.r || (isProduct ? vex.vvvv > 7 || vex.b : vex.vvvv != 0))
    return false;
  decoded.tile = modRM.reg;
  if (isProduct) {
    decoded.first = modRM.rm;
    decoded.second = vex.vvvv;
  }
  const uint8_t *end = code + 5;
  if (modRM.isMemory())
    end = decodeMemory(end, modRM, vex.x, vex.b, /*unit=*/1, decoded.memory);
  decoded.length = decoded.memory.length = uint8_t(end - code);
  return true;
}
