# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How ONNX names types of elements."""

from __future__ import annotations

#: Numbers of onnx.TensorProto.DataType, as MLIR calls them.
ELEMENTS = {1: "f32", 3: "i8", 5: "i16", 6: "i32", 7: "i64", 9: "i1", 10: "f16", 11: "f64", 16: "bf16"}
