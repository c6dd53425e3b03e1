# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a function for a GPU as users do, and runs the object, with its launcher, on the driver that is found.

    PYTHONPATH=benchmarks/gpu_suite run_object.py --bin=BUILD/bin --cc=CC FILE.mlir [--entry=NAME] [--sizes=n0:23,...]

Arguments are random; integers are 5. Results and what is updated in place have to
have the bits that attn-run gives in the simulator, where they are compared with the
reference. Memory of results holds nothing before. A second call gives the same.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys

import numpy as np

import program


def make_arguments(entry, sizes):
    """An array for each input, by what the metadata says of it."""
    rng, arrays = np.random.default_rng(3), []
    for described in entry["inputs"]:
        shape = [sizes[size] if isinstance(size, str) else size for size in described["shape"]]
        if described["dtype"].startswith(("i", "u")):
            arrays.append(np.full(shape, 5, program.DTYPES[described["dtype"]][2]))
        else:
            arrays.append((0.3 * rng.standard_normal(shape)).astype(program.DTYPES[described["dtype"]][2]))
    return arrays


def call(driver, function, entry, arguments, shapes):
    """All results in order, those of inputs that are updated among them."""
    results, tensors, addresses = {}, [], []
    for described, array in zip(entry["inputs"], arguments):
        addresses.append(driver.upload(array))
        tensors.append(program.DLTensor(addresses[-1], described["dtype"], array.shape))
        if "updated_to_result" in described:
            results[described["updated_to_result"]] = addresses[-1], np.empty_like(array)
    numbers = iter(number for number in range(len(shapes)) if number not in results)
    context = driver.context.contents
    for described, number in zip(entry["outputs"], numbers):
        result = np.empty(shapes[number], program.DTYPES[described["dtype"]][2])
        addresses.append(context.alloc(context.host, result.nbytes, 256))
        tensors.append(program.DLTensor(addresses[-1], described["dtype"], result.shape))
        results[number] = addresses[-1], result
    driver.check(function(driver.context, *[ctypes.byref(tensor) for tensor in tensors]))
    for address, result in results.values():
        driver.download(address, result)
    for address in addresses:
        driver.free(address)
    driver.wait()  # says what the simulator has found
    return [results[number][1] for number in sorted(results)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--target", default="nvptx:sm_80")
    parser.add_argument("--entry", default="")
    parser.add_argument("--sizes", default="", help="of dimensions that the metadata has names for")
    parser.add_argument("--directory", default=".")
    parser.add_argument("file")
    args = parser.parse_args()
    stem = os.path.join(args.directory, "object")
    chosen = [args.file, f"--target={args.target}"] + ([f"--entry={args.entry}"] if args.entry else [])
    subprocess.run([f"{args.bin}/attn-compile", *chosen, "-o", stem], check=True)
    subprocess.run([args.cc, "-shared", "-fPIC", stem + "_launcher.c", stem + ".o", "-ldl", "-lm", "-o", stem + ".so"],
                   check=True)
    with open(stem + ".json", encoding="utf-8") as file:
        entry = json.load(file)["entries"][0]
    sizes = {name: int(size) for name, _, size in (part.partition(":") for part in args.sizes.split(",") if part)}
    arguments = make_arguments(entry, sizes)
    np.savez(stem + ".npz", **{f"arg{i}": array for i, array in enumerate(arguments)})
    subprocess.run([f"{args.bin}/attn-run", *chosen, "--simulate", "--check", f"--inputs={stem}.npz",
                    f"--output={stem}.out.npz"], check=True)
    with np.load(stem + ".out.npz") as file:
        expected = [file[f"out{i}"] for i in range(len(file.files))]
    driver = program.Driver(os.path.abspath(stem + ".so"))
    function = getattr(ctypes.CDLL(os.path.abspath(stem + ".so")), entry["name"])
    for times in ("once", "twice"):
        results = call(driver, function, entry, arguments, [array.shape for array in expected])
        for number, (result, wanted) in enumerate(zip(results, expected)):
            if result.tobytes() != wanted.tobytes():
                sys.exit(f"{entry['name']}, called {times}: result {number} has other bits than in the simulator")
    driver.close()
    print(f"{entry['name']}: {len(expected)} results, the same bits in two calls")


if __name__ == "__main__":
    main()
