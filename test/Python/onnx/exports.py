# REQUIRES: torch, onnxruntime, onnxscript
# RUN: %attn-frameworks %s
"""What torch.onnx writes: raised as torch's own export is, and right at sizes that vary."""

import os
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch

import attn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.backends.mha.set_fastpath_enabled(False)
WIDTH = 64
batch, length = (torch.export.Dim(name, min=2, max=512) for name in ("batch", "length"))


class Decoder(torch.nn.Module):
    """Grouped heads, rotary positions, a causal attention, a gate."""

    def __init__(self, heads=4, key_heads=2):
        super().__init__()
        self.heads, self.key_heads, self.dim = heads, key_heads, WIDTH // heads
        self.norm = torch.nn.RMSNorm(WIDTH)
        self.q, self.o = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.k, self.v = (torch.nn.Linear(WIDTH, key_heads * self.dim) for _ in range(2))
        self.embedding = torch.nn.Embedding(50, WIDTH)

    def rotate(self, x):
        half = self.dim // 2
        angles = torch.arange(x.shape[2]).float()[:, None] * 10000.0 ** (-torch.arange(half) / half)
        cos, sin = torch.cat([angles, angles], -1).cos(), torch.cat([angles, angles], -1).sin()
        return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

    def forward(self, ids):
        x = self.embedding(ids)
        h = self.norm(x)
        split = lambda y, heads: y.unflatten(-1, (heads, self.dim)).transpose(1, 2)
        q, k, v = split(self.q(h), self.heads), split(self.k(h), self.key_heads), split(self.v(h), self.key_heads)
        k, v = (y.repeat_interleave(self.heads // self.key_heads, 1) for y in (self.rotate(k), v))
        y = torch.nn.functional.scaled_dot_product_attention(self.rotate(q), k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return torch.nn.functional.silu(x) * x


encoder = torch.nn.TransformerEncoderLayer(WIDTH, 4, 128, batch_first=True, activation="gelu")
words = lambda b, n: torch.randint(0, 50, (b, n))
CASES = [("encoder", encoder, lambda b, n: torch.randn(b, n, WIDTH), {"attention": 1, "norm": 2}),
         ("decoder", Decoder(), words, {"attention": 1, "norm": 1})]
with tempfile.TemporaryDirectory() as folder:
    for name, module, draw, wanted in CASES:
        module.eval()
        for opset in (18, 20, 23):
            path = os.path.join(folder, f"{name}{opset}.onnx")
            with torch.no_grad():
                torch.onnx.export(module, (draw(2, 11),), path, dynamo=True, dynamic_shapes=({0: batch, 1: length},),
                                  opset_version=opset, external_data=False, verbose=False)
            f = attn.compile(path, cache=False)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            feed = session.get_inputs()[0].name
            for sizes in ((2, 11), (3, 40), (1, 1), (1, 9)):
                x = draw(*sizes).numpy()
                np.testing.assert_allclose(f(x), session.run(None, {feed: x})[0], atol=5e-6, err_msg=f"{path} {sizes}")
            raised = f.module.clone()
            raised.run("attn-raise-pipeline")
            counts = {op: str(raised).count(f"attn.{op} ") for op in wanted}
            assert counts == wanted, (name, opset, counts)
            print(name, opset, counts)
