# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code of NVIDIA GPUs: reading it, its loops, and a model of the cycles that they take."""
