# REQUIRES: attn_python, torch
# RUN: %attn-frameworks %s
"""torch.compile(model, backend="attn"): whole graphs, parts of graphs, sizes that vary, training."""

import torch
from torch import nn
from torch.nn import functional as F

from attn.torch import counters, reset

torch.manual_seed(0)


def check(name, model, *inputs, tolerance=2e-5, grad=False, **options):
    """Compiles, compares, and returns what happened."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    reset()
    with torch.set_grad_enabled(grad):
        compiled = torch.compile(model, backend="attn", **options)
        torch.testing.assert_close(compiled(*inputs), model(*inputs), atol=tolerance, rtol=tolerance)
    assert not torch._dynamo.utils.counters["graph_break"], torch._dynamo.utils.counters["graph_break"]
    print(name, dict(counters))
    return compiled, dict(counters)


class Block(nn.Module):
    """GPT-2's, as nanoGPT has it."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.c_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = [y.view(b, t, self.heads, c // self.heads).transpose(1, 2)
                   for y in self.c_attn(self.ln_1(x)).split(c, 2)]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c)
        x = x + self.c_proj(y)
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


x = torch.randn(2, 17, 64)
block = Block().eval()
_, seen = check("block", block, x)
assert seen["kernels"] == 1 and seen["graphs"] == 1 and not any(key.startswith(("fallback", "left")) for key in seen)
_, seen = check("encoder", nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval(), x)
assert seen["kernels"] == 1, seen

# Sizes that vary: one graph for all of them.
compiled, seen = check("dynamic", block, x, dynamic=True)
with torch.no_grad():
    for length in (5, 33, 64):
        y = torch.randn(2, length, 64)
        torch.testing.assert_close(compiled(y), block(y), atol=2e-5, rtol=2e-5)
print("dynamic", dict(counters))
assert counters["graphs"] <= 2 and not any(key.startswith("fallback") for key in counters), counters


# An op that stays PyTorch's between others that do not.
class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        return self.second(self.first(x).sort(dim=-1).values) + torch.linalg.eigvalsh(x[:, :4, :4]).sum()


_, seen = check("mixed", Mixed().eval(), x, tolerance=1e-4)
assert seen["kernels"] >= 2 and seen["left"] >= 1 and any("eigh" in key for key in seen), seen


# A tensor that the model's source holds.
check("constant", lambda x: x * torch.tensor([1.0, 2.0]).repeat(32) + torch.tensor(3.0).sqrt(), x)


# State that is written to.
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(64))

    def forward(self, x):
        self.seen.add_(x.mean((0, 1)))
        return x * torch.sigmoid(self.seen)


one, two = Counting(), Counting()
torch._dynamo.reset()
with torch.no_grad():
    compiled = torch.compile(one, backend="attn")
    for _ in range(3):
        torch.testing.assert_close(compiled(x), two(x))
        torch.testing.assert_close(one.seen, two.seen)


# A cache that the model leaves as it was stays so.
def attend(q, keys, values, row, at):
    keys = keys.index_copy(2, at, row)
    return F.scaled_dot_product_attention(q, keys, values.index_copy(2, at, row)), keys


q, cache, at = torch.randn(1, 4, 1, 16), torch.randn(1, 4, 9, 16), torch.tensor([3])
kept = cache.clone()
check("cache", attend, q, cache, cache.clone(), q * 2, at)
torch.testing.assert_close(cache, kept, atol=0, rtol=0)

# Training: gradients are those of PyTorch.
model = Block()
compiled, seen = check("training", model, x, grad=True)
y = torch.randn(2, 17, 64, requires_grad=True)
compiled(y).square().mean().backward()
ours = [y.grad.clone()] + [p.grad.clone() for p in model.parameters()]
y.grad = None
model.zero_grad()
model(y).square().mean().backward()
for found, wanted in zip(ours, [y.grad] + [p.grad for p in model.parameters()]):
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-3)

# Random numbers are PyTorch's.
dropping = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5), nn.Linear(64, 64)).train()
torch._dynamo.reset()
reset()
compiled = torch.compile(dropping, backend="attn")
with torch.no_grad():
    found = [compiled(x) for _ in range(2)]
assert not torch.equal(*found) and any("dropout" in key or "rand" in key or "bernoulli" in key for key in counters), counters
print("torch.compile: good")
