# REQUIRES: onnx
# RUN: %attn-frameworks %s %attn_src_root/docs/ONNX.md
"""The page names each op that is known, and no other."""

import re
import sys

import attn

with open(sys.argv[1], encoding="utf-8") as file:
    table = [line for line in file if line.startswith("| ")][1:]
named = set(re.findall(r"[A-Z]\w+", " ".join(line.split("|")[1] for line in table)))
known = {name for names in attn.onnx.supported().values() for name in names}
#: Computed by the importer.
known |= {"Shape", "Size", "If", "ONNX"}
assert not known - named, f"not named: {sorted(known - named)}"
assert not named - known, f"not known: {sorted(named - known)}"
