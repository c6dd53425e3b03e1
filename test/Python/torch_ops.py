# REQUIRES: attn_python, torch
# RUN: %attn-frameworks %s
"""torch.ops.attn.attention: every policy against the reference formula, gradients, fake tensors, torch.compile."""

import math

import torch
from torch.nn import functional as F

import attn
from attn.torch import attention, reference

torch.manual_seed(0)
B, H, G, M, N, D, V = 2, 4, 2, 7, 11, 16, 8
q, k, v = torch.randn(B, H, M, D), torch.randn(B, G, N, D), torch.randn(B, G, N, V)
heads = torch.rand(H) + 0.5
ids = torch.sort(torch.randint(0, 3, (B, N)), 1).values.to(torch.int32)
lengths = torch.tensor([11, 4], dtype=torch.int32)
dense = torch.rand(1, 1, M, N) < 0.7
added = torch.where(dense, torch.randn(1, 1, M, N), -math.inf)
CASES = [
    {},
    {"scale": "none"}, {"scale": "inv_dim"}, {"scale": "constant<0.3>"}, {"scale": ("learned", heads)},
    {"scale": ("operand", torch.tensor(0.3))}, {"scale": "entropy_invariant<kappa = 2.0, n = keys>"},
    {"scale": ("entropy_invariant<n = position>", heads)}, {"scale": "log_length<base = 512.0, n = position>"},
    {"scale": "log_length<base = 4.0, n = visible>", "masks": ["causal"]},
    {"scale": "log_length<n = visible>", "masks": ["causal", ("dense_mask", dense)]},
    {"scale": "log_length<n = seen>", "masks": ["causal", ("dense_mask", dense), ("kv_lengths", lengths)]},
    {"scale": "gradient_max<scores = normal, n = seen>",
     "masks": [("segment_ids", ids[:, :M].contiguous(), ids), ("additive_mask", added)]},
    {"scale": "log_length<base = 4.0, n = constant(30)>"}, {"scale": "log_length<base = 4.0, n = half_max(64)>"},
    {"scale": "gradient_max_fit<scores = normal, n = keys>"}, {"scale": "gradient_max_blind"},
    {"scale": "gradient_max<scores = normal, n = position>"},
    {"softmax": "softmax1"}, {"softmax": "softmax_n<2.5>"}, {"softmax": ("sink", heads)}, {"softcap": 2.0},
    {"similarity": "cosine<eps = 1.0e-6, mode = rsqrt_sum>", "scale": "constant<5.0>"},
    {"bias": [("dense_bias", torch.randn(1, H, M, N))]}, {"bias": ["alibi"]},
    {"bias": [("alibi<slopes = operand>", heads)]},
    {"masks": ["causal"]}, {"masks": ["causal"], "align": "top_left"}, {"masks": ["window<left = 2, right = 1>"]},
    {"masks": ["chunked<4>"]}, {"masks": [("kv_lengths", lengths)]}, {"masks": [("prefix_lm", lengths)]},
    {"masks": [("segment_ids", ids[:, :M].contiguous(), ids)]}, {"masks": [("dense_mask", dense)]},
    {"masks": [("additive_mask", added)]},
    {"masks": ["causal", ("kv_lengths", lengths), ("dense_mask", dense)], "softmax": ("sink", heads),
     "scale": ("learned", heads), "bias": [("dense_bias", torch.randn(1, H, M, N))], "softcap": 5.0},
]


def split(case):
    """The case as the op's arguments."""
    params, names = [], {"scale": "inv_sqrt_dim", "bias": [], "masks": [], "softmax": "softmax", "similarity": "dot",
                         "align": "bottom_right", "softcap": 0.0, **case}
    for kind in ("scale", "bias", "masks", "softmax"):
        given = names[kind] if kind in ("bias", "masks") else [names[kind]]
        given = [policy if isinstance(policy, tuple) else (policy,) for policy in given]
        params += [tensor for policy in given for tensor in policy[1:]]
        words = [policy[0] for policy in given]
        names[kind] = words if kind in ("bias", "masks") else words[0]
    return params, list(names.values())


