#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the corpus again: kernels/*.cu, llvm.c and the Triton kernels to ptx/*.ptx.xz.

  make_corpus.py [--nvcc=NVCC] [--cutlass=CHECKOUT] [--triton=PYTHON] [--clang=CLANG] [--unpinned] [only...]

Parts whose compiler is not given are left as they are. No GPU is needed. The tests need
none of this: they read the committed files. A compiler of another version than the one
that made them (PINNED, README.md) is refused, unless --unpinned moves the corpus to it.
"""

import argparse
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels")
OWN = {"basic": "sm_80", "mma80": "sm_80", "tma90": "sm_90a", "wgmma90": "sm_90a"}
LLVM = {"llvm_80": ["-Xclang", "sm_80"], "llvm_90": ["-Xclang", "sm_90a", "-DSM90"]}
PINNED = {"nvcc": "13.0.88", "cutlass": "4.7.0", "triton": "3.9.0", "clang": "22.1.8"}
CUTLASS = {"cutlass_gemm": ([], (128, 192, 256)),
           "cutlass_gemm_pingpong": (["-DPINGPONG", "-DCLUSTER_M=2"], (256, 192, 256))}


def output_of(command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"make_corpus.py: error: {' '.join(command)}: {error}")


def version_of(tool, where):
    """What the tool says of itself, "unknown" if it says nothing."""
    if tool == "nvcc":
        found = re.search(r"\bV(\d+\.\d+\.\d+)", output_of([where, "--version"]))
    elif tool == "clang":
        found = re.search(r"clang version (\d+\.\d+\.\d+)", output_of([where, "--version"]))
    elif tool == "triton":
        found = re.search(r"(\S+)", output_of([where, "-c", "import triton; print(triton.__version__)"]))
    else:
        header = os.path.join(where, "include", "cutlass", "version.h")
        try:
            with open(header, encoding="utf-8") as file:
                parts = re.findall(r"#define CUTLASS_(?:MAJOR|MINOR|PATCH) (\d+)", file.read())
        except OSError as error:
            sys.exit(f"make_corpus.py: error: {header}: {error.strerror}")
        return ".".join(parts) or "unknown"
    return found.group(1) if found else "unknown"


def check_pins(options):
    for tool, pinned in PINNED.items():
        where = getattr(options, tool)
        version = version_of(tool, where) if where else pinned
        if version != pinned and not options.unpinned:
            sys.exit(f"make_corpus.py: error: --{tool}={where} is version {version}, and the corpus is made with {pinned}; "
                     "--unpinned makes it anew with another version (then change PINNED and README.md too)")


def save(name, text):
    # Paths of the machine that compiled it are nobody's business.
    text = re.sub(r'(\.file\s+\d+\s+")[^"]*/', r"\1", text)
    text = re.sub(r'(\.file\s+\d+\s+")[^"]*" "', r"\1", text)
    with open(os.path.join(HERE, "ptx", name + ".ptx.xz"), "wb") as file:
        file.write(lzma.compress(text.encode(), preset=9))


def compile_ptx(nvcc, source, arch, options, directory):
    output = os.path.join(directory, "out.ptx")
    subprocess.run([nvcc, "-ptx", "-std=c++17", f"-arch={arch}", *options, source, "-o", output], check=True)
    with open(output, encoding="utf-8") as file:
        return file.read()


def find_maps(block):
    """Offsets of the marks that the host program's tensor maps leave, by number."""
    found, at = {}, 0
    while at + 128 <= len(block):
        part = block[at:at + 128]
        # CUTLASS itself clears one bit in byte 10 of a map.
        if all(byte == 0xEE for i, byte in enumerate(part[:127]) if i != 10):
            found[part[127]] = at
            at += 128
        else:
            at += 1
    return found


def cutlass_block(nvcc, source, options, problem, directory):
    program = os.path.join(directory, "host")
    subprocess.run([nvcc, "-std=c++17", "-arch=sm_90a", *options, source, "-o", program], check=True)
    printed = subprocess.run([program, *map(str, problem)], check=True, capture_output=True, text=True).stdout
    described = json.loads(printed)
    block = bytearray.fromhex(described["bytes"])
    offsets = find_maps(block)
    for index, entry in enumerate(described["maps"]):
        entry["tensor"] = (entry.pop("address") >> 40) - 1  # a, b, c, d
        entry["offset"] = offsets[index]
        block[offsets[index]:offsets[index] + 128] = bytes(128)
    described["bytes"] = block.hex()
    described["problem"] = problem
    return described


def make_cutlass(nvcc, cutlass, name):
    options, problem = CUTLASS[name]
    options = options + ["--expt-relaxed-constexpr", "-DNDEBUG", "-DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL=1",
                         f"-I{cutlass}/include", f"-I{cutlass}/tools/util/include"]
    source = os.path.join(KERNELS, "cutlass90.cu")
    with tempfile.TemporaryDirectory() as directory:
        save(name, compile_ptx(nvcc, source, "sm_90a", options, directory))
        described = cutlass_block(nvcc, source, options, problem, directory)
    with open(os.path.join(HERE, "ptx", name + ".json"), "w", encoding="utf-8") as file:
        json.dump(described, file, indent=1)
        file.write("\n")


def make_llvm(clang, name):
    command = [clang, "--target=nvptx64-nvidia-cuda", "-nocudalib", "-nogpulib", "-O2", "-S", "-ffp-contract=fast",
               "-Xclang", "-target-cpu", *LLVM[name], os.path.join(KERNELS, "llvm.c"), "-o", "-"]
    save(name, output_of(command))


def make_triton(python, only):
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "TRITON_CACHE_DIR": os.path.join(directory, "cache")}
        script = os.path.join(KERNELS, "triton_kernels.py")
        subprocess.run([python, script, directory], check=True, env=environment)
        for entry in sorted(os.listdir(directory)):
            name, extension = os.path.splitext(entry)
            if extension == ".ptx" and (not only or name in only):
                with open(os.path.join(directory, entry), encoding="utf-8") as file:
                    save(name, file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc")
    parser.add_argument("--cutlass")
    parser.add_argument("--triton")
    parser.add_argument("--clang")
    parser.add_argument("--unpinned", action="store_true")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    check_pins(options)
    for name in LLVM:
        if options.clang and (not options.only or name in options.only):
            make_llvm(options.clang, name)
    for name, arch in OWN.items():
        if options.nvcc and (not options.only or name in options.only):
            with tempfile.TemporaryDirectory() as directory:
                save(name, compile_ptx(options.nvcc, os.path.join(KERNELS, name + ".cu"), arch, [], directory))
    for name in CUTLASS:
        if options.nvcc and options.cutlass and (not options.only or name in options.only):
            make_cutlass(options.nvcc, options.cutlass, name)
    if options.triton:
        make_triton(options.triton, options.only)


if __name__ == "__main__":
    main()
