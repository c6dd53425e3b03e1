//===- VectorFrame.h - Vectors of a thread that a signal stopped -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_VECTORFRAME_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_VECTORFRAME_H

#include <cstdint>

namespace attn {

struct alignas(64) VectorBytes {
  uint8_t bytes[64];
};

/// The registers of AVX-512 as Linux saved them (XSAVE) and will load them
/// again. A part that was zero altogether is not saved: it is made so here.
class VectorFrame {
public:
  /// `saved` is uc_mcontext.fpregs.
  explicit VectorFrame(void *saved) : saved(static_cast<uint8_t *>(saved)) {}

  VectorBytes read(unsigned number);
  void write(unsigned number, const VectorBytes &value);
  uint64_t readMask(unsigned number);
  /// The 64 bytes of LDTILECFG.
  const uint8_t *getTileConfiguration();

private:
  /// Where `bytes` bytes of a register lie, of a part of the state that has as
  /// many of each of its registers.
  uint8_t *find(unsigned part, unsigned number, unsigned bytes);
  template <typename Visit> void visit(unsigned number, Visit visitPart);

  uint8_t *saved;
};

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_VECTORFRAME_H
