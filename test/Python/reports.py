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

# What was raised, what was fused, what was not, each by its remarks; the work of a call.
assert [remark["id"] for remark in report.raised] == ["attn-r101"] and report.fused == (), report
assert all(remark["kind"] == "missed" for remark in report.missed), report.missed
assert report.flops > 1e5 and report.bytes >= sum(array.nbytes for array in inputs), report

# A page about the compilation: the measurements, each step's time, remarks at the lines of the text, all phases.
page_name = os.path.join(out, "page.html")
f.report(*inputs, html=page_name)
with open(page_name, encoding="utf-8") as file:
    page = file.read()
for words in ("<h1>torch_sdpa_causal of ", "largest error", "Time of each step", "attn.attention", "Schedules", "[attn-r101]",
              "<span class=\"line\">", ">input</option>", ">lower</option>"):
    assert words in page, words
f.report(html=page_name)
with open(page_name, encoding="utf-8") as file:
    assert "Time of each step" not in file.read()

profile = f.profile(*inputs, seconds=0.05)
assert profile.calls >= 5 and profile.steps[0].name == "attn.attention" and profile.steps[0].runs == 1, profile
assert 0 < sum(map(profile.share, profile.steps)) <= 1.001 and "attn.attention at " in str(profile), profile
for call in (f.kernel.begin_profile, lambda: f.kernel.read_profile(1), f.kernel.page):
    try:
        call()
        raise SystemExit("a kernel that does not count")
    except attn.AttnError as error:
        assert "compile" in str(error), error

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
