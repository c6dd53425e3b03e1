# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Intel's tile unit in software, for calls of compiled objects from Python (lib/Runtime/TileEmulator)."""

import ctypes


class Clones:
    """A library whose functions are the clones for one target: by their own name they would ask the processor."""

    def __init__(self, library, suffix):
        self.library, self.suffix = library, suffix

    def __getitem__(self, name):
        return self.library[name + self.suffix]


class EmulatedTiles:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.attn_tiles_begin.restype = ctypes.c_bool
        self.library.attn_tiles_end.restype = ctypes.c_uint64
        self.library.attn_tiles_end.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    @staticmethod
    def choose_clones(library, target):
        return Clones(library, "__" + target.removeprefix("cpu:").replace("-", "_"))

    def watch(self, call):
        """What a call gives; a wrong use of tiles is its fault."""
        if not self.library.attn_tiles_begin():
            raise RuntimeError("this machine has tiles of its own")
        outcome = call()
        text = ctypes.create_string_buffer(256)
        outcome.products = self.library.attn_tiles_end(text, 256)
        outcome.fault = outcome.fault or text.value.decode()
        return outcome
