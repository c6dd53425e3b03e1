# REQUIRES: attn_python
# RUN: rm -rf %t && %attn-python %s %t
"""Kernels on the disk: used again, never trusted blindly, within their limit, by several processes."""

import os
import subprocess
import sys

import numpy as np

os.environ["ATTN_CACHE_DIR"] = sys.argv[1]
os.environ.pop("ATTN_CACHE_SIZE", None)

import attn  # noqa: E402

folder = attn.cache.folder()
assert folder == sys.argv[1]


def text(k):
    return f"""func.func @f(%x: tensor<{k}x8xf32>) -> tensor<{k}x8xf32> {{
  %e = tensor.empty() : tensor<{k}x8xf32>
  %y = linalg.exp ins(%x : tensor<{k}x8xf32>) outs(%e : tensor<{k}x8xf32>) -> tensor<{k}x8xf32>
  return %y : tensor<{k}x8xf32>
}}"""


def compiles(k, **options):
    """Whether it was compiled, and not found."""
    phases = []
    f = attn.compile(text(k), on_progress=phases.append, **options)
    x = np.random.rand(k, 8).astype(np.float32)
    np.testing.assert_allclose(f(x), np.exp(x), rtol=1e-6)
    assert f.spec.inputs[0].shape == (k, 8) and f.remarks is not None
    return "codegen" in phases


assert compiles(1) and not compiles(1), "the second is found"
assert compiles(1, threads=2) and compiles(2) and compiles(1, portable=True), "options and text count"
assert compiles(1, cache=False)
assert len(os.listdir(folder)) == 4, os.listdir(folder)
# A kernel that was found is asked for its text like any other.
assert "linalg.exp" in attn.compile(text(1)).source()

# Broken files are compiled again.
for cut in (0, 40, 1000):
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "r+b") as file:
            file.truncate(cut)
    assert compiles(1) and not compiles(1), cut
name = os.path.join(folder, sorted(os.listdir(folder))[0])
with open(name, "rb") as file:
    data = bytearray(file.read())
data[len(data) // 2] ^= 1
with open(name, "wb") as file:
    file.write(data)
[compiles(k) for k in (1, 2)]

# Bytes of another version are refused, whatever their digest says.
kernel = attn.compile(text(3), cache=False).kernel
data = kernel.to_bytes()
for broken in (b"", b"attnkrn1", data[:50], data.replace(b'"version":"attn', b'"version":"Attn')):
    try:
        attn.Kernel.from_bytes(broken)
        raise SystemExit("bytes that are no kernel were taken")
    except attn.CompileError as error:
        assert "compile again" in str(error), error
assert attn.Kernel.from_bytes(data).entry()(np.zeros((3, 8), np.float32)).sum() == 24

# Others may not put code into the folder.
os.chmod(folder, 0o777)
assert compiles(1), "a folder that others may write to is not used"
os.chmod(folder, 0o700)
assert not compiles(1)

# The limit: the oldest go. 0 keeps nothing.
size = max(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
attn.cache.limit = lambda: 3 * size
[compiles(k) for k in range(10, 16)]
assert 1 <= len(os.listdir(folder)) <= 3, os.listdir(folder)
assert not compiles(15) and compiles(10)
attn.cache.limit = lambda: 0
assert compiles(15)

# Several processes at once.
program = f"import attn, numpy as np; f = attn.compile('''{text(20)}'''); assert f(np.zeros((20, 8), np.float32)).sum() == 160"
children = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
assert all(child.wait() == 0 for child in children)
assert not [name for name in os.listdir(folder) if not name.endswith(".kernel")]
assert attn.cache.clear() >= 1 and not os.listdir(folder)
print("cache: good")
