# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of MLIR: text or bytecode that is verified, changed by passes, interpreted and compiled."""

from __future__ import annotations

import ctypes
import json
import os
from typing import Any, NamedTuple, Optional, Sequence

from . import _capi
from .compiler import Compiler, Message
from .errors import UnsupportedError


class TensorSpec(NamedTuple):
    """An argument or a result. dtype: `float32`, `bfloat16`, `bool`, ...; shape: None is a size that is not known;
    in_out: of an output, the input whose memory it updates and is."""

    name: str
    dtype: str
    shape: tuple
    in_out: Optional[int] = None

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


class EntrySpec(NamedTuple):
    """A function that can be called."""

    name: str
    inputs: tuple
    outputs: tuple

    @staticmethod
    def read(description: dict) -> list[EntrySpec]:
        """Of the JSON of attn_module_describe and attn_kernel_describe."""
        def tensor(spec):
            return TensorSpec(spec.get("name", ""), spec["type"], tuple(spec["shape"]), spec.get("in_out"))
        return [EntrySpec(entry["name"], tuple(map(tensor, entry["inputs"])), tuple(map(tensor, entry["outputs"])))
                for entry in description["entries"]]


#: What `Module.print` and `Module.report` write.
_FORMS = {"text": 0, "locations": 1, "bytecode": 2}
_REPORTS = {"text": 0, "html": 1, "json": 2}
_OUTPUTS = {"object": 0, "shared": 1, "header": 2, "metadata": 3, "ptx": 4, "cubin": 5, "launcher": 6}


def _text(value) -> Optional[bytes]:
    return None if value is None else os.fsencode(value)


class Options(NamedTuple):
    """Of a compilation.

    target: `cpu` (this machine), `cpu:x86-64-v3`, `nvptx:sm_90a`; for `save` also several with commas between.
    entry: the one function to export; None for every public one. name: what it is called in C.
    threads: that products are blocked for, 0 where it is not known; results do not depend on it.
    portable: no schedules. checks: also look at sizes that only exist inside of kernels.
    profile: the kernel counts what its steps take. page: it keeps what `Kernel.page` shows.
    """

    target: Optional[str] = None
    entry: Optional[str] = None
    name: Optional[str] = None
    threads: int = 0
    portable: bool = False
    checks: bool = True
    profile: bool = False
    page: bool = False

    def to_c(self, on_phase=None) -> _capi.CompileOptions:
        return _capi.CompileOptions(ctypes.sizeof(_capi.CompileOptions), _text(self.target), _text(self.entry),
                                    _text(self.name), self.threads, int(self.portable), int(not self.checks),
                                    on_phase or _capi.ON_PHASE(), None, int(self.profile), int(self.page))


