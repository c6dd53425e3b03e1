# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks a plugin for its description from a program without MLIR: load_plugin.py PLUGIN"""

import ctypes
import sys


class Info(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("name", ctypes.c_char_p), ("plugin_version", ctypes.c_char_p),
                ("register", ctypes.c_void_p)]


describe = ctypes.CDLL(sys.argv[1]).mlirGetDialectPluginInfo
describe.restype = Info
print("version", describe().version, flush=True)
