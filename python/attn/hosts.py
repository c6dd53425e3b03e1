# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads and scratch memory for kernels: hosts of libattn, lent to one call at a time."""

from __future__ import annotations

import ctypes
import os

from . import _capi
from .errors import AttnError


class Context(ctypes.Structure):
    """attn_context."""

    _fields_ = [("abi_version", ctypes.c_uint32), ("host", ctypes.c_void_p), ("alloc", ctypes.c_void_p),
                ("free", ctypes.c_void_p), ("parallel_for", ctypes.c_void_p), ("error", ctypes.c_char * 256)]


class Host:
    """An attn_host. `context` is what kernels take."""

    __slots__ = ("_handle", "context", "process")

    def __init__(self, threads: int):
        handle = ctypes.c_void_p()
        library = _capi.lib()
        if library.attn_host_create(threads, ctypes.byref(handle)):
            raise AttnError(f"a host of {threads} threads could not be made")
        self._handle = handle
        self.context = ctypes.c_void_p(library.attn_host_context(handle))
        self.process = os.getpid()

    @property
    def error(self) -> str:
        return Context.from_address(self.context.value or 0).error.decode("utf-8", "replace")


#: Those that no call uses, by their threads. They stay until the process ends: threads of a pool are few.
idle: dict[int, list[Host]] = {}


def _count_threads() -> int:
    """What ATTN_THREADS says, else the processors that this process may use."""
    named = os.environ.get("ATTN_THREADS", "")
    return int(named) if named.isdigit() and int(named) else len(os.sched_getaffinity(0))


#: Of calls, where nothing else is said.
defaults = {"threads": _count_threads()}


def default_threads() -> int:
    """What `set_threads` or ATTN_THREADS says, else the processors that this process may use."""
    return defaults["threads"]


def set_threads(threads: int) -> None:
    """For kernels called with numpy or JAX arrays; those called with torch's take torch.get_num_threads()."""
    if threads < 1:
        raise ValueError("at least one thread")
    defaults["threads"] = threads


def idle_hosts(threads: int) -> list[Host]:
    """The list to pop a host from and to append it to, for hosts of that many threads."""
    return idle.setdefault(threads, [])


def take_host(threads: int) -> Host:
    """One that no other call uses; it goes back into `idle_hosts`."""
    try:
        return idle_hosts(threads).pop()
    except IndexError:
        return Host(threads)


def _forget_after_fork() -> None:
    """Threads do not survive a fork: the child makes its own hosts."""
    for hosts in idle.values():
        hosts.clear()


os.register_at_fork(after_in_child=_forget_after_fork)
