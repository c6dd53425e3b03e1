# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Importing a file of this folder registers its ops."""

from . import (activations, attention, constants, elementwise, grouped, linear, multihead, norms,  # noqa: F401
               reductions, rotary, scatter, shapes, sorting, windows)
