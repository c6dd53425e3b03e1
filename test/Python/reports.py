# REQUIRES: attn_python
# RUN: rm -rf %t && mkdir %t && %attn-python %s %examples %t
"""What a compiled function says of itself, and what it leaves for others: reports, IR, files, the reference."""

import json
import os
import sys

import numpy as np

import attn

folder, out = sys.argv[1:]
data = np.load(f"{folder}/torch_sdpa_causal.npz")
inputs = [data[f"arg{i}"] for i in range(3)]
f = attn.compile(f"{folder}/torch_sdpa_causal.mlir")

report = f.report(*inputs, against=lambda *arrays: data["out0"].copy(), rounds=3)
assert "attention" in report.text and report.errors[0].largest < 2e-6 < report.errors[0].scale, report
assert report.seconds > 0 and report.other > 0 and report.speedup, report
assert "largest error" in str(report) and "time:" in str(report)
assert f.report().errors == () and f.report().seconds is None
assert "<html" in f.report(form="html").lower() and json.loads(f.report(form="json"))

exact = f.module.interpret(*inputs)
assert exact.dtype == np.float64 and np.abs(exact - data["out0"]).max() < 2e-6

assert "linalg.generic" in f.ir("input") and "attn.attention" in f.ir("raise") and "llvm.func" in f.ir("lower")
assert "attn.schedule" in f.ir("schedule") and f.source() == str(f.module)
try:
    f.ir("nothing")
    raise SystemExit("a phase that is none")
except ValueError as error:
    assert "input, raise" in str(error), error

prefix = os.path.join(out, "attend")
files = f.save(prefix, target="cpu:x86-64-v3,cpu:x86-64-v4", shared=True)
assert [os.path.splitext(name)[1] for name in files] == [".o", ".h", ".json", ".so"] and not os.path.exists(prefix + ".o.part")
with open(prefix + ".h", encoding="utf-8") as file:
    assert "int torch_sdpa_causal(" in file.read()
with open(prefix + ".json", encoding="utf-8") as file:
    assert json.load(file)["entries"][0]["name"] == "torch_sdpa_causal"

# Modules by themselves.
module = attn.Module.load(f"{folder}/torch_sdpa_causal.mlir")
copy = module.clone()
messages = module.run("attn-raise-pipeline")
assert "attn.attention" in str(module) and "attn.attention" not in str(copy)
assert any(m.id == "attn-r101" and m.severity == "remark" and m.line for m in messages), messages
assert copy.print("bytecode").startswith(b"ML") and "loc(" in copy.print("locations")
assert attn.Module.parse(copy.print("bytecode")).describe() == copy.describe()
print("reports: good")
