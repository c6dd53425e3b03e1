"""Writes 64 numbers as arg0 and, as out0, the bits of the bf16 number nearest to each, by distances in f64."""

import sys

import numpy as np

tops = [0x0080, 0x0100, 0x3F80, 0x3F81, 0x4049, 0x7F7E, 0x7F7F, 0xBF80, 0xC2FF]
ends = [0x0000, 0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF]
bits = [(top << 16) | end for top in tops for end in ends]
bits += [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFF800001, 0xFFFFFFFF, 0x7FBFFFFF, 0x7F80FFFF, 0, 0x80000000]
x = np.array(bits, dtype=np.uint32).view(np.float32)
assert x.size == 64


def value(word):
    """What 16 bits mean; the number past the largest one is a power of two here, not infinity."""
    sign = -1.0 if word & 0x8000 else 1.0
    exponent, fraction = (word >> 7) & 0xFF, word & 0x7F
    return sign * (1 + fraction / 128) * 2.0 ** (exponent - 127) if exponent else sign * fraction * 2.0**-133


def nearest(word, number):
    if np.isnan(number):
        return word >> 16 | 0x40
    low = word >> 16
    if np.isinf(number):
        return low
    down = abs(float(number) - value(low))
    up = abs(value(low + 1) - float(number))
    return low if down < up or (down == up and low % 2 == 0) else low + 1


y = np.array([nearest(word, number) for word, number in zip(bits, x)], dtype=np.uint16).view(np.int16)
np.savez(sys.argv[1], arg0=x, out0=y)
