# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers: what parses, runs passes and compiles, with the messages of each."""

from __future__ import annotations

import ctypes
import json
import sys
import threading
import time
from typing import Any, Callable, NamedTuple, Optional

from . import _capi
from .errors import Cancelled, make_compile_error


class Message(NamedTuple):
    """What a pass says: severity `remark`, `warning` or `error`; id as `attn-r101`, or empty; text; file, line and
    column as the module's locations have them, None and 0 where nothing is known."""

    severity: str
    id: str
    text: str
    file: Optional[str]
    line: int
    column: int

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.severity}: {f'[{self.id}] ' if self.id else ''}{self.text}"


_SEVERITIES = ("remark", "warning", "error")


def _decode(raw) -> str:
    return raw.decode("utf-8", "replace") if raw else ""


class _Progress:
    """Writes phases to the terminal once a compilation takes longer than two seconds."""

    def __init__(self):
        self.start = time.monotonic()
        self.shown = False

    def __call__(self, phase: str) -> None:
        if time.monotonic() - self.start > 2 and sys.stderr is not None and sys.stderr.isatty():
            self.shown = True
            sys.stderr.write(f"\rattn: {phase:<10}")
            sys.stderr.flush()

    def finish(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 20 + "\r")


class Compiler:
    """One of libattn's. It serves one call at a time: others wait.

    on_progress(phase): called as phases begin: `parse`, `raise`, `schedule`, `plan`, `lower`, `codegen`. None writes
    them to a terminal once a compilation takes longer than two seconds; False is silence.
    """

    def __init__(self, on_progress: Callable[[str], None] | bool | None = None):
        self.messages: list[Message] = []
        self._lock = threading.RLock()
        self._handle: Any = None
        interrupt: list[BaseException] = []
        self._interrupt = interrupt
        self._progress = on_progress
        # The callbacks hold lists, never the compiler: no cycle keeps it alive.
        messages = self.messages
        current: list[Callable[[str], Any]] = []
        self._current = current

        def on_message(_, raw):
            m = raw.contents
            messages.append(Message(_SEVERITIES[m.severity], _decode(m.id), _decode(m.text), _decode(m.file) or None,
                                    m.line, m.column))

        def on_phase(_, phase):
            try:
                if current:
                    current[-1](_decode(phase))
            except BaseException as error:  # Of the user, Control-C among them: it ends the compilation.
                interrupt.append(error)
                library.attn_compiler_cancel(holder[0])

        library = _capi.lib()
        self._callbacks = (_capi.ON_MESSAGE(on_message), _capi.ON_PROGRESS(on_phase))
        options = _capi.CompilerOptions(ctypes.sizeof(_capi.CompilerOptions), None, *self._callbacks)
        handle = ctypes.c_void_p()
        code = library.attn_compiler_create(ctypes.byref(options), ctypes.byref(handle))
        if code:
            raise make_compile_error(code, "no compiler could be made")
        self._handle, self._library = handle, library
        holder = [handle]

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.attn_compiler_destroy(self._handle)
            self._handle = None

    @property
    def handle(self) -> ctypes.c_void_p:
        """The attn_compiler, for other functions of the C API."""
        return self._handle

    def cancel(self) -> None:
        """Ends what another thread compiles with this compiler: `Cancelled` is raised there."""
        self._library.attn_compiler_cancel(self._handle)

    def check(self, function, *arguments) -> None:
        """Calls a function of the C API that returns an attn_code; raises what its failure means."""
        with self._lock:
            self.messages.clear()
            self._interrupt.clear()
            progress = _Progress() if self._progress in (None, True) else None
            if self._progress is not False:
                self._current.append(progress or self._progress)  # type: ignore[arg-type]
            try:
                code = function(*arguments)
            finally:
                if self._current:
                    self._current.pop()
                if progress:
                    progress.finish()
            if self._interrupt:
                raise self._interrupt[0]
            if code:
                text = _decode(self._library.attn_compiler_error(self._handle))
                raise make_compile_error(code, text, self.messages)

    def make(self, function, *arguments) -> ctypes.c_void_p:
        """The same for a function whose last parameter is what it makes."""
        made = ctypes.c_void_p()
        self.check(function, *arguments, ctypes.byref(made))
        return made

    def make_bytes(self, function, *arguments) -> bytes:
        """The same for one that makes a buffer."""
        return _capi.take_buffer(self.make(function, *arguments))


def describe_library() -> dict:
    """What this library and machine are: {"version", "api", "llvm", "targets", "host": {"cpu", "isa", "features"}}."""
    library = _capi.lib()
    buffer = ctypes.c_void_p()
    code = library.attn_describe_library(ctypes.byref(buffer))
    if code:
        raise make_compile_error(code, "the library does not describe itself")
    return json.loads(_capi.take_buffer(buffer))


__all__ = ["Cancelled", "Compiler", "Message", "describe_library"]
