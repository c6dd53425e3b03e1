# REQUIRES: jax
# RUN: %attn-frameworks %s
"""Functions of JAX as kernels: trees of arguments, loops, what is left out, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np

import attn

x, w = (np.random.default_rng(i).standard_normal((6, 6)).astype(np.float32) for i in range(2))


def block(params, x, unused):
    h = jax.nn.gelu(x @ params["w"]) + params["b"]
    return {"y": jax.nn.softmax(h), "top": h.max()}


tree = {"w": w, "b": x[0]}
f = attn.compile(block, (tree, x, w), cache=False)
wanted = block(tree, x, w)
for results in (f(tree, x, w), f(jax.tree.map(jnp.asarray, tree), jnp.asarray(x), w)):
    assert set(results) == {"y", "top"}
    for name, value in results.items():
        np.testing.assert_allclose(value, wanted[name], atol=2e-6)
theirs = jax.jit(block)
jitted = attn.compile(theirs, (tree, jax.ShapeDtypeStruct((6, 6), jnp.float32), w), cache=False)
np.testing.assert_array_equal(jitted(tree, x, w)["y"], f(tree, x, w)["y"])
# The function is still JAX's to compile.
np.testing.assert_allclose(theirs(tree, x, w)["y"], wanted["y"], atol=2e-6)


def loop(x):
    y, _ = jax.lax.scan(lambda c, w: (jnp.tanh(c @ w), None), x, jnp.stack([w, w.T, w]))
    return jax.lax.cond(y.sum() > 0, lambda y: y, lambda y: -y, y)


np.testing.assert_allclose(attn.compile(loop, x, cache=False)(x), loop(x), atol=2e-6)

attend = lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True)
q = np.random.default_rng(2).standard_normal((2, 16, 4, 32)).astype(np.float32)
g = attn.compile(attend, (q, q, q), cache=False)
assert any(remark["id"] == "attn-r101" for remark in g.remarks), g.remarks
np.testing.assert_allclose(g(q, q, q), attend(q, q, q), atol=2e-6)


def refused(words, function, examples, **options):
    try:
        attn.compile(function, examples, **options)
    except attn.UnsupportedError as error:
        assert words in str(error), error
        return error
    raise AssertionError(f"{words}: not refused")


error = refused("has no way into the compiler", lambda x: jnp.sort(x), (x,))
assert error.op == "stablehlo.sort" and "functions.py" in error.source, vars(error)
refused("compile once for each shape", block, (tree, x, w), dynamic=True)
refused("for example inputs", block, None)
