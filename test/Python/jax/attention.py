# REQUIRES: jax
# RUN: env XLA_FLAGS=--xla_force_host_platform_device_count=2 %attn-frameworks %s
"""attn.jax.attention equals jax.nn.dot_product_attention: under jit, vmap, grad, and shard_map on two devices."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

import attn
from attn.jax.attention import Operands, Policies, reference

B, T, S, H, D = 2, 24, 24, 4, 32
keys = iter(jax.random.split(jax.random.key(0), 64))
draw = lambda *shape: jax.random.normal(next(keys), shape)
q, k, v = draw(B, T, H, D), draw(B, S, H, D), draw(B, S, H, D)
bias, mask = draw(1, H, T, S), jax.random.bernoulli(next(keys), 0.7, (B, 1, T, S)).at[..., 0].set(True)
lengths = jnp.array([S, 7], jnp.int32)


def close(got, wanted, words, atol=1e-5):
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (words, got.shape, wanted.shape)
    np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(wanted, np.float64), atol=atol, err_msg=words)


# What both have.
for options in ({}, {"is_causal": True}, {"scale": 0.3}, {"bias": bias}, {"mask": mask}, {"mask": mask, "is_causal": True},
                {"local_window_size": 4}, {"local_window_size": (4, 0), "is_causal": True},
                {"key_value_seq_lengths": lengths}, {"query_seq_lengths": lengths, "key_value_seq_lengths": lengths}):
    got = jax.jit(functools.partial(attn.jax.attention, **options))(q, k, v)
    close(got, jax.nn.dot_product_attention(q, k, v, **options), str(list(options)))
grouped = k[:, :, :2], v[:, :, :2]
close(attn.jax.attention(q, *grouped), jax.nn.dot_product_attention(q, *grouped), "grouped heads")
close(attn.jax.attention(q[0], k[0], v[0]), jax.nn.dot_product_attention(q[0], k[0], v[0]), "no batch")
narrow = [x.astype(jnp.bfloat16) for x in (q, k, v)]
close(attn.jax.attention(*narrow), jax.nn.dot_product_attention(*narrow), "bf16", 2e-2)

# What attn has beside it: the formula of its gradient, and softmax1 and a sink once more by hand.
sink = draw(H)
for name, options in (("softmax1", {"normalizer": "softmax1"}), ("sink", {"sink": sink})):
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(D).astype(np.float32)
    extra = jnp.exp(sink)[None, :, None, None] if name == "sink" else 1
    weights = jnp.exp(scores) / (jnp.exp(scores).sum(-1, keepdims=True) + extra)
    close(attn.jax.attention(q, k, v, **options), jnp.einsum("bhts,bshd->bthd", weights, v), name)
capped = Policies(None, True, (5, -1), 2.0, "softmax1")
close(attn.jax.attention(q, k, v, is_causal=True, local_window_size=(5, -1), softcap=2.0, normalizer="softmax1"),
      reference(capped, Operands(q, k, v)), "softcap")

# Transformations.
causal = functools.partial(attn.jax.attention, is_causal=True)
theirs = functools.partial(jax.nn.dot_product_attention, is_causal=True)
stacked = [jnp.stack([x, 2 * x, x + 1]) for x in (q, k, v)]
close(jax.jit(jax.vmap(causal))(*stacked), jax.vmap(theirs)(*stacked), "vmap", 2e-5)
close(jax.vmap(causal, (0, None, None))(stacked[0], k, v), jax.vmap(theirs, (0, None, None))(stacked[0], k, v), "vmap one", 2e-5)
twice = [x[None] for x in stacked]
close(jax.vmap(jax.vmap(causal))(*twice), jax.vmap(jax.vmap(theirs))(*twice), "vmap twice", 2e-5)
masked = lambda f: jax.vmap(lambda q, k, v, m: f(q, k, v, mask=m), (0, 0, 0, None))
close(masked(attn.jax.attention)(*stacked, mask), masked(jax.nn.dot_product_attention)(*stacked, mask), "vmap a mask", 2e-5)
loss = lambda f: jax.jit(jax.grad(lambda *x: (f(*x) ** 2).sum(), (0, 1, 2)))
for ours, wanted in zip(loss(causal)(q, k, v), loss(theirs)(q, k, v)):
    close(ours, wanted, "grad", 1e-4)

# Two devices, each with a part of the batch or of the heads, have the bits of one.
assert len(jax.devices()) == 2, jax.devices()
mesh = Mesh(np.array(jax.devices()), ("x",))
alone = np.asarray(jax.jit(causal)(q, k, v))
for spec in (P("x"), P(None, None, "x")):
    shared = jax.jit(shard_map(causal, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec))(q, k, v)
    assert len(shared.sharding.device_set) == 2
    np.testing.assert_array_equal(np.asarray(shared), alone, err_msg=str(spec))


def refused(words, error, *arguments, **options):
    try:
        attn.jax.attention(*arguments, **options)
    except error as found:
        assert words in str(found), found
        return
    raise AssertionError(f"{words}: not refused")


refused("no multiple", ValueError, q, k[:, :, :3], v[:, :, :3])
refused("do not fit", ValueError, q, k, v[:, :5])
refused("does not broadcast", ValueError, q, k, v, bias=bias[:, :3])
refused("one float a head", ValueError, q, k, v, sink=sink[:2])
refused("no normalizer", ValueError, q, k, v, normalizer="sparsemax")
