# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m attn: what is installed here."""

import argparse
import importlib.metadata

from . import __version__, _capi, cache
from .compiler import describe_library
from .hosts import default_threads


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m attn", description="Says what is installed here.")
    parser.add_argument("--clear-cache", action="store_true", help="removes the kernels that are kept")
    if parser.parse_args().clear_cache:
        print(f"{cache.clear()} kernels removed from {cache.folder()}")
        return
    library = describe_library()
    host = library.get("host", {})
    lines = {"attn": __version__, "library": f"{library.get('version')}, {_capi.path()}", "LLVM": library.get("llvm"),
             "targets": ", ".join(library.get("targets", [])), "processor": f"{host.get('cpu')} ({host.get('isa')})",
             "features": " ".join(host.get("features", [])), "threads": default_threads(),
             "cache": f"{cache.folder()}, at most {cache.limit() >> 20} MiB",
             **{package: _version(package) for package in ("numpy", "torch", "torch-mlir", "jax", "onnx")}}
    for name, value in lines.items():
        print(f"{name + ':':<12} {value}")


if __name__ == "__main__":
    main()
