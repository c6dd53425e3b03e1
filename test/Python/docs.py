# REQUIRES: attn_python
# RUN: rm -rf %t && mkdir %t && cd %t && %attn-python %s %attn_src_root/docs/Python.md
# RUN: cd %t && %attn-python %s %attn_src_root/python/README.md --before=%S/Inputs/model.py
"""Runs the snippets of a page: those before the first `import torch`, or with --torch all of them. With --before=FILE
they see the names of that file, and what it writes."""

import contextlib
import io
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    snippets = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
names: dict = {}
for option in sys.argv[2:]:
    if option.startswith("--before="):
        with open(option.partition("=")[2], encoding="utf-8") as file:
            exec(file.read(), names)
ran = 0
for snippet in snippets:
    if "import torch" in snippet and "--torch" not in sys.argv:
        break
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(snippet, sys.argv[1], "exec"), names)
    ran += 1
assert ran >= 1
print(f"{ran} of {len(snippets)} snippets: good")
