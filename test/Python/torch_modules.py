# REQUIRES: attn_python, torch
# RUN: %attn-frameworks %s
"""Modules and exported programs of PyTorch: the same numbers, arguments and errors."""

import subprocess
import sys

import torch
from torch import nn

import attn
from attn.torch.importer import takes_sizes_for_one

torch.manual_seed(0)


def close(ours, theirs, tolerance=2e-5):
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=tolerance)


def eager(model, *args, **kwargs):
    with torch.no_grad():
        return model(*args, **kwargs)


# A layer: known sizes, unknown ones, exported by the caller.
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval()
x = torch.randn(2, 17, 64)
f = attn.compile(layer, x)
close(f(x), eager(layer, x))
assert {remark["id"] for remark in f.remarks} >= {"attn-r101", "attn-r111", "attn-r131"}, f.remarks
# Remarks point into the model's source.
assert any(remark["file"].endswith("transformer.py") for remark in f.remarks), f.remarks
assert str(f.spec.inputs[-1]) == "float32[2, 17, 64]" and len(f.spec.inputs) == 13
out = torch.empty(2, 17, 64)
assert f(x, out=out) is out
close(out, eager(layer, x))
strided = torch.randn(2, 64, 17).transpose(1, 2)
close(f(strided), eager(layer, strided))
program = torch.export.export(layer, (x,))
close(attn.compile(program)(x), eager(layer, x))
g = attn.compile(layer, x, dynamic=True)
for length in (5, 5, 5, 5, 17, 40, 40, 40, 5):
    y = torch.randn(2, length, 64)
    close(g(y), eager(layer, y))

# A function of tensors is no function of JAX.
close(attn.compile(lambda pair: torch.softmax(pair["x"] + pair["y"], -1), ({"x": x, "y": x},))({"x": x, "y": 2 * x}),
      torch.softmax(3 * x, -1))

# Weights are the model's own.
with torch.no_grad():
    layer.linear2.weight *= 2
    layer.norm1.bias += 1
close(f(x), eager(layer, x))

# The error against f64 and the speed are in the report.
report = f.report(x, against=True)
assert report.errors[0].largest < 1e-5 and report.speedup > 0 and "attention" in report.text, report


