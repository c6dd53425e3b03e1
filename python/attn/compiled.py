# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `attn.compile` returns: an entry that knows what it was made of."""

from __future__ import annotations

import os
from typing import Any, Callable

from . import cache
from .errors import CompileError
from .kernel import Entry, Kernel
from .module import Module, Options


class Source:
    """A module by its text or bytecode; it is parsed when it is asked for."""

    def __init__(self, data: str | bytes, name: str, on_progress=None):
        self.data = data.encode() if isinstance(data, str) else bytes(data)
        self.name, self.on_progress = name, on_progress
        self._module: Module | None = None

    @property
    def module(self) -> Module:
        """As it was given: nothing that is made of it changes it."""
        if self._module is None:
            from .compiler import Compiler
            self._module = Module.parse(self.data, self.name, Compiler(self.on_progress))
        return self._module

    def make_kernel(self, options: Options, use_cache: bool) -> Kernel:
        """Out of the cache, or compiled and kept there."""
        key = cache.make_key(self.data, options) if use_cache and cache.limit() else None
        data = cache.read(key) if key else None
        if key and data:
            try:
                return Kernel.from_bytes(data)
            except CompileError:
                cache.remove(key)
        kernel = self.module.compile(options)
        if key:
            cache.write(key, kernel.to_bytes())
        return kernel


class Compiled(Entry):
    """A compiled function: call it with tensors as an `Entry`.

    options: it was compiled with. threads: as an Entry's.
    """

    def __init__(self, source: Source, options: Options, use_cache: bool = True, original: Callable | None = None):
        self.origin, self.options, self.original = source, options, original
        super().__init__(source.make_kernel(options, use_cache), options.entry)

    def flatten(self, *inputs: Any) -> tuple:
        """The tensors among arguments, as the entry takes them."""
        return inputs

    def call_flat(self, *inputs: Any):
        """Calls the entry with what `flatten` gave, without the framework's structure."""
        return Entry.__call__(self, *inputs)

    @property
    def module(self) -> Module:
        """As it was compiled, before any pass."""
        return self.origin.module

    @property
    def remarks(self) -> list:
        """What was raised and fused, what was not and why."""
        return self.kernel.description.get("remarks", [])

    def source(self) -> str:
        """The module's text, as it was compiled."""
        return str(self.module)

    def ir(self, phase: str = "raise") -> str:
        """The IR after a phase: `input`, `raise`, `schedule`, `plan`, `lower`. It is compiled once more for that."""
        phases = self.module.phases(self.options)
        if phase not in phases:
            raise ValueError(f"there is no phase {phase!r}: choose one of {', '.join(phases)}")
        return phases[phase]

    def save(self, prefix: str | os.PathLike, target: str | None = None, shared: bool = False) -> list[str]:
        """Writes prefix.o, prefix.h and prefix.json, with `shared` also prefix.so, which needs a linker.

        target: `cpu:x86-64-v3,cpu:x86-64-v4` makes one object for both. Returns the files' names."""
        outputs = {"object": ".o", "header": ".h", "metadata": ".json", **({"shared": ".so"} if shared else {})}
        options = self.options._replace(target=target or self.options.target)
        stem = os.path.basename(os.fspath(prefix))
        if options.name is None and len(self.kernel.specs) == 1 and self.spec.name == "main":
            options = options._replace(name=_c_name(stem))
        contents = self.module.artifact(options, tuple(outputs), stem=stem)
        files = []
        for output, suffix in outputs.items():
            path = os.fspath(prefix) + suffix
            with open(path + ".part", "wb") as file:
                file.write(contents[output])
            os.replace(path + ".part", path)
            files.append(path)
        return files

    def profile(self, *inputs: Any, seconds: float = 0.3):
        """What the steps of a call with these arguments take; a `Profile`. It is compiled once more for that, to count,
        and called for `seconds`, with the weights and threads of this one."""
        from .profile import profile
        return profile(self, inputs, seconds)

    def report(self, *inputs: Any, against: Callable | None = None, form: str = "text", rounds: int = 5,
               html: str | os.PathLike | None = None):
        """What raising made of the module, layer by layer, what it left and why; a `Report`.

        inputs: arguments; with them the error against the reference in f64 is measured, which is slow.
        against: what else computes the same, as the framework's own function: its speed is measured beside ours, in
        turns, best of `rounds`. True takes what was compiled. form: `text`, or `html` and `json` for the text alone.
        html: a file for a page about the compilation: schedules, remarks at their lines, the module after each phase,
        and with inputs the time of each step. It is compiled once more for that."""
        from .report import make_report
        return make_report(self, inputs, self.original if against is True else against, form, rounds, html)


def _c_name(stem: str) -> str:
    name = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem)
    return name if name and not name[0].isdigit() else "attn_" + name
