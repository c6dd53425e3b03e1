# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts a folder of exported cases into one archive: pack.py FOLDER cases.tar.xz. The same files give the same bytes."""

import lzma
import os
import sys
import tarfile


def pack(folder, archive):
    names = sorted(name for name in os.listdir(folder) if name.endswith((".mlir", ".json", ".npz")))
    # Files of one kind side by side: IR is like other IR.
    names.sort(key=lambda name: (name.rsplit(".", 1)[1], name))
    with lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = os.path.getsize(os.path.join(folder, name))
            with open(os.path.join(folder, name), "rb") as file:
                tar.addfile(entry, file)
    print(f"{len(names)} files, {os.path.getsize(archive)} bytes")


if __name__ == "__main__":
    pack(*sys.argv[1:])
