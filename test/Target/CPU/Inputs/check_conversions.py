"""Makes numbers that are hard to round, and compares a kernel's f16 and bf16
with exact rounding.  usage: check_conversions.py write IN | check IN OUT"""

import sys

import numpy as np


def make_inputs():
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)].astype(np.float64)
    # Every half, every middle between two of them, and the doubles and floats
    # next to each.
    middles = (np.sort(finite)[1:] + np.sort(finite)[:-1]) / 2
    exact = np.concatenate([finite, middles, [65520.0, -65520.0, 65519.999, 1e6]])
    singles = exact.astype(np.float32)
    singles = np.concatenate(
        [singles, np.nextafter(singles, np.float32(1e30)), np.nextafter(singles, np.float32(-1e30))]
    )
    doubles = np.concatenate([exact, np.nextafter(exact, 1e300), np.nextafter(exact, -1e300)])
    special = [np.nan, np.inf, -np.inf]
    # Floats near the largest, which round to infinity, and ties of bf16.
    bits = np.random.default_rng(0).integers(0x00800000, 0x7F800000, 200000, dtype=np.uint32)
    bits[::2] = (bits[::2] & 0xFFFF0000) | 0x8000
    ties = bits.view(np.float32)
    singles = np.concatenate([singles, ties, -ties, special]).astype(np.float32)
    wide = ties.astype(np.float64)
    doubles = np.concatenate(
        [doubles, wide, np.nextafter(wide, 0), np.nextafter(wide, 1e300), -wide, special]
    )
    return halves, singles, doubles


def round_to_bf16(values):
    """Nearest of the two neighbours, ties to the even one. A double has more
    bits than any sum or difference here needs."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    low = (single.view(np.uint32) & 0x7FFF0000).astype(np.int64)
    magnitude = np.abs(values.astype(np.float64))
    as_double = lambda b: np.where(
        b >= 0x7F800000, 2.0**128, (b.astype(np.uint32)).view(np.float32).astype(np.float64)
    )
    below = np.where(as_double(low) > magnitude, low - 0x10000, low)
    above = below + 0x10000
    down = magnitude - as_double(below)
    up = as_double(above) - magnitude
    result = np.where((down < up) | ((down == up) & ((below >> 16) % 2 == 0)), below, above)
    result = np.where(np.isinf(values), 0x7F800000, result)
    return ((result >> 16) | np.where(np.signbit(values), 0x8000, 0)).astype(np.uint16)


def check(name, got, expected, source):
    """Denormal results may be zero, and any NaN is as good as another."""
    nan = np.isnan(source)
    wrong = (got != expected) & ~nan
    print(f"{name}: {len(source)} values, {int(wrong.sum())} wrong")
    for i in np.flatnonzero(wrong)[:4]:
        print(f"  {source[i]!r}: got {got[i]:#x}, expected {expected[i]:#x}")


def main():
    halves, singles, doubles = make_inputs()
    if sys.argv[1] == "write":
        np.savez(sys.argv[2], arg0=halves, arg1=singles, arg2=doubles)
        return
    out = np.load(sys.argv[3])
    check("half to float", out["out0"].view(np.uint32), halves.astype(np.float32).view(np.uint32), halves)
    with np.errstate(over="ignore", invalid="ignore"):
        for name, source, half, bf16 in (("float", singles, "out1", "out2"), ("double", doubles, "out3", "out4")):
            check(f"{name} to half", out[half].view(np.uint16), source.astype(np.float16).view(np.uint16), source)
            normal = ~(np.abs(source) < 2.0**-126)
            check(f"{name} to bf16", out[bf16][normal], round_to_bf16(source)[normal], source[normal])
            assert np.isnan(out[half][np.isnan(source)]).all()
            assert ((out[bf16][np.isnan(source)] & 0x7FFF) > 0x7F80).all()


main()
