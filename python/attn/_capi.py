# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libattn by ctypes: include/attn-c/attn.h, declaration by declaration."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from .errors import LibraryError

#: ATTN_C_API_VERSION that these declarations were written for.
API_VERSION = 1


class DLTensor(Structure):
    """DLPack's, with device and type as the numbers that they are."""

    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class RawMessage(Structure):
    _fields_ = [("severity", c_int), ("id", c_char_p), ("text", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("column", c_uint32)]


ON_MESSAGE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(RawMessage))
ON_PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
ON_PHASE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_size_t)


class CompilerOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("user", c_void_p), ("on_message", ON_MESSAGE), ("on_progress", ON_PROGRESS)]


class CompileOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("entry", c_char_p), ("name", c_char_p),
                ("threads", c_int32), ("portable", c_int32), ("no_inner_checks", c_int32), ("on_phase", ON_PHASE),
                ("user", c_void_p), ("profile", c_int32), ("page", c_int32)]


class PageOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("title", c_char_p), ("summary", c_char_p), ("source", c_char_p)]


#: Name: result, arguments. A pointer to a pointer that is written is a `c_void_p *`.
_OUT = POINTER(c_void_p)
_FUNCTIONS = {
    "attn_buffer_data": (c_void_p, c_void_p),
    "attn_buffer_size": (c_size_t, c_void_p),
    "attn_buffer_destroy": (None, c_void_p),
    "attn_api_version": (c_uint32,),
    "attn_version_text": (c_char_p,),
    "attn_describe_library": (c_int, _OUT),
    "attn_compiler_create": (c_int, POINTER(CompilerOptions), _OUT),
    "attn_compiler_destroy": (None, c_void_p),
    "attn_compiler_error": (c_char_p, c_void_p),
    "attn_compiler_cancel": (None, c_void_p),
    "attn_module_parse": (c_int, c_void_p, c_char_p, c_size_t, c_char_p, _OUT),
    "attn_module_load": (c_int, c_void_p, c_char_p, _OUT),
    "attn_module_clone": (c_int, c_void_p, _OUT),
    "attn_module_destroy": (None, c_void_p),
    "attn_module_run": (c_int, c_void_p, c_char_p),
    "attn_module_print": (c_int, c_void_p, c_int, _OUT),
    "attn_module_describe": (c_int, c_void_p, _OUT),
    "attn_module_report": (c_int, c_void_p, c_int, _OUT),
    "attn_module_interpret": (c_int, c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_size_t),
    "attn_artifact_create": (c_int, c_void_p, POINTER(CompileOptions), _OUT),
    "attn_artifact_destroy": (None, c_void_p),
    "attn_artifact_get": (c_int, c_void_p, c_int, c_char_p, _OUT),
    "attn_kernel_create": (c_int, c_void_p, POINTER(CompileOptions), _OUT),
    "attn_kernel_destroy": (None, c_void_p),
    "attn_kernel_save": (c_int, c_void_p, _OUT),
    "attn_kernel_load": (c_int, c_void_p, c_char_p, c_size_t, _OUT),
    "attn_kernel_describe": (c_char_p, c_void_p),
    "attn_kernel_profile_begin": (c_int, c_void_p),
    "attn_kernel_profile": (c_int, c_void_p, c_uint64, _OUT),
    "attn_kernel_page": (c_int, c_void_p, POINTER(PageOptions), _OUT),
    "attn_kernel_entry": (c_void_p, c_void_p, c_char_p),
    "attn_host_create": (c_int, c_int32, _OUT),
    "attn_host_context": (c_void_p, c_void_p),
    "attn_host_destroy": (None, c_void_p),
}
#: Called at each call of a kernel, with ctypes objects as they are: conversions cost half a microsecond.
_FAST = ("attn_entry_call", "attn_entry_call_held", "attn_entry_shapes", "attn_entry_shapes_held", "attn_tensors_view")
_library = None


def _find() -> str:
    """The library's path: ATTN_LIBRARY, or beside this file."""
    named = os.environ.get("ATTN_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "lib", "libattn.so")
    if os.path.exists(path):
        return path
    raise LibraryError(f"there is no {path}: install the wheel, or set ATTN_LIBRARY to the libattn.so of a build")


def _declare(library) -> None:
    for name, (result, *arguments) in _FUNCTIONS.items():
        # What a library lacks is an error where it is called.
        function: Any = getattr(library, name, None) or _Missing(name)
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    for name in _FAST:
        function = getattr(library, name, None)
        if function is not None:
            function.restype = c_int


class _Missing:
    restype = argtypes = None

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *_):
        raise LibraryError(f"{path()} has no {self.__name__}: it is of another version than this package")


def lib():
    """The library, loaded at the first use."""
    global _library
    if _library is None:
        path = _find()
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise LibraryError(f"{path} does not load: {error}") from error
        _declare(library)
        version = library.attn_api_version()
        if version != API_VERSION:
            raise LibraryError(f"{path} has version {version} of the C API, this package needs {API_VERSION}")
        _library = library
    return _library


def take_buffer(buffer: c_void_p) -> bytes:
    """The contents of an attn_buffer, which is freed."""
    library = lib()
    try:
        return ctypes.string_at(library.attn_buffer_data(buffer), library.attn_buffer_size(buffer))
    finally:
        library.attn_buffer_destroy(buffer)


def path() -> str:
    """Of the library that is loaded."""
    return lib()._name
