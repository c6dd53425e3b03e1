# REQUIRES: attn_python
# RUN: %attn-python %s
"""What importing costs, what the command says, and that nothing leaks."""

import os
import resource
import subprocess
import sys

import attn

# Importing loads neither numpy nor a framework nor the library.
program = ("import time; t = time.perf_counter(); import attn; t = time.perf_counter() - t; import sys; "
           "assert not {'numpy', 'torch', 'jax', 'onnx'} & set(sys.modules); print(t)")
times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
         for _ in range(5)]
print(f"import: {1e3 * min(times):.1f} ms")
assert min(times) < 0.05, times

said = subprocess.run([sys.executable, "-m", "attn"], capture_output=True, text=True, check=True).stdout
for word in ("attn:", "library:", "targets:", "cpu:x86-64-v3", "processor:", "features:", "cache:", "numpy:"):
    assert word in said, said
assert attn.__version__ == attn.describe_library()["version"]
missing = [name for name in attn.__all__ if getattr(attn, name, None) is None]
assert not missing and set(attn.__all__) <= set(dir(attn)), missing

# Memory stays where it is.
TEXT = """func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}"""


def resident() -> int:
    """Bytes."""
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


import numpy as np  # noqa: E402

x = np.zeros((4, 8), np.float32)
compiler = attn.Compiler()
for k in range(60):
    if k == 20:
        before = resident()
    f = attn.compile(TEXT, cache=False)
    f(x)
    attn.Module.parse(TEXT, compiler=compiler).compile()
    try:
        attn.compile("func.func @f() {", cache=False)
    except attn.CompileError:
        pass
grown = resident() - before
print(f"40 compilations: {grown / 1e6:.1f} MB more")
assert grown < 8e6, grown
for _ in range(2000):
    f(x)
before = resident()
for _ in range(20000):
    f(x)
assert resident() - before < 1e6, resident() - before

# A child that is forked makes threads of its own.
f.threads = 2
f(x)
child = os.fork()
if child == 0:
    os._exit(0 if f(x).sum() == 32 else 1)
assert os.waitpid(child, 0)[1] == 0
print("package: good")
