# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the snippet of README.md is shown without."""

import attn  # noqa: F401
import torch

x = torch.randn(1, 32, 1024)
