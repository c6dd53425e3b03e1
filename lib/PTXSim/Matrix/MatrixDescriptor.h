//===- MatrixDescriptor.h - Operands of wgmma in shared memory --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_MATRIXDESCRIPTOR_H
#define ATTN_LIB_PTXSIM_MATRIX_MATRIXDESCRIPTOR_H

#include <cstdint>
#include <string>

namespace attn::ptx {

/// The 64-bit matrix descriptor of wgmma (PTX ISA, "Asynchronous warpgroup
/// level matrix instructions", shared memory matrix layout).
///
/// Memory is made of core matrices of 8 rows of 16 bytes. `majorBytes` below
/// is the offset along the dimension that is contiguous in memory (k if the
/// operand is K-major, else the row of A or column of B), `minor` the index
/// along the other one. With an atom width W of 16 (no swizzle), 32, 64 or 128
/// bytes, eight minor lines of W bytes lie one after the other; then
///   K-major, W = 16:   16-byte columns LBO apart, groups of 8 lines SBO apart;
///   K-major, swizzled: groups of 8 lines SBO apart, LBO unused;
///   MN-major, W = 16:  16-byte columns SBO apart, groups of 8 lines LBO apart;
///   MN-major, swizzled: atoms of W bytes LBO apart, groups of 8 lines SBO.
struct MatrixDescriptor {
  enum class Layout : uint8_t { None = 0, B128 = 1, B64 = 2, B32 = 3 };

  uint32_t start = 0;         ///< Bytes; 18 bits.
  uint32_t leadingOffset = 0; ///< LBO, bytes.
  uint32_t strideOffset = 0;  ///< SBO, bytes.
  uint32_t baseOffset = 0;    ///< 0 to 7.
  Layout layout = Layout::None;
  bool reservedBits = false; ///< Some bit that has no meaning is set.

  static MatrixDescriptor decode(uint64_t bits);

  /// Bytes of one line of an atom.
  uint32_t atomBytes() const;

  uint8_t swizzleBytes() const {
    return layout == Layout::None ? 0 : uint8_t(atomBytes());
  }

  /// Why the descriptor cannot be that of an operand with this many bytes along
  /// the dimension that is contiguous in memory; empty if it can.
  std::string check(bool kMajor, uint32_t majorBytes) const;

  /// Shared-memory address of the 16-byte piece that holds the byte at
  /// (`minor`, `majorBytes`), which must be a multiple of 16.
  uint32_t address(bool kMajor, uint32_t minor, uint32_t majorBytes) const;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_MATRIXDESCRIPTOR_H
