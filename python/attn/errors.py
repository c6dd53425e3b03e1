# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions. All of them are `AttnError`."""

from __future__ import annotations

import re


class AttnError(Exception):
    """Anything that attn refuses or that fails inside of it."""


class LibraryError(AttnError, ImportError):
    """libattn is missing, or is of another version."""


class MissingExtraError(AttnError, ImportError):
    """A framework is not installed; the text names what to install."""


class UnsupportedError(AttnError, NotImplementedError):
    """A framework's op or a kind of value that has no way into the compiler.

    `op` and `source` (`model.py:12`) say which and where, if that is known."""

    def __init__(self, message: str, op: str | None = None, source: str | None = None):
        super().__init__(message)
        self.op, self.source = op, source


class CompileError(AttnError):
    """A module that does not parse, is refused, or fails to compile.

    op: the operation at fault (`linalg.generic`), or None.
    file, line, column: its place in the framework's source or in the text; None and 0 where it is unknown.
    remarks: what passes said until then, as `Message`s.
    """

    def __init__(self, message: str, *, op=None, file=None, line: int = 0, column: int = 0, remarks=()):
        super().__init__(message)
        self.op, self.file, self.line, self.column = op, file, line, column
        self.remarks = tuple(remarks)


class InternalError(CompileError):
    """A fault of the compiler itself: worth a report, with the module."""


class Cancelled(AttnError):
    """The compilation was cancelled."""


class CallError(AttnError):
    """A compiled kernel refused its arguments; nothing was written unless `status` is 7 or 9.

    status: the attn_status of attn_runtime.h.
    """

    status = 0


class ShapeError(CallError, ValueError):
    """Sizes that do not fit the types or each other."""


class DTypeError(CallError, TypeError):
    """Another element type, or memory of another device."""


class OverlapError(CallError, ValueError):
    """An output shares memory with an input, another output or itself."""


class AssertionFailed(CallError, AssertionError):
    """An assertion of the compiled program does not hold: a full cache, an index outside of a table."""


class OutOfMemory(CallError, MemoryError):
    """No scratch memory."""


class UnsupportedMachine(CallError, RuntimeError):
    """Code for other instructions or another device."""


_STATUS = {4: DTypeError, 5: ShapeError, 6: OverlapError, 7: OutOfMemory, 8: UnsupportedMachine,
           9: AssertionFailed, 10: UnsupportedMachine}


def make_call_error(status: int, text: str) -> CallError:
    """The exception for an attn_status other than 0."""
    kind = _STATUS.get(status, CallError)
    error = kind(text)
    error.status = status
    return error


_PLACE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?: ")
_OP = re.compile(r"'([a-z_]\w*\.[\w.]+)'")


def make_compile_error(code: int, text: str, messages=()) -> AttnError:
    """The exception for an attn_code other than 0."""
    if code == 4:
        return Cancelled(text or "cancelled")
    if code == 5:
        return AttnError(text or "out of memory")
    errors = [message for message in messages if message.severity == "error"]
    place = _PLACE.match(text)
    found: dict = {"file": None, "line": 0, "column": 0}
    if place:
        found = {"file": place["file"], "line": int(place["line"]), "column": int(place["column"] or 0)}
    elif errors:
        found = {"file": errors[0].file, "line": errors[0].line, "column": errors[0].column}
    op = _OP.search(text)
    kind = InternalError if code == 3 else CompileError
    remarks = [message for message in messages if message.severity != "error"]
    return kind(text or "the compiler gave no reason", op=op and op[1], remarks=remarks, **found)