for case in CASES:
    params, policies = split(case)
    wanted = reference.attention(q.double(), k.double(), v.double(),
                                 [p.double() if p.is_floating_point() else p for p in params], *policies)
    try:
        torch.testing.assert_close(attention(q, k, v, **case).double(), wanted, atol=2e-5, rtol=2e-5)
    except AssertionError as error:
        raise SystemExit(f"{policies}: {error}") from error
print(len(CASES), "cases")

# As PyTorch's own.
square = [torch.randn(2, 4, 9, 16, requires_grad=True) for _ in range(3)]
ours, theirs = attention(*square, masks=["causal"]), F.scaled_dot_product_attention(*square, is_causal=True)
torch.testing.assert_close(ours, theirs)
weight = torch.randn_like(ours)
for a, b in zip(torch.autograd.grad((ours * weight).sum(), square), torch.autograd.grad((theirs * weight).sum(), square)):
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
logits = torch.randn(4, dtype=torch.float64, requires_grad=True)
narrow = [torch.randn(1, 4, 3, 8, dtype=torch.float64, requires_grad=True) for _ in range(3)]
assert torch.autograd.gradcheck(lambda *x: attention(*x[:3], softmax=("sink", x[3]), masks=["causal"]), [*narrow, logits])
torch.library.opcheck(torch.ops.attn.attention.default, (*square, [], "inv_sqrt_dim", [], ["causal"], "softmax1", "dot",
                                                         "top_left", 0.0))

# Lengths vary without a new kernel; bfloat16; one row.
from attn.torch import ops  # noqa: E402
before = ops._compile.cache_info().misses
for length in (5, 9, 64):
    x = torch.randn(1, 4, length, 16)
    torch.testing.assert_close(attention(x, x, x), F.scaled_dot_product_attention(x, x, x))
assert ops._compile.cache_info().misses <= before + 1
x = torch.randn(1, 4, 33, 64, dtype=torch.bfloat16)
torch.testing.assert_close(attention(x, x, x), F.scaled_dot_product_attention(x, x, x), atol=2e-2, rtol=2e-2)
torch.testing.assert_close(attention(x[:, :, :1], x, x), F.scaled_dot_product_attention(x[:, :, :1], x, x),
                           atol=2e-2, rtol=2e-2)


# Beside what is compiled.
def model(x, w):
    return attention(x @ w, x, x, masks=["causal"], softmax="softmax1") @ w


x, w = torch.randn(1, 4, 9, 16), torch.randn(16, 16) / 4
for backend in ("eager", "attn"):
    torch._dynamo.reset()
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(model, backend=backend, fullgraph=True)(x, w), model(x, w),
                                   atol=1e-5, rtol=1e-5)

# As a part of a model it becomes the op of the dialect again, in one kernel with the rest.
class Attending(torch.nn.Module):
    def forward(self, x):
        y = attention(x, x, x, masks=["causal"], softmax="softmax1", scale=("learned", heads))
        return attention(y, x, x, bias=["alibi"], align="top_left", softmax=("sink", heads)) + x


whole = attn.compile(Attending(), torch.randn(1, 4, 9, 16))
x = torch.randn(1, 4, 9, 16)
torch.testing.assert_close(whole(x), Attending()(x), atol=1e-5, rtol=1e-5)
raised = whole.ir("raise")
assert raised.count("attn.attention") == 2 and "#attn.softmax1" in raised and "#attn.sink" in raised, raised

for wrong, kind, words in ((lambda: attention(q, k, v, scale="nothing"), attn.CompileError, "nothing"),
                           (lambda: attention(q, k, v, scale="none>"), ValueError, "policy"),
                           (lambda: attention(q, k, v, masks=["kv_lengths"]), attn.CompileError, "param"),
                           (lambda: attention(q[0], k, v), ValueError, "batch"),
                           (lambda: attention(q, k[:, :, :, :8], v), attn.AttnError, "")):
    try:
        wrong()
        raise SystemExit(f"{words} was not noticed")
    except kind as error:
        assert words in str(error), error
print("torch ops: good")
