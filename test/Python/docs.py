# REQUIRES: attn_python
# RUN: rm -rf %t && mkdir %t && cd %t && %attn-python %s %attn_src_root/docs/Python.md
"""Runs the snippets of a page: those before the first `import torch`, or with --torch all of them."""

import contextlib
import io
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    snippets = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
names: dict = {}
ran = 0
for snippet in snippets:
    if "import torch" in snippet and "--torch" not in sys.argv:
        break
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(snippet, sys.argv[1], "exec"), names)
    ran += 1
assert ran >= 1
print(f"{ran} of {len(snippets)} snippets: good")
