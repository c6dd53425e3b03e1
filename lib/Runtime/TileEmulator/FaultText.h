//===- FaultText.h - Text made in a signal handler --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_FAULTTEXT_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_FAULTTEXT_H

#include <cstddef>
#include <cstdint>

namespace attn {

/// Takes no memory and no lock; what does not fit is cut off.
class FaultText {
public:
  FaultText &operator<<(const char *text) {
    while (*text)
      put(*text++);
    return *this;
  }

  FaultText &operator<<(uint64_t number) { return putNumber(number, 10); }

  FaultText &putAddress(uint64_t address) {
    return (*this << "0x").putNumber(address, 16);
  }

  const char *getText() const { return text; }

private:
  void put(char c) {
    if (length + 1 < sizeof(text))
      text[length++] = c;
  }

  FaultText &putNumber(uint64_t number, unsigned radix) {
    char digits[20];
    unsigned count = 0;
    do {
      digits[count++] = "0123456789abcdef"[number % radix];
      number /= radix;
    } while (number);
    while (count)
      put(digits[--count]);
    return *this;
  }

  char text[224] = {};
  size_t length = 0;
};

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_FAULTTEXT_H
