//===- TileUnit.cpp - The tiles of one thread -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations as Intel's Software Developer's Manual defines them, and its
// conditions of #UD and #GP. Stricter than that: a tile that nothing has
// written since the configuration holds zeros, but no kernel means to read
// those; and none begins at another row than the first.
//
//===----------------------------------------------------------------------===//

#include "TileUnit.h"
#include <cstring>

using namespace attn;

static FaultText &putTile(FaultText &fault, unsigned tile) {
  return fault << "tmm" << tile;
}

static bool isAnySet(const uint8_t *bytes, size_t count) {
  uint8_t any = 0;
  for (size_t i = 0; i < count; ++i)
    any |= bytes[i];
  return any != 0;
}

/// Of palette 1.
static bool checkConfiguration(const TileConfiguration &given,
                               FaultText &fault) {
  if (given.palette != 1)
    return fault << "there is no palette " << given.palette, false;
  if (given.startRow != 0)
    return fault << "the start row is " << given.startRow << ", not 0", false;
  auto *bytes = reinterpret_cast<const uint8_t *>(&given);
  if (isAnySet(given.reserved, sizeof(given.reserved)) ||
      isAnySet(bytes + 32, 16) || isAnySet(bytes + 56, 8))
    return fault << "a reserved byte is not 0", false;
  for (unsigned tile = 0; tile < kNumTiles; ++tile) {
    unsigned rows = given.rows[tile], rowBytes = given.rowBytes[tile];
    if (rows > kTileRows || rowBytes > kTileRowBytes || !rows != !rowBytes)
      return putTile(fault, tile)
                 << " has " << rows << " rows of " << rowBytes << " bytes",
             false;
  }
  return true;
}

bool TileUnit::configure(const void *memory, FaultText &fault) {
  TileConfiguration given;
  std::memcpy(&given, memory, sizeof(given));
  if (given.palette == 0) {
    release();
    return true;
  }
  if (!checkConfiguration(given, fault))
    return false;
  configuration = given;
  std::memset(tiles, 0, sizeof(tiles));
  written = 0;
  ++counts.configurations;
  return true;
}

void TileUnit::adopt(const void *memory) {
  TileConfiguration given;
  std::memcpy(&given, memory, sizeof(given));
  if (std::memcmp(&given, &configuration, sizeof(given)) == 0)
    return;
  if (given.palette == 0) {
    counts.releases += isConfigured();
    return release();
  }
  configuration = given;
  std::memset(tiles, 0, sizeof(tiles));
  written = 0;
  ++counts.configurations;
}

bool TileUnit::checkConfigured(unsigned tile, FaultText &fault) const {
  if (!isConfigured())
    return fault << (wasReleased ? "the tiles were released"
                                 : "the tiles are not configured"),
           false;
  if (configuration.rows[tile] == 0)
    return putTile(fault, tile) << " is not configured", false;
  return true;
}

bool TileUnit::checkWritten(unsigned tile, FaultText &fault) const {
  if (!(written & (1u << tile)))
    return putTile(fault, tile)
               << " was not written since the tiles were configured",
           false;
  return true;
}

bool TileUnit::load(const TileInstruction &instruction,
                    const GeneralRegisters &registers, FaultText &fault) {
  unsigned tile = instruction.tile;
  if (!checkConfigured(tile, fault))
    return false;
  uint64_t at = instruction.memory.getBase(registers);
  uint64_t stride = instruction.memory.getIndex(registers);
  std::memset(&tiles[tile], 0, sizeof(Tile));
  for (unsigned row = 0; row < configuration.rows[tile]; ++row, at += stride)
    std::memcpy(tiles[tile].rows[row], reinterpret_cast<const void *>(at),
                configuration.rowBytes[tile]);
  written |= uint8_t(1u << tile);
  ++counts.loads;
  return true;
}

bool TileUnit::store(const TileInstruction &instruction,
                     const GeneralRegisters &registers, FaultText &fault) {
  unsigned tile = instruction.tile;
  if (!checkConfigured(tile, fault) || !checkWritten(tile, fault))
    return false;
  uint64_t at = instruction.memory.getBase(registers);
  uint64_t stride = instruction.memory.getIndex(registers);
  for (unsigned row = 0; row < configuration.rows[tile]; ++row, at += stride)
    std::memcpy(reinterpret_cast<void *>(at), tiles[tile].rows[row],
                configuration.rowBytes[tile]);
  ++counts.stores;
  return true;
}

bool TileUnit::checkShapes(const TileInstruction &product,
                           FaultText &fault) const {
  unsigned sums = product.tile, first = product.first, second = product.second;
  if (sums == first || sums == second || first == second)
    return fault << "a tile stands twice", false;
  for (unsigned tile : {sums, first, second})
    if (!checkConfigured(tile, fault))
      return false;
  const uint8_t *rows = configuration.rows;
  const uint16_t *rowBytes = configuration.rowBytes;
  for (unsigned tile : {sums, first, second})
    if (rowBytes[tile] % 4 != 0)
      return putTile(fault, tile)
                 << " has rows of " << rowBytes[tile] << " bytes, no pairs",
             false;
  if (rows[sums] != rows[first])
    return putTile(fault, sums) << " has " << rows[sums] << " rows, but tmm"
                                << first << " has " << rows[first],
           false;
  if (rowBytes[sums] != rowBytes[second])
    return putTile(fault, sums)
               << " has rows of " << rowBytes[sums] << " bytes, but tmm"
               << second << " has rows of " << rowBytes[second],
           false;
  if (rowBytes[first] / 4 != rows[second])
    return putTile(fault, first)
               << " has " << rowBytes[first] / 4 << " pairs a row, but tmm"
               << second << " has " << rows[second] << " rows",
           false;
  return true;
}

bool TileUnit::multiply(const TileInstruction &instruction, FaultText &fault) {
  unsigned sums = instruction.tile, first = instruction.first,
           second = instruction.second;
  if (!checkShapes(instruction, fault))
    return false;
  for (unsigned tile : {sums, first, second})
    if (!checkWritten(tile, fault))
      return false;
  TileElement type = instruction.op == TileOp::ProductBF16 ? TileElement::BF16
                                                           : TileElement::F16;
  multiplyTiles(type, tiles[sums], tiles[first], tiles[second],
                configuration.rows[sums], configuration.rowBytes[first] / 4,
                configuration.rowBytes[sums] / 4);
  ++counts.products;
  return true;
}

bool TileUnit::execute(const TileInstruction &instruction,
                       const GeneralRegisters &registers, FaultText &fault) {
  // Of what has no rows: one place.
  auto getPlace = [&] {
    return reinterpret_cast<void *>(instruction.memory.getAddress(registers));
  };
  switch (instruction.op) {
  case TileOp::LoadConfig:
    return configure(getPlace(), fault);
  case TileOp::StoreConfig:
    std::memcpy(getPlace(), &configuration, sizeof(configuration));
    return true;
  case TileOp::Release:
    counts.releases += isConfigured();
    release();
    return true;
  case TileOp::Zero:
    if (!checkConfigured(instruction.tile, fault))
      return false;
    std::memset(&tiles[instruction.tile], 0, sizeof(Tile));
    written |= uint8_t(1u << instruction.tile);
    ++counts.zeros;
    return true;
  case TileOp::Load:
  case TileOp::LoadOnce:
    return load(instruction, registers, fault);
  case TileOp::Store:
    return store(instruction, registers, fault);
  case TileOp::ProductBF16:
  case TileOp::ProductF16:
    return multiply(instruction, fault);
  }
  return false;
}
