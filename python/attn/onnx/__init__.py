# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX.

    f = attn.compile("model.onnx")              # sizes that the model names stay open
    y = f(x)
    module = attn.onnx.import_model("model.onnx")

docs/ONNX.md says which ops are known.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import onnx as _onnx  # noqa: F401
except ImportError as error:
    raise MissingExtraError("attn.onnx needs the onnx package: pip install onnx") from error

from . import ops as _ops  # noqa: F401
from .compiled import compile
from .model import import_model
from .registry import supported

__all__ = ["compile", "import_model", "supported"]
