# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels on the disk, by what they were made of.

    ATTN_CACHE_DIR    the folder; else attn-mlir in XDG_CACHE_HOME or ~/.cache
    ATTN_CACHE_SIZE   its limit in MiB, 512 without it; 0 switches the cache off

A file holds one kernel; its name is a digest of the module's text, the options, the library and the machine. Files
appear by renaming, so that any number of processes may share a folder. What was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from typing import Optional

_SUFFIX = ".kernel"


def folder() -> str:
    """Where kernels are kept."""
    named = os.environ.get("ATTN_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return named or os.path.join(base, "attn-mlir")


def limit() -> int:
    """Of the folder, in bytes."""
    named = os.environ.get("ATTN_CACHE_SIZE", "")
    return (int(named) if named.isdigit() else 512) << 20


_machine: Optional[bytes] = None


def _describe_machine() -> bytes:
    """What code depends on beside its source: the library, byte for byte, and the processor."""
    global _machine
    if _machine is None:
        from . import _capi
        from .compiler import describe_library
        path = _capi.path()
        info = os.stat(path) if os.path.exists(path) else None
        build = [info.st_size, info.st_mtime_ns] if info else []
        _machine = json.dumps([describe_library(), build], sort_keys=True).encode()
    return _machine


def make_key(source: bytes, options) -> str:
    """The name of a kernel made of a module's text or bytecode with these options."""
    digest = hashlib.sha256()
    for part in (_describe_machine(), repr(tuple(options)).encode(), source):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _prepare() -> Optional[str]:
    """The folder, made if need be; None where others could put code into it, or where it cannot be made."""
    path = folder()
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        info = os.stat(path)
    except OSError:
        return None
    mine = info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return path if mine else None


def read(key: str) -> Optional[bytes]:
    """The bytes that were kept under a name, if they are whole."""
    path = limit() and _prepare()
    if not path:
        return None
    file_name = os.path.join(path, key + _SUFFIX)
    try:
        with open(file_name, "rb") as file:
            data = file.read()
        os.utime(file_name)
    except OSError:
        return None
    digest, data = data[:32], data[32:]
    if hashlib.sha256(data).digest() != digest:
        remove(key)
        return None
    return data


def write(key: str, data: bytes) -> None:
    """Keeps them. A full disk or a folder that cannot be written leaves things as they were."""
    path = limit() and _prepare()
    if not path or len(data) > limit():
        return
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path, delete=False) as file:
            temporary = file.name
            file.write(hashlib.sha256(data).digest() + data)
        os.replace(temporary, os.path.join(path, key + _SUFFIX))
        _prune(path, keep=key + _SUFFIX)
    except OSError:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def remove(key: str) -> None:
    """Forgets one."""
    try:
        os.unlink(os.path.join(folder(), key + _SUFFIX))
    except OSError:
        pass


def _list_files(path: str) -> list:
    found = []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:  # Another process was faster.
                continue
            if entry.name.endswith(_SUFFIX):
                found.append((info.st_mtime_ns, info.st_size, entry.path))
    return sorted(found)


def _prune(path: str, keep: str) -> None:
    """Removes what was not used for longest until the folder is within its limit."""
    files = _list_files(path)
    total = sum(size for _, size, _ in files)
    for _, size, name in files:
        if total <= limit():
            return
        if os.path.basename(name) == keep:
            continue
        try:
            os.unlink(name)
        except OSError:
            continue
        total -= size


def clear() -> int:
    """Removes all kernels; returns how many there were."""
    path = _prepare()
    files = _list_files(path) if path else []
    for _, _, name in files:
        remove(os.path.basename(name)[:-len(_SUFFIX)])
    return len(files)