class Module:
    """A module, verified. Made by `Module.parse`, `Module.load`, or by builders with `Module(compiler, handle)`."""

    def __init__(self, compiler: Compiler, handle: ctypes.c_void_p):
        self.compiler, self._handle = compiler, handle

    def __del__(self):
        if getattr(self, "_handle", None):
            self.compiler._library.attn_module_destroy(self._handle)
            self._handle = None

    @classmethod
    def parse(cls, source: str | bytes, name: str = "<text>", compiler: Compiler | None = None) -> Module:
        """From text or bytecode. `name` is what messages call the file.

        Raises CompileError with line and column where the text does not parse or breaks a rule."""
        compiler = compiler or Compiler()
        data = source.encode() if isinstance(source, str) else bytes(source)
        return cls(compiler, compiler.make(compiler._library.attn_module_parse, compiler.handle, data, len(data),
                                           os.fsencode(name)))

    @classmethod
    def load(cls, path: str | os.PathLike, compiler: Compiler | None = None) -> Module:
        """From a file."""
        compiler = compiler or Compiler()
        return cls(compiler, compiler.make(compiler._library.attn_module_load, compiler.handle, os.fsencode(path)))

    @property
    def handle(self) -> ctypes.c_void_p:
        """The attn_module, for other functions of the C API."""
        return self._handle

    def _call(self, name: str, *arguments) -> None:
        self.compiler.check(getattr(self.compiler._library, name), self._handle, *arguments)

    def _bytes(self, name: str, *arguments) -> bytes:
        return self.compiler.make_bytes(getattr(self.compiler._library, name), self._handle, *arguments)

    def clone(self) -> Module:
        """A copy, by the same compiler."""
        return Module(self.compiler, self.compiler.make(self.compiler._library.attn_module_clone, self._handle))

    def run(self, pipeline: str) -> list[Message]:
        """Runs a pipeline in place, as `attn-raise-pipeline` or `builtin.module(canonicalize)`; returns what passes
        said. After a failure the module is of no use."""
        self._call("attn_module_run", pipeline.encode())
        return list(self.compiler.messages)

    def print(self, form: str = "text") -> str | bytes:
        """`text`, text with `locations`, or `bytecode` as bytes."""
        data = self._bytes("attn_module_print", _FORMS[form])
        return data if form == "bytecode" else data.decode()

    def __str__(self) -> str:
        return str(self.print())

    def describe(self) -> list[EntrySpec]:
        """What can be called, with the types of arguments and results."""
        return EntrySpec.read(json.loads(self._bytes("attn_module_describe")))

    def report(self, form: str = "text") -> str:
        """What raising makes of it, layer by layer, what it leaves and why: `text`, `html` or `json`."""
        return self._bytes("attn_module_report", _REPORTS[form]).decode()

    def interpret(self, *inputs: Any, entry: str | None = None, outputs: Sequence[Any] | None = None):
        """Runs an entry in f64 by the reference interpreter, slowly.

        inputs: numpy arrays or DLPack tensors on the CPU. Returns a numpy array or a tuple of them: float64 for
        floating-point results. `outputs` are the results' shapes where they are not static."""
        from .interpret import interpret
        return interpret(self, inputs, entry, outputs)

    def phases(self, options: Options = Options()) -> dict[str, str]:
        """The IR after each phase of a compilation: `input`, `raise`, `schedule`, `plan`, `lower`."""
        found: dict[str, str] = {}

        def on_phase(_, phase, text, size):
            found[phase.decode()] = ctypes.string_at(text, size).decode()
        self.artifact(options, (), on_phase)
        return found

    def artifact(self, options: Options = Options(), outputs: Sequence[str] = ("object", "header", "metadata"),
                 on_phase=None, stem: str = "kernels") -> dict[str, bytes]:
        """Contents of files: `object`, `shared`, `header`, `metadata`, of targets nvptx also `ptx`, `cubin` and
        `launcher`. `stem` is what the files will be called, without their suffixes."""
        names = {"shared": _text(stem + ".so"), "launcher": _text(stem + ".h")}
        library = self.compiler._library
        callback = _capi.ON_PHASE(on_phase) if on_phase else None
        with self.compiler._lock:
            artifact = self.compiler.make(library.attn_artifact_create, self._handle,
                                          ctypes.byref(options.to_c(callback)))
            try:
                return {output: self.compiler.make_bytes(library.attn_artifact_get, artifact, _OUTPUTS[output],
                                                         names.get(output)) for output in outputs}
            finally:
                library.attn_artifact_destroy(artifact)

    def compile(self, options: Options = Options()):
        """A `Kernel` for this machine, all of its entries compiled. Raises CompileError."""
        from .kernel import Kernel
        if options.target and options.target.startswith("nvptx"):
            # Its entries take another context, which holds the GPU's stream.
            raise UnsupportedError(f"Python calls kernels of the CPU; for {options.target} there are artifact() and save()")
        with self.compiler._lock:
            handle = self.compiler.make(self.compiler._library.attn_kernel_create, self._handle,
                                        ctypes.byref(options.to_c()))
            return Kernel(handle, messages=list(self.compiler.messages))