class Structured(nn.Module):
    """Tensors in structures, numbers among them, keywords, and a state."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("table", torch.arange(8.0), persistent=False)
        self.weight = nn.Parameter(torch.randn(8, 8))

    def forward(self, pair, factor, *, mask=None):
        self.count += 1
        x, y = pair["x"], pair["y"]
        z = torch.softmax(x @ self.weight + self.table, -1) * factor
        if mask is not None:
            z = z.masked_fill(mask, 0.0)
        return {"z": z + y, "pair": (y, None, 3)}


model = Structured().eval()
pair, mask = {"x": torch.randn(4, 8), "y": torch.randn(4, 8)}, torch.rand(4, 8) < 0.5
s = attn.compile(model, (pair, 2.0), example_kwargs={"mask": mask})
before = model.count.item()
ours = s(pair, 2.0, mask=mask)
assert model.count.item() == before + 1
theirs = eager(model, pair, 2.0, mask=mask)
close(ours["z"], theirs["z"])
assert ours["pair"][0] is pair["y"] and ours["pair"][1:] == (None, 3)
for wrong in (lambda: s(pair, 3.0, mask=mask), lambda: s(pair, 2.0), lambda: s(pair["x"], 2.0, mask=mask)):
    try:
        wrong()
        raise SystemExit("wrong arguments were taken")
    except (TypeError, ValueError) as error:
        assert "compiled" in str(error), error



# A cache stays as it was, unless it is donated: then it is the result.
class Step(nn.Module):
    def forward(self, q, keys, values, row, at):
        keys, values = keys.index_copy(2, at, row), values.index_copy(2, at, row)
        seen = torch.arange(keys.shape[2]) <= at
        return nn.functional.scaled_dot_product_attention(q, keys, values, seen[None]), keys, values


q, row, at = torch.randn(1, 4, 1, 16), torch.randn(1, 4, 1, 16), torch.tensor([3])
keys, values = torch.randn(2, 1, 4, 9, 16).unbind()
for donate in ((), (1, 2), True):
    step = attn.compile(Step(), (q, keys, values, row, at), donate=donate)
    theirs = eager(Step(), q, keys, values, row, at)
    given = keys.clone(), values.clone()
    ours = step(q, *given, row, at)
    for a, b in zip(ours, theirs):
        close(a, b)
    assert (ours[1] is given[0] and ours[2] is given[1]) == bool(donate)
    assert torch.equal(given[0], keys) != bool(donate)



# Views of what attention gives, which need PyTorch's own strides.
class Viewed(nn.Module):
    def forward(self, x):
        q, k, v = [y.view(2, 11, 4, 16).transpose(1, 2) for y in x.chunk(3, -1)]
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(2, 11, 64).view(22, 64)


y = torch.randn(2, 11, 192)
close(attn.compile(Viewed(), y)(y), eager(Viewed(), y))

# Examples that are one tensor, or a parameter, say nothing of later calls; all arguments may vary, those with names too.
class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.full((4, 8), 5.0))

    def forward(self, x, pair, *, z=None):
        return x + 2 * pair["y"] + 3 * z + self.factor


weighted = Weighted()
for same in (torch.randn(4, 8), weighted.factor):
    s = attn.compile(weighted, (same, {"y": same}), example_kwargs={"z": same})
    a, b, c = torch.randn(3, 4, 8).unbind()
    close(s(a, {"y": b}, z=c), eager(weighted, a, {"y": b}, z=c))


class Named(nn.Module):
    def forward(self, x, *, z=None):
        return torch.softmax(x, -1) if z is None else torch.softmax(x, -1) * z


s = attn.compile(Named(), (x,), example_kwargs={"z": x}, dynamic=True)
for length in (5, 40):
    a, b = torch.randn(2, 2, length, 64).unbind()
    close(s(a, z=b), eager(Named(), a, z=b))


# Mixtures of experts: rows are counted and multiplied by group, some of which are empty.
class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 16, 24))

    def forward(self, x, expert):
        ends = torch.histc(expert.float(), bins=4, min=0, max=3).cumsum(0).to(torch.int32)
        order = torch.argsort(expert * len(expert) + torch.arange(len(expert)))
        return torch._grouped_mm(x[order], self.weight, offs=ends), ends


experts = Experts()
chosen = torch.tensor([2, 0, 2, 3, 0, 0, 2, 3])
f2 = attn.compile(experts, (torch.randn(8, 16), chosen))
for expert in (chosen, chosen.flip(0), torch.ones_like(chosen)):
    rows = torch.randn(8, 16)
    product, ends = f2(rows, expert)
    close(ends, torch.bincount(expert, minlength=4).cumsum(0).to(torch.int32))
    close(product, torch.stack([rows[i] @ experts.weight[expert[i]] for i in expert.argsort(stable=True)]))



# Norms of groups of an unknown batch, views of constants as products have them, and squares of sizes.
class Groups(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.bare = nn.GroupNorm(4, 16, eps=1e-6), nn.GroupNorm(2, 16, affine=False)
        self.register_buffer("table", torch.arange(6.0))

    def forward(self, x):
        squares = x.new_zeros(x.shape[0] ** 2).shape[0]
        return self.bare(self.norm(x)) + self.table.view(-1).view(1, 1, 2, 3) + squares


groups = attn.compile(Groups(), torch.randn(3, 16, 2, 3), dynamic={"x": {0: torch.export.Dim("batch", min=2, max=9)}})
for batch in (2, 5):
    pixels = torch.randn(batch, 16, 2, 3)
    close(groups(pixels), eager(Groups(), pixels))

# Half precision.
for dtype in (torch.bfloat16, torch.float16):
    narrow = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dtype=dtype).eval()
    y = torch.randn(2, 17, 64, dtype=dtype)
    close(attn.compile(narrow, y)(y), eager(narrow, y), 4e-2)


# A step over a cache and one number a row: products with a size of 1, whatever is unknown beside it.
class Step(nn.Module):
    def forward(self, q, k, v, keys, values):
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        return nn.functional.scaled_dot_product_attention(q, keys, values)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(64, 1)

    def forward(self, x):
        return (self.score(x).softmax(1) * x).sum(1)


batch, length = torch.export.Dim("batch", min=1, max=9), torch.export.Dim("length", min=2, max=99)
one, past = torch.randn(2, 4, 1, 16), torch.randn(2, 4, 17, 16)
step = attn.compile(Step(), (one, one, one, past, past), dynamic=({0: batch},) * 3 + ({0: batch, 2: length},) * 2)
one, past = torch.randn(3, 4, 1, 16), torch.randn(3, 4, 5, 16)
close(step(one, one, one, past, past), eager(Step(), one, one, one, past, past))
pool = Pool().eval()
pooled = attn.compile(pool, torch.randn(2, 11, 64), dynamic={"x": {0: batch, 1: length}})
rows = torch.randn(3, 7, 64)
close(pooled(rows), eager(pool, rows))


# The scale is computed of the head dimension, which torch-mlir has to know.
class Attention(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v)


heads = attn.compile(Attention(), (past, past, past), dynamic=True)
query = torch.randn(2, 3, 8, 16)
close(heads(query, query, query), eager(Attention(), query, query, query))


# Of two unknown sizes torch-mlir takes one for 1: said, not computed. A slice of one row has the size it says.
cast = "  %1 = {} %0 : tensor<4xf32>\n  %2 = tensor.cast %1 : tensor<?x4x{}> to tensor<1x4x{}>\n"
for element in ("f32", "complex<f32>"):
    assert takes_sizes_for_one(cast.format("tensor.collapse_shape", element, element))
    assert not takes_sizes_for_one(cast.format("tensor.extract_slice", element, element))


class HeadProjection(nn.Module):
    def forward(self, x, w):
        return torch.einsum("bhtd,hdc->bhtc", x, w)


try:
    attn.compile(HeadProjection(), (past, torch.randn(4, 16, 8)), dynamic={"x": {0: batch, 2: length}, "w": None})
    raise SystemExit("a size was taken for 1")
except attn.UnsupportedError as error:
    assert "takes a size that may vary for 1" in str(error), error


# What cannot be compiled is named, with the line of the model that has it.
class Sorted(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvals(x)  # The line that is named.


try:
    attn.compile(Sorted(), torch.randn(4, 4))
    raise SystemExit("eigenvalues were compiled")
except attn.UnsupportedError as error:
    assert "linalg_eig" in error.op and "torch_modules.py:" in error.source, vars(error)
for wrong, kind in ((lambda: f(x.double()), attn.DTypeError), (lambda: f(x[0]), attn.ShapeError),
                    (lambda: f(x.to("meta")), attn.AttnError), (lambda: f(x, x), TypeError),
                    (lambda: attn.compile(layer), TypeError)):
    try:
        wrong()
        raise SystemExit("a mistake was not noticed")
    except kind:
        pass
# Without torch-mlir the text says where it is.
program = "import sys; sys.modules['torch_mlir'] = None; import attn, torch; attn.compile(torch.nn.ReLU(), torch.zeros(2))"
run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
assert "MissingExtraError: compiling torch needs torch-mlir: pip install" in run.stderr, run.stderr

# The short way takes such calls, and does not leave them to the long one.
for entry, tensors in ((f, (x,)), (g, (torch.randn(2, 5, 64),))):
    assert entry._find_way(torch.Tensor)(entry, entry.flatten(*tensors), None) is not None, entry
print("torch modules: good")
