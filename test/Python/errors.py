# REQUIRES: attn_python
# RUN: %attn-python %s
"""Every mistake has an exception that says what to do."""

import os
import subprocess
import sys

import numpy as np

import attn

IDENTITY = """func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
"""


def fails(kind, words, function, *arguments, **named):
    """The exception that a call ends with."""
    try:
        function(*arguments, **named)
    except kind as error:
        assert words in str(error), f"{words!r} is not in {error}"
        return error
    raise SystemExit(f"no {kind.__name__} from {function}{arguments}")


# Modules.
error = fails(attn.CompileError, "<text>:3", attn.compile, "func.func @f() {\n  return\n  }}\n")
assert error.file == "<text>" and error.line == 3, vars(error)
error = fails(attn.CompileError, "attn.softmax", attn.compile,
              "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = attn.softmax %x : tensor<4xf32>\n"
              "  return %y : tensor<4xf32>\n}")
fails(attn.CompileError, "cpu:z80", attn.compile, IDENTITY, target="cpu:z80")
fails(attn.UnsupportedError, "save()", attn.compile, IDENTITY, target="nvptx:sm_80")
# A library that has the code generator makes the object.
try:
    attn.compile(IDENTITY).save(os.path.join(os.getcwd(), "aarch64"), target="cpu:aarch64")
except attn.CompileError as error:
    assert "this build of the compiler has no code generator for 'cpu:aarch64'" in str(error), error
fails(attn.CompileError, "'g'", attn.compile, IDENTITY, entry="g")
fails(FileNotFoundError, "none.mlir", attn.compile, "/none.mlir")
fails(attn.UnsupportedError, "builtins.int", attn.compile, 3)
fails(TypeError, "donate", attn.compile, IDENTITY, donate=True)
module = attn.Module.parse(IDENTITY)
fails(attn.CompileError, "no-such-pass", module.run, "no-such-pass")
# The compiler serves on.
f = attn.compile(IDENTITY)

# Calls.
x = np.zeros((4, 8), np.float32)
fails(TypeError, "takes 1 tensors, 2 were given", f, x, x)
fails(attn.DTypeError, "f32", f, x.astype(np.float64))
fails(attn.DTypeError, "f32", f, x.astype(np.complex64))
fails(attn.ShapeError, "dimension 1 must be 8", f, x[:, :4])
fails(attn.ShapeError, "ndim", f, x[0])
fails(attn.OverlapError, "overlaps", f, x, out=x)
fails(attn.ShapeError, "output 0", f, x, out=np.zeros((4, 9), np.float32))
fails(TypeError, "1 results", f, x, out=(x, x))
frozen = np.zeros((4, 8), np.float32)
frozen.flags.writeable = False
fails(ValueError, "read-only", f, x, out=frozen)
fails(attn.UnsupportedError, "no tensor", f, object())
fails(attn.DTypeError, "convert", f, x.astype(">f4"))
np.testing.assert_array_equal(f(x), np.ones((4, 8), np.float32))

# Control-C and errors of the caller's own functions end a compilation.
def interrupt(phase):
    raise KeyboardInterrupt(phase)


fails(KeyboardInterrupt, "parse", attn.compile, IDENTITY, on_progress=interrupt, cache=False)
phases = []
attn.compile(IDENTITY, on_progress=phases.append, cache=False)
assert phases[0] == "parse" and "lower" in phases and phases[-1] == "codegen", phases

# What is not installed is named, with what to do.
environment = {**os.environ, "ATTN_LIBRARY": "/none/libattn.so"}
run = subprocess.run([sys.executable, "-c", "import attn; attn.describe_library()"], env=environment,
                     capture_output=True, text=True, check=False)
assert "LibraryError: /none/libattn.so does not load" in run.stderr, run.stderr
for package, name in (("torch", "torch"),):
    block = f"import sys; sys.modules['{package}'] = None; import attn; attn.{name}"
    run = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
    assert "MissingExtraError" in run.stderr and "pip install" in run.stderr, run.stderr
print("errors: good")
