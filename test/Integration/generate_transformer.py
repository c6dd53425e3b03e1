# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of multi-head attention and feed-forward layers.

Each is compiled and compared with the f64 reference by attn-run --check. A
failing case prints the command that runs it again.
"""

import itertools
import random
import sys

import function_case
import policies
from function_case import part, tensor

ELEMENTS = ["f32", "bf16", "f16", "f64"]


class Function(function_case.Function):
    """A function with one op, weights and caches."""

    def __init__(self):
        super().__init__()
        self.attributes, self.constants = {}, ""

    def argument(self, shape, element, unknown=(), inout=None):
        if inout is not None:
            self.attributes[len(self.arguments)] = f" {{attn.inout = {inout} : index}}"
        return super().argument(shape, element, unknown)

    def type(self, name):
        return self.arguments[int(name[2:])]

    def clause(self, keyword, *names):
        names = [name for name in names if name]
        return f"{keyword}({', '.join(names)} : {', '.join(map(self.type, names))}) " if names else ""

    def layer(self, keyword, rows, columns, element, bias, out_in):
        shape = (columns, rows) if out_in else (rows, columns)
        # A bias may be as wide as the sums.
        wide = "f32" if bias == "wide" and element != "f64" else element
        weight = self.argument(shape, element)
        return self.clause(keyword, weight, self.argument((columns,), wide) if bias else "")

    def text(self, body, results, layout=""):
        named, before = [f"%a{i}" for i in range(len(self.arguments))], self.constants
        types = list(self.arguments)
        held = part(types[0], layout) if layout else None
        if held:  # the input is a part of a larger tensor
            named[0] = "%w"
            before += f"  %a0 = tensor.extract_slice %w{held[1]} : {held[0]} to {types[0]}\n"
            types[0] = held[0]
        arguments = ", ".join(f"{name}: {type}{self.attributes.get(i, '')}"
                              for i, (name, type) in enumerate(zip(named, types)))
        names = ", ".join(f"%y{i}" for i in range(len(results)))
        types = ", ".join(results)
        return f"func.func @case({arguments}) -> ({types}) {{\n{before}  {names} = {body}-> {types}\n" \
            f"  return {names} : {types}\n}}\n"


def feed_forward_cases():
    functions = ["relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus", "",
                 "quick_gelu", "hard_swish", "mish", "relu_squared", "leaky_relu", "relu6", "hard_sigmoid", "softsign"]
    shapes = [((7,), 24, 40), ((2, 5), 33, 17), ((1, 64), 64, 96), ((), 16, 16), ((0,), 8, 8), ((3, 1), 48, 130),
              ((5,), 1, 9)]
    for i, (function, gated, element) in enumerate(itertools.product(functions, [False, True], ELEMENTS)):
        f, rng = Function(), random.Random(i)  # so that no choice keeps step with another
        rows, m, h = shapes[rng.randrange(len(shapes))]
        out_in, biased = rng.random() < 0.3, rng.choice(["", "narrow", "wide"])
        x = f.argument(rows + (m,), element, [len(rows) - 1] if rows and rng.random() < 0.4 else [])
        gate = f.layer("gate", m, h, element, biased, out_in) if gated else ""
        up = f.layer("up", m, h, element, biased if i % 5 else "", out_in)
        down = f.layer("down", h, m, element, biased if rng.random() < 0.8 else "", out_in)
        more = (rng.choice(["", "centered ", "unit_moment ", "centered unit_moment "]) if function else "") + \
            ("parameterisation(ntk) " if rng.random() < 0.4 else "") + ("weight(out_in) " if out_in else "")
        body = f"attn.feed_forward {function} {more}{f.clause('ins', x)}{gate}{up}{down}"
        yield f"feed_forward {function or 'linear'} {gated} {rows} {m} {h} {element}", f, \
            f.text(body, [f.type(x)], rng.choice(["", "rows apart", "columns apart"]))


# scale, softmax, what follows, and the params: per head (h), per sequence as integers (n), per sequence and row
# (r) or key (k) as integers, for each pair of a row and a key as numbers (f) or as booleans (b)
POLICIES = [
    ("#attn.inv_sqrt_dim", "#attn.softmax", "align(top_left) masks [#attn.causal] ", ""),
    ("#attn.inv_sqrt_dim", "#attn.softmax", "", ""),
    ("#attn.learned", "#attn.sink", "align(bottom_right) bias [#attn.alibi] masks [#attn.causal] ", "hh"),
    ("#attn.log_length<base = 16.0, n = keys>", "#attn.softmax1", "align(top_left) masks [#attn.window<left = 3, right = 1>] ", ""),
    ("#attn.log_length<base = 16.0, n = visible>", "#attn.softmax_n<2.5>", "align(bottom_right) masks [#attn.causal] softcap(5.0) ", ""),
    ("#attn.constant<0.3>", "#attn.softmax", "masks [#attn.kv_lengths] ", "n"),
    ("#attn.constant<10.0>", "#attn.softmax1", "cosine", ""),
]
#: With two forms each, for what the others leave out.
MORE_POLICIES = [
    ("#attn.entropy_invariant<n = position>", "#attn.softmax", "align(top_left) bias [#attn.dense_bias] ", "hf"),
    ("#attn.gradient_max<scores = normal, n = position_operand>", "#attn.softmax1", "masks [#attn.segment_ids] ", "rrk"),
    ("#attn.gradient_max<scores = cosine, n = keys>", "#attn.softmax", "cosine max_norm", ""),
    ("#attn.gradient_max_fit<scores = cosine, n = constant(100)>", "#attn.softmax", "cosine", ""),
    ("#attn.gradient_max_fit<scores = normal, n = half_max(300)>", "#attn.sink", "masks [#attn.dense_mask] ", "bh"),
    ("#attn.gradient_max_blind", "#attn.softmax", "masks [#attn.additive_mask] ", "f"),
    ("#attn.log_length<base = 16.0, n = seen>", "#attn.softmax1", "masks [#attn.additive_mask] ", "f"),
    ("#attn.inv_dim", "#attn.softmax", "align(top_left) bias [#attn.alibi<slopes = operand>] ", "h"),
    ("#attn.none", "#attn.softmax", "dot", ""),
    ("#attn.operand", "#attn.softmax1", "", "h"),
]
MORE_POLICIES += [("#attn.inv_sqrt_dim", "#attn.softmax", f"{clauses} ", letters)
                  for mask in policies.MASKS.values() for clauses, letters in mask.heads]
KNOWN = POLICIES + MORE_POLICIES
MORE_POLICIES += [(scale, "#attn.softmax", "", "") for scale in policies.unnamed(policies.SCALES, KNOWN)]
MORE_POLICIES += [("#attn.inv_sqrt_dim", e0, "", "") for e0 in policies.unnamed(policies.NORMALIZERS, KNOWN)]
MORE_POLICIES += [("#attn.inv_sqrt_dim", "#attn.softmax", f"align(top_left) bias [{bias}] ", "")
                  for bias in policies.unnamed(policies.BIASES, KNOWN)]


def rope_clause(i):
    return ["rope(interleaved) ", "rope(half_split) base(5.0e+05) ", "rope(half_split) rotary_dim(4) ",
            "rope(interleaved) position_scale(0.25) "][i % 4]


class Attention:
    """One case of attn.multi_head_attention, put together clause by clause."""

    def __init__(self, number, element, sizes, policy, form):
        self.i, self.element, self.policy, self.form = number, element, policy, form
        self.batch, self.rows, self.heads, self.groups, self.d, self.dv, self.width = sizes
        self.f = Function()
        self.out_in = number % 4 == 1
        self.bias = ["", "narrow", "wide"][number % 3]

    def projections(self, source_width):
        columns = [("query", self.width, self.heads * self.d)]
        if self.form != "cached":
            columns += [("key", source_width, self.groups * self.d), ("value", source_width, self.groups * self.dv)]
        columns.append(("output", self.heads * self.dv, self.width))
        # Some layers have no bias beside others that have one.
        return "".join(self.f.layer(name, rows, count, self.element, self.bias if (self.i + k) % 5 else "", self.out_in)
                       for k, (name, rows, count) in enumerate(columns))

    def cache(self, added):
        """Rows in use, and what holds them."""
        f, room = self.f, added + 9
        results = [f.type("%a0")]
        shapes = [self.batch + (self.groups, room, size) for size in (self.d, self.dv)]
        appends = self.form != "cached"
        names = [f.argument(shape, self.element, [len(shape) - 2], inout=k + 1 if appends else None)
                 for k, shape in enumerate(shapes)]
        if appends:
            results += [f.type(name) for name in names]
        past, type = "%past", "index"
        if self.form == "ragged":
            lengths = ", ".join(str((self.i + 4 * s) % 10) for s in range(self.batch[0]))
            type = tensor(self.batch, "i64" if self.i % 2 else "i32")
            f.constants = f"  %past = arith.constant dense<[{lengths}]> : {type}\n"
        else:
            type = ["index", "i32", "i64"][self.i % 3]
            f.constants = f"  %past = arith.constant {[0, 7, 9, 4][self.i % 4]} : {type}\n"
        return f.clause("cache", *names) + f"past({past} : {type}) ", results

    def text(self):
        f, element = self.f, self.element
        scale, softmax, more, params = self.policy
        unknown = [len(self.batch)] if self.i % 2 and self.rows > 1 else []
        x = f.argument(self.batch + (self.rows, self.width), element, unknown)
        source_width, memory, added = self.width, "", self.rows
        if self.form in ("cross", "cross_append"):
            source_width, added = 20, 11
            memory = f.clause("memory", f.argument(self.batch + (added, source_width), element, [len(self.batch)]))
        similarity = ""
        if more.startswith("cosine"):
            mode = "max_norm" if "max_norm" in more else "rsqrt_sum"
            similarity, more = f"similarity(#attn.cosine<eps = 1.0e-06, mode = {mode}>) ", ""
        if more == "dot":
            similarity, more = "similarity(#attn.dot) ", ""
        rotates = self.form in ("self", "append", "ragged") and self.i % 3 != 2
        # Weights are drawn from N(0, 1): without a factor or a norm all weight would be on one key.
        norm = ["", "qk_norm(rms, 1.0e-06) ", "qk_norm(layer, 1.0e-05) ", "qk_norm(l2, 0.0) ", "",
                "qk_norm(rms, 1.0) ", "qk_norm(layer, 1.0e-12) ", "qk_norm(l2, 1.0e-06) "][self.i // 2 % 8]
        clauses = f"heads({self.heads}) " + (f"kv_heads({self.groups}) " if self.groups != self.heads else "") + \
            f"scale({scale}) {similarity}softmax({softmax}) {more}{norm}" + (rope_clause(self.i) if rotates else "") + \
            ("" if norm and self.i % 5 else "parameterisation(ntk) ") + ("weight(out_in) " if self.out_in else "")
        body = f"attn.multi_head_attention {clauses}{f.clause('ins', x)}{memory}{self.projections(source_width)}"
        if norm and self.i % 4 != 2:
            wide = "f64" if element == "f64" else "f32"
            body += f.clause("gains", f.argument((self.d,), wide), f.argument((self.d,), wide))
        if rotates and self.i % 7 == 0:
            body += f.clause("positions", f.argument((self.rows,), "i32"))
        body += f.clause("params", *(self.param(kind, added) for kind in params))
        results = [f.type(x)]
        if self.form in ("append", "ragged", "cross_append", "cached"):
            clause, results = self.cache(added)
            body += clause
        return f.text(body, results, ["", "rows apart", "columns apart"][self.i // 4 % 3])

    def param(self, kind, keys):
        floats = "f64" if self.element == "f64" else "f32"
        shape, element = {"h": ((self.heads,), floats), "n": (self.batch, "i32"),
                          "r": (self.batch + (self.rows,), "i32"), "k": (self.batch + (keys,), "i32"),
                          "f": ((self.rows, keys), floats), "b": ((self.rows, keys), "i1")}[kind]
        return self.f.argument(shape, element)


def attention_cases():
    # batch, rows, heads, groups, d, dv, width of the input
    sizes = [((2,), 17, 4, 4, 16, 16, 32), ((1,), 33, 6, 2, 8, 8, 48), ((2,), 1, 4, 1, 16, 24, 40),
             ((3,), 5, 2, 2, 40, 8, 24), ((), 19, 4, 2, 16, 16, 64), ((2, 2), 3, 2, 1, 8, 8, 16),
             ((2,), 7, 3, 1, 8, 5, 9), ((3,), 6, 2, 2, 8, 8, 1), ((2,), 0, 2, 1, 8, 8, 16)]
    forms = ["self", "cross", "append", "ragged", "cross_append", "cached"]
    number = 0
    for element, form, policy in itertools.product(ELEMENTS, forms, POLICIES):
        number += 1
        size = sizes[(number + number // 6) % len(sizes)]
        if form == "ragged" and len(size[0]) != 1:
            size = sizes[number % 4]
        if "kv_lengths" in policy[2] and (form not in ("self", "cross") or len(size[0]) != 1):
            policy = POLICIES[0]
        case = Attention(number, element, size, policy, form)
        yield f"attention {form} {size} {policy[0]} {policy[1]} {element}", case.f, case.text()
    for element, form, policy in itertools.product(ELEMENTS, ["self", "cross"], MORE_POLICIES):
        number += 1
        size = sizes[number % 2]
        case = Attention(number, element, size, policy, form)
        yield f"attention {form} {size} {policy[0]} {policy[1]} {element}", case.f, case.text()


def all_cases():
    return itertools.chain(feed_forward_cases(), attention_cases())


if __name__ == "__main__":
    sys.exit(function_case.main(__doc__, "transformer", all_cases()))
