# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made of ops, for ways in that have no MLIR of their own: sizes, loops over elements, layouts, attention."""
