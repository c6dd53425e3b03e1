//===- SharedMatrix.cpp - A or B of a wgmma in shared memory --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/SharedMatrix.h"

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Matrix/Wgmma.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

namespace attn::ptx {

/// Joins the pieces that lie side by side.
void SharedMatrix::addRanges(uint32_t rank) {
  std::vector<uint32_t> sorted = pieces;
  std::sort(sorted.begin(), sorted.end());
  for (uint32_t piece : sorted) {
    // What is not an offset would name another CTA.
    piece = std::min<uint32_t>(piece, (1u << 24) - 16);
    uint64_t address = uint64_t(rank) << 24 | piece;
    if (!ranges.empty() &&
        ranges.back().address + ranges.back().bytes >= address)
      ranges.back().bytes = address + 16 - ranges.back().address;
    else
      ranges.push_back({MemSpace::Shared, address, 16});
  }
}

static std::string swizzleName(uint8_t width) {
  return width ? "a swizzle of " + std::to_string(width) + " bytes"
               : "no swizzle";
}

void SharedMatrix::checkSwizzle(Exec &x, const Inst &inst,
                                uint8_t width) const {
  for (const ByteRange &range : ranges) {
    uint8_t wrote = width;
    uint32_t line = memoryOf(x).otherSwizzle(range, wrote);
    if (!line)
      continue;
    x.cluster.diagnostics.report(
        FindingKind::BadDescriptor, &x.warp, 0, inst.line,
        std::string("The descriptor of ") + name + " says " +
            swizzleName(width) + ", but the tensor copy of line " +
            std::to_string(line) + " wrote the matrix with " +
            swizzleName(wrote) + ".",
        line);
    return;
  }
}

bool SharedMatrix::open(Exec &x, const Inst &inst, uint64_t bits,
                        Operation &op) {
  MatrixDescriptor descriptor = MatrixDescriptor::decode(bits);
  std::string problem = descriptor.check(kMajor, kMajor ? 32 : allRows * 2);
  if (!problem.empty()) {
    x.fault(inst, FindingKind::BadDescriptor,
            "The descriptor 0x" + llvm::utohexstr(bits, /*LowerCase=*/true) +
                " of " + name + " is not legal: " + problem + ".");
    return false;
  }
  pieces = operandPieces(descriptor, kMajor, first, rows);
  addRanges(x.cta.rank);
  Issuer who = issuerOf(x, inst, 0, Proxy::Async);
  if (!memoryOf(x).checkReads(who, ranges, writers))
    return false;
  checkSwizzle(x, inst, descriptor.swizzleBytes());
  for (const ByteRange &r : ranges) {
    Operation::Range range;
    static_cast<ByteRange &>(range) = r;
    op.reads.push_back(range);
  }
  return true;
}

bool SharedMatrix::check(Exec &x, const Inst &inst) const {
  Issuer who = issuerOf(x, inst, 0, Proxy::Async);
  if (memoryOf(x).comesAfter(who, writers))
    return true;
  for (const ByteRange &range : ranges)
    if (!memoryOf(x).checkRange(who, range, /*write=*/false))
      return false;
  return true;
}

void SharedMatrix::read(const uint8_t *shared) {
  if (!elements.empty())
    return;
  std::vector<uint8_t> bytes(pieces.size() * 16);
  uint8_t *to = bytes.data();
  for (uint32_t piece : pieces) {
    std::memcpy(to, shared + (piece - kSharedBase), 16);
    to += 16;
  }
  elements = name == 'A' ? decodeRows(type, kMajor, rows, k, bytes)
                         : decodeColumns(type, kMajor, rows, k, bytes);
}

} // namespace attn::ptx
