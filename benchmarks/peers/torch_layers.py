# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms, linear layers, activations and softmax in PyTorch, compiled, with what follows them."""

import torch
import torch._inductor.config
import torch.nn.functional as F

from protocol import serve

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def prepare(case):
    torch.set_num_threads(case["threads"])
    torch.set_grad_enabled(False)
    torch._dynamo.reset()
    generator = torch.Generator().manual_seed(0)
    dtype = DTYPES[case["dtype"]]
    return lambda *shape: torch.randn(*shape, generator=generator).to(dtype)


def norm(case):
    """A residual sum is returned beside its norm. Results have their memory already, as ours have."""
    draw = prepare(case)
    columns = case["columns"]
    rows = int(case["mib"] * 2**20 / DTYPES[case["dtype"]].itemsize / columns)
    a, gamma, beta = draw(rows, columns), draw(columns), draw(columns)
    b = draw(rows, columns) if case["residual"] else None
    outs = torch.empty_like(a), torch.empty_like(a) if case["residual"] else None

    def apply(a, b, gamma, beta, out, total):
        x = a if b is None else a + b
        if case["kind"] == "layer":
            y = F.layer_norm(x, (columns,), gamma, beta, 1e-5)
        else:
            y = F.rms_norm(x, (columns,), gamma, 1e-5)
        out.copy_(y)
        if b is not None:
            total.copy_(x)

    compiled = torch.compile(apply)
    return lambda: compiled(a, b, gamma, beta, *outs)


class Frozen(torch.nn.Module):
    """A layer with weights of its own."""

    def __init__(self, apply, w, bias):
        super().__init__()
        self.apply_to = apply
        self.w = torch.nn.Parameter(w, requires_grad=False)
        self.bias = None if bias is None else torch.nn.Parameter(bias, requires_grad=False)

    def forward(self, x):
        return self.apply_to(x, self.w, self.bias)


def linear(case):
    draw = prepare(case)
    x, r = draw(case["rows"], case["in"]), draw(case["rows"], case["out"])
    w = draw(case["out"], case["in"]) if case["weight"] == "out_in" else draw(case["in"], case["out"])
    bias = draw(case["out"]) if case["bias"] else None
    steps = {"gelu": F.gelu, "silu": F.silu, "residual": lambda y: r + y, "gate": lambda y: r * y}
    follow = [steps[name] for name in case["epilogue"].split()]

    def apply(x, w, bias):
        y = F.linear(x, w if case["weight"] == "out_in" else w.t(), bias)
        for step in follow:
            y = step(y)
        return y

    # What is frozen, the compiler may pack once and for all.
    torch._inductor.config.freezing = case.get("frozen", False)
    if case.get("frozen"):
        layer = Frozen(apply, w, bias).eval()
        compiled = torch.compile(layer)
        return lambda: compiled(x)
    compiled = torch.compile(apply)
    return lambda: compiled(x, w, bias)


def activation(case):
    draw = prepare(case)
    rows = int(case["mib"] * 2**20 / DTYPES[case["dtype"]].itemsize / case["columns"])
    x = draw(rows, case["columns"])
    out = torch.empty_like(x)
    function = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}.get(case["function"]) or getattr(F, case["function"])
    compiled = torch.compile(lambda x, out: out.copy_(function(x)))
    return lambda: compiled(x, out)


def softmax(case):
    """A statistic has no op there."""
    if case["op"] != "softmax" or case["normalizer"] != "softmax":
        raise ValueError("no such function in PyTorch")
    draw = prepare(case)
    rows = int(case["mib"] * 2**20 / DTYPES[case["dtype"]].itemsize / case["columns"])
    x = draw(rows, case["columns"])
    out = torch.empty_like(x)
    compiled = torch.compile(lambda x, out: out.copy_(F.softmax(x, case["dim"])))
    return lambda: compiled(x, out)


if __name__ == "__main__":
    serve({"torch-norm": norm, "torch-linear": linear, "torch-activation": activation, "torch-softmax": softmax})
