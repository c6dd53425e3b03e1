# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast a kernel could be on this machine: attention by hand, on one core.

The sources lie in ceilings/ and are compiled for the machine at first use. f32
needs AVX-512; bf16, and products of f32 in parts of bf16, need AMX. Operands lie
on small pages, as ours do, but for `ceiling-large-pages`.

  python3 ceiling_peer.py --check      # the error of each kernel against f64
"""

import atexit
import ctypes
import functools
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from protocol import measure, serve

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = ("clang++", "clang++-22", "/usr/lib/llvm-22/bin/clang++", "g++")
VECTOR_FLAGS = {"avx512f", "avx512bw", "avx512dq", "avx512vl"}
TILE_FLAGS = {"amx_tile", "amx_bf16", "avx512_bf16"}
PARTS = {"bf16x3": 2, "bf16x6": 3}


class Problem(ctypes.Structure):
    """The same as in ceilings/Support.h."""
    _fields_ = [(name, ctypes.c_long) for name in ("heads", "rows", "keys", "depth")] + [("causal", ctypes.c_bool)]


@functools.cache
def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((set(line.split()) for line in file if line.startswith("flags")), set())


@functools.cache
def library():
    """The kernels, compiled; those of AMX are left out where there is none."""
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if not compiler:
        raise RuntimeError("no C++ compiler for the hand-written kernels")
    sources = sorted(glob.glob(os.path.join(HERE, "ceilings", "*.cpp")))
    if not TILE_FLAGS <= cpu_flags():
        sources = [source for source in sources if not os.path.basename(source).startswith("Tiles")]
    directory = tempfile.mkdtemp(prefix="ceilings-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = os.path.join(directory, "ceilings.so")
    command = [compiler, "-std=c++17", "-O3", "-march=native", "-mprefer-vector-width=512", "-shared", "-fPIC",
               *sources, "-o", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    loaded = ctypes.CDLL(path)
    loaded.ceilingOperand.restype = ctypes.c_void_p
    loaded.ceilingOperand.argtypes = (ctypes.c_long, *[ctypes.c_int] * 3, ctypes.c_float)
    loaded.ceilingFree.argtypes = (ctypes.c_void_p,)
    loaded.ceilingError.restype = ctypes.c_double
    loaded.ceilingError.argtypes = (ctypes.POINTER(Problem), *[ctypes.c_void_p] * 4, ctypes.c_int)
    return loaded


def select_kernel(case):
    """Name and further arguments of the kernel for a case."""
    dtype, products = case.get("dtype", "f32"), case.get("products", "")
    if case["threads"] != 1:
        raise NotImplementedError("one thread only")
    if case.get("Hkv", case["H"]) != case["H"]:
        raise NotImplementedError("no kernel for grouped queries")
    if not VECTOR_FLAGS <= cpu_flags():
        raise NotImplementedError("this machine has no AVX-512")
    if (dtype, products) == ("f32", ""):
        return "ceilingF32", ()
    if not TILE_FLAGS <= cpu_flags():
        raise NotImplementedError("this machine has no AMX")
    if (dtype, products) == ("bf16", ""):
        return "ceilingBF16", ()
    if dtype == "f32" and products in PARTS:
        return "ceilingParts", (PARTS[products],)
    raise NotImplementedError(f"no kernel for {dtype} {products}".rstrip())


class Ceiling:
    """A case with its operands: calling it runs the kernel. Queries may be so large that maxima rise on the way."""

    def __init__(self, case, query_deviation=1.0):
        name, self.more = select_kernel(case)
        self.library = library()
        self.kernel = getattr(self.library, name)
        self.kernel.restype = ctypes.c_char_p
        self.problem = Problem(case["B"] * case["H"], case["M"], case["N"], case["d"], case["causal"])
        self.narrow = case.get("dtype", "f32") == "bf16"
        rows, keys = (self.problem.heads * count * case["d"] for count in (case["M"], case["N"]))
        large = case.get("peer") == "ceiling-large-pages"
        deviations = (query_deviation, 1.0, 1.0, 0.0)
        self.operands = [ctypes.c_void_p(self.library.ceilingOperand(count, self.narrow, large, seed, deviation))
                         for seed, (count, deviation) in enumerate(zip((rows, keys, keys, rows), deviations))]

    def __del__(self):
        for operand in getattr(self, "operands", ()):
            self.library.ceilingFree(operand)

    def __call__(self):
        missing = self.kernel(ctypes.byref(self.problem), *self.operands, *self.more)
        if missing:
            raise NotImplementedError(missing.decode())

    def error(self):
        self()
        return self.library.ceilingError(ctypes.byref(self.problem), *self.operands, self.narrow)


def check_case(case):
    """One line: the errors with usual and with high scores, and the speed."""
    causal = "causal" if case["causal"] else ""
    name = f"{case['dtype']:5}{case['products']:7}{causal:7} d={case['d']:<4} M={case['M']:<5} N={case['N']:<5}"
    try:
        high = Ceiling(case, 8.0).error()
        ceiling = Ceiling(case)
        error, times = ceiling.error(), measure(ceiling, 0.3)
    except (NotImplementedError, RuntimeError) as missing:
        print(f"{name} {missing}")
        return
    pairs = case["M"] * ((case["N"] + 1) / 2 if causal else case["N"])
    gigaflops = 4e-9 * case["B"] * case["H"] * case["d"] * pairs
    print(f"{name} error {error:.1e}, high scores {high:.1e}  {gigaflops / times['median']:6.1f} median "
          f"{gigaflops / times['best']:6.1f} best GFLOP/s", flush=True)


def check():
    kinds = (("f32", ""), ("bf16", ""), ("f32", "bf16x3"), ("f32", "bf16x6"))
    for dtype, products in kinds:
        for causal in (False, True):
            for d in (64, 128):
                # The small case has tails of rows, and of blocks of keys.
                for M, N in ((224 if causal else 208, 224), (512, 512), (2048, 2048)):
                    check_case({"B": 1, "H": 2, "M": M, "N": N, "d": d, "dtype": dtype, "products": products,
                                "causal": causal, "threads": 1})


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        check()
    else:
        serve({"ceiling": Ceiling, "ceiling-large-pages": Ceiling})
