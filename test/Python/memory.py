# REQUIRES: attn_python, full
# RUN: %attn-python %s 300
"""Memory stays flat over so many compilations of different small kernels, which are called, saved, loaded and refused."""

import gc
import resource
import sys

import numpy as np

import attn

COUNT = int(sys.argv[1])
#: Allocators do not give all back at once. A leak of 10 kB a compilation is more.
LIMIT = 4 << 20
TEXT = """func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %c = arith.constant dense<{0}.0> : tensor<4x8xf32>
  %y = arith.addf %x, %c : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}}"""
x = np.zeros((4, 8), np.float32)


def resident() -> int:
    """Bytes."""
    gc.collect()
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


before = 0
for k in range(COUNT):
    if k == COUNT // 5:
        before = resident()
    f = attn.compile(TEXT.format(k), cache=False)
    assert f(x)[0, 0] == k
    if k % 10 == 0:
        assert attn.Kernel.from_bytes(f.kernel.to_bytes())(x)[3, 7] == k
        f.module.report()
        try:
            attn.compile(TEXT.format("x"), cache=False)
            raise SystemExit("a number that is none")
        except attn.CompileError:
            pass
grown = resident() - before
print(f"{COUNT - COUNT // 5} compilations: {grown / 1e6:.1f} MB more")
assert grown < LIMIT, grown
