#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds every include of lib/ and include/ against the order of utils/layers.txt.

An include that points to a folder further down in that file is an error, and so is
a file that no line covers. With an order that all includes follow, folders form no
circle. Exit code 1 on any error.

  utils/check-layers.py                 this project
  utils/check-layers.py --root=DIR      another tree with utils/layers.txt, lib and include
"""

import argparse
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = (".h", ".cpp", ".c", ".def", ".in", ".td")


def read_layers(path):
    """Prefix of a path below lib/ or include/attn/ -> (rank, name of the folder)."""
    layers = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            names = line.split("#")[0].split()
            for name in names:
                if name in layers:
                    sys.exit(f"{path}: {name} stands there twice")
                layers[name] = (len(layers), names[0])
    # Headers that lie elsewhere have the rank of their folder.
    return {name: (layers[folder][0], folder) for name, (_, folder) in layers.items()}


def strip_root(path):
    return re.sub(r"^(lib|include/attn)/", "", path)


def find_layer(path, layers):
    """The layer of a file: that of its longest prefix, if there is one."""
    name = strip_root(path)
    while name:
        if name in layers:
            return layers[name]
        name = os.path.dirname(name)
    return None


def list_files(root):
    for top in ("lib", "include/attn"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(SOURCES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def resolve(root, file, name):
    """The file of this project that an include names; nothing for others' and generated ones."""
    beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
    for path in (beside, os.path.join("include", name), os.path.join("lib", name)):
        if path.startswith(("lib/", "include/attn/")) and os.path.isfile(os.path.join(root, path)):
            return path
    return None


def check_file(root, file, layers):
    """Errors of one file, each with its line."""
    own = find_layer(file, layers)
    if own is None:
        return [f"{file}: no line of utils/layers.txt covers it; add its folder there"]
    errors = []
    with open(os.path.join(root, file), encoding="utf-8") as stream:
        text = stream.read()
    for match in INCLUDE.finditer(text):
        included = resolve(root, file, match.group(1))
        layer = included and find_layer(included, layers)
        if layer and layer[0] > own[0]:
            line = text.count("\n", 0, match.start(1)) + 1
            errors.append(f"{file}:{line}: {own[1]} includes {included} of {layer[1]}, which stands above it: "
                          "move what both need down, or pass it in")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    root = parser.parse_args().root
    layers = read_layers(os.path.join(root, "utils", "layers.txt"))
    files = sorted(list_files(root))
    errors = [error for file in files for error in check_file(root, file, layers)]
    for error in errors:
        print(error, file=sys.stderr)
    if not errors:
        print(f"{len(files)} files, {len({layer[1] for layer in layers.values()})} layers: each include points down")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
