# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One attention problem as a record, its IR text and its input arrays.

Shared by the case generator of the tests and by the benchmark driver, so that
both speak of the same kernels.
"""

from dataclasses import dataclass, field

import numpy as np

from policies import Draw, Param, Place, find, sees

#: element type name -> (numpy storage type, how npz files hold it)
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16}


@dataclass
class Case:
    scale: str = "#attn.inv_sqrt_dim"
    normalizer: str = "#attn.softmax"
    similarity: str = ""
    masks: tuple = ()
    biases: tuple = ()
    softcap: float = 0.0
    #: "", "bf16x3" or "bf16x6"
    products: str = ""
    #: "", "scale" (multiplies by a param) or "distance" (adds a param times i - j)
    region: str = ""
    align: str = ""
    #: bhmd, bmhd (rows before heads), bhdm (keys and queries transposed), hmd (no batch)
    layout: str = "bhmd"
    dtype: str = "f32"
    #: which of M and N are dynamic in the types: "", "m", "n", "mn", "bmn"
    dynamic: str = ""
    B: int = 1
    Hq: int = 2
    Hkv: int = 2
    M: int = 16
    N: int = 16
    d: int = 16
    dv: int = 16
    lse: bool = False
    #: statistics of each row: entropy, sum_p, sum_p2, half_gradient_norm, max_logit
    probes: tuple = ()
    #: normal, large, equal, equal_keys, onehot, denormal, zero, poison
    inputs: str = "normal"
    seed: int = 0
    #: the extra operand of a policy: "scalar", "head", "row"
    operand: str = "head"
    #: dimensions of dense biases and masks, in their order in memory
    dense: str = "mn"
    #: "from rows apart": query, key and value are parts of larger tensors, "to columns apart": the output is one
    place: str = ""

    def key(self):
        return tuple(sorted((k, v) for k, v in self.__dict__.items()))


def policy_params(case: Case, rng) -> list:
    """Params in the op's order: scale, biases, region, masks, normaliser."""
    floats = "f64" if case.dtype == "f64" else "f32"
    batch = "" if case.layout == "hmd" else "b"
    dense = case.dense.replace("b", batch)
    draw = Draw(case, rng, batch, dense, floats)
    normal, shape = draw.normal, draw.shape
    params = []
    if case.scale == "#attn.operand":
        dims = {"scalar": "", "head": "h", "row": batch + "hm"}[case.operand]
        params.append(Param("s", dims, floats, normal(dims, 0.1, 0.2)))
    if case.scale == "#attn.learned":
        params.append(Param("s", "h", floats, normal("h", 0.1, 0.2)))
    if case.scale.startswith("#attn.entropy_invariant") and "kappa" not in case.scale:
        params.append(Param("kappa", "h", floats, normal("h", 0.2, 2.0)))
    if "position_operand" in case.scale:
        positions = rng.integers(0, 2 * case.N + 2, shape(batch + "m"))
        params.append(Param("pos", batch + "m", "i64", positions.astype(np.int64)))
    for bias in case.biases:
        if bias == "#attn.dense_bias":
            params.append(Param("bias", dense, floats, normal(dense)))
        elif "slopes" in bias:
            params.append(Param("slopes", "h", floats, np.abs(normal("h", 0.3))))
    if case.region:
        params.append(Param("r", "h", floats, normal("h", 0.1, 1.0)))
    for mask in case.masks:
        params += find(mask)[0].params(draw)
    if case.normalizer == "#attn.sink":
        sinks = normal("h", 2.0)
        if case.Hq > 1:
            sinks[0] = -np.inf if case.seed % 2 else np.inf
        params.append(Param("sink", "h", floats, sinks))
    return params


def _dim(case, letter):
    """Text of one size: `?` where the case makes it dynamic."""
    size = {"b": case.B, "h": case.Hq, "k": case.Hkv, "m": case.M, "n": case.N,
            "d": case.d, "e": case.dv}[letter]
    dynamic = letter in case.dynamic
    return "?" if dynamic else str(size)


def _letters(case, who):
    """Order of dimensions of query, key, value, output or lse, as letters."""
    row, col, head = {"q": ("m", "d", "h"), "k": ("n", "d", "k"), "v": ("n", "e", "k"),
                      "o": ("m", "e", "h"), "l": ("m", "", "h")}[who]
    if case.layout == "bmhd" and who != "l":
        return "b" + row + head + col
    if case.layout == "bhdm" and who in "qk":
        return "b" + head + col + row
    if case.layout == "hmd":
        return head + row + col
    return "b" + head + row + col


def _type(case, letters, element):
    return f"tensor<{''.join(_dim(case, c) + 'x' for c in letters)}{element}>"


def _map(case, letters):
    dims = "(h, m, n, d, e)" if case.layout == "hmd" else "(b, h, m, n, d, e)"
    group = case.Hq // case.Hkv
    head = "h" if group == 1 else f"h floordiv {group}"
    results = ", ".join(head if c == "k" else c for c in letters)
    return f"affine_map<{dims} -> ({results})>"


def _region_body(case, row_type):
    if case.region != "distance":
        return f"    %x0 = arith.mulf %s0, %r0 : {row_type}\n"
    return (f"    %x3 = arith.subi %i0, %j0 : index\n    %x2 = arith.index_cast %x3 : index to i64\n"
            f"    %x1 = arith.sitofp %x2 : i64 to {row_type}\n"
            f"    %c0 = arith.constant 0.125 : {row_type}\n    %y1 = arith.mulf %x1, %c0 : {row_type}\n"
            f"    %y0 = arith.mulf %y1, %r0 : {row_type}\n    %x0 = arith.addf %s0, %y0 : {row_type}\n")


def _part(case, letters):
    """Sizes of a part with these dimensions, the larger tensor's, and the part's offset and step in the last one."""
    size = {"b": case.B, "h": case.Hq, "k": case.Hkv, "m": case.M, "n": case.N, "d": case.d, "e": case.dv}
    sizes = [size[c] for c in letters]
    offset, step = (3, 1) if "rows" in case.place else (1, 2)
    return sizes, [*sizes[:-1], sizes[-1] * step + offset + 2], offset, step


def _slice(case, letters):
    """The larger tensor's type and `[offsets] [sizes] [strides]` of its part."""
    sizes, held, offset, step = _part(case, letters)
    rest = len(sizes) - 1
    return "tensor<" + "".join(f"{size}x" for size in held) + case.dtype + ">", \
        f"{[0] * rest + [offset]} {sizes} {[1] * rest + [step]}"


def to_mlir(case: Case, name: str = "kernel") -> str:
    """The case as a function of query, key, value and the policies' params."""
    params = policy_params(case, np.random.default_rng(case.seed))
    operands = {w: _letters(case, w) for w in "qkv"}
    types = {w: _type(case, l, case.dtype) for w, l in operands.items()}
    param_types = [p.element if not p.dims else _type(case, p.dims, p.element) for p in params]
    row_type = "f64" if case.dtype == "f64" else "f32"
    outs = [("o", _letters(case, "o"), case.dtype)]
    if case.lse:
        outs.append(("l", _letters(case, "l"), row_type))
    outs += [(probe, _letters(case, "l"), row_type) for probe in case.probes]
    out_types = [_type(case, letters, element) for _, letters, element in outs]

    lines = []
    arguments, slices = [f"%{w}: {types[w]}" for w in "qkv"], []
    if case.place.startswith("from "):
        for i, w in enumerate("qkv"):
            held, where = _slice(case, operands[w])
            arguments[i] = f"%{w}_held: {held}"
            slices.append(f"  %{w} = tensor.extract_slice %{w}_held{where} : {held} to {types[w]}")
    arguments += [f"%{p.name}: {t}" for p, t in zip(params, param_types)]
    lines.append(f"func.func @{name}({', '.join(arguments)}) -> ({', '.join(out_types)}) {{")
    lines += slices
    for c in sorted(set(case.dynamic)):
        at = operands["k"].index(c) if c == "n" else operands["q"].index(c)
        lines.append(f"  %at_{c} = arith.constant {at} : index")
        lines.append(f"  %{c} = tensor.dim %{'k' if c == 'n' else 'q'}, %at_{c} : "
                     f"{types['k' if c == 'n' else 'q']}")
    for (who, letters, _), text in zip(outs, out_types):
        sizes = ", ".join(f"%{c}" for c in letters if c in case.dynamic)
        if who == "o" and case.place.startswith("to "):
            held, where = _slice(case, letters)
            lines.append(f"  %o_held = arith.constant dense<0.5> : {held}")
            lines.append(f"  %o_init = tensor.extract_slice %o_held{where} : {held} to {text}")
        else:
            lines.append(f"  %{who}_init = tensor.empty({sizes}) : {text}")
    maps = [_map(case, l) for l in operands.values()]
    maps += [_map(case, p.dims) for p in params]
    maps += [_map(case, letters) for _, letters, _ in outs]
    clause = [f"scale({case.scale})"]
    if case.similarity:
        clause.append(f"similarity({case.similarity})")
    clause.append(f"softmax({case.normalizer})")
    if case.align:
        clause.append(f"align({case.align})")
    if case.biases:
        clause.append(f"bias [{', '.join(case.biases)}]")
    if case.masks:
        clause.append(f"masks [{', '.join(case.masks)}]")
    if case.softcap:
        clause.append(f"softcap({case.softcap})")
    if case.products:
        clause.append(f"products({case.products})")
    if case.probes:
        clause.append(f"probes [{', '.join(f'#attn.probe<{p}>' for p in case.probes)}]")
    clause.append(f"indexing_maps [{', '.join(maps)}]")
    clause.append(f"ins(%q, %k, %v : {', '.join(types.values())})")
    if params:
        clause.append(f"params({', '.join('%' + p.name for p in params)} : {', '.join(param_types)})")
    clause.append(f"outs({', '.join('%' + w + '_init' for w, _, _ in outs)} : {', '.join(out_types)})")
    if case.region:
        clause.append(
            f"score {{\n  ^bb0(%s0: {row_type}, %b0: index, %h0: index, %i0: index, %j0: index, "
            f"%r0: {row_type}):\n{_region_body(case, row_type)}    attn.yield %x0 : {row_type}\n  }}")
    result = "%result" if len(outs) == 1 else f"%result:{len(outs)}"
    lines.append(f"  {result} = attn.attention {' '.join(clause)} -> {', '.join(out_types)}")
    values = ["%result"] if len(outs) == 1 else [f"%result#{i}" for i in range(len(outs))]
    if case.place.startswith("to "):
        lines.append(f"  %z = tensor.insert_slice {values[0]} into %o_held{where} : {out_types[0]} into {held}")
        lines[0] = lines[0].replace(f"-> ({out_types[0]}", f"-> ({held}", 1)
        values[0], out_types[0] = "%z", held
    lines += [f"  return {', '.join(values)} : {', '.join(out_types)}", "}"]
    return "\n".join(lines) + "\n"


def to_storage(values, dtype):
    if dtype != "bf16":
        return values.astype(DTYPES[dtype])
    bits = values.astype(np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def _fill(case, who, shape, rng):
    values = rng.standard_normal(shape)
    if case.inputs == "large" and who == "q":  # logits 30 times as large
        unscaled = case.scale.startswith(("#attn.none", "#attn.constant", "#attn.operand", "#attn.learned"))
        return values * (30 / np.sqrt(case.d) if unscaled else 30)
    if case.inputs == "onehot" and who in "qk":
        hot = np.zeros(shape)
        if hot.size:
            np.moveaxis(hot, _letters(case, who).index("d"), 0)[rng.integers(0, case.d)] = 4.0
        return hot
    if case.inputs == "equal" and who in "qk":
        # All products are equal and exact, so that roundings would all go one way.
        return np.full(shape, 0.5)
    if case.inputs == "denormal":
        return values * 1e-39
    if case.inputs == "zero":
        return np.where(values > 0, 0.0, -0.0)
    return values


def to_arrays(case: Case) -> dict:
    """arg0, arg1, ... of the function, with the values the case asks for."""
    params = policy_params(case, np.random.default_rng(case.seed))
    rng = np.random.default_rng(case.seed + 1)
    size = {"b": case.B, "h": case.Hq, "k": case.Hkv, "m": case.M, "n": case.N,
            "d": case.d, "e": case.dv}
    arrays = {}
    for i, who in enumerate("qkv"):
        letters = _letters(case, who)
        values = _fill(case, who, tuple(size[c] for c in letters), rng)
        if case.inputs == "equal_keys" and who == "k" and case.N:
            # Every key is the same, so that all scores of a row are equal.
            axis = letters.index("n")
            values = np.repeat(np.take(values, [0], axis), case.N, axis)
        if case.inputs == "poison" and who in "kv":
            hidden = never_visible(case, params)
            axis = letters.index("n")
            moved = np.moveaxis(values, axis, 0)
            moved[hidden] = np.nan if who == "k" else np.inf
        if case.place.startswith("from "):
            sizes, held, offset, step = _part(case, letters)
            part, values = values, np.full(held, np.nan)  # what lies between is nobody's business
            values[..., offset:offset + sizes[-1] * step:step] = part
        arrays[f"arg{i}"] = to_storage(values, case.dtype)
    for i, param in enumerate(params):
        arrays[f"arg{i + 3}"] = np.asarray(param.values)
    return arrays


def never_visible(case: Case, params) -> np.ndarray:
    """Keys that no row of any batch and head may see, by the plainest reading of
    the masks; they may hold anything."""
    seen = np.zeros(case.N, dtype=bool)
    values = {p.name: p.values for p in params}
    j = np.arange(case.N)
    for b, h in np.ndindex(case.B, case.Hq):
        count = int(values["lens"][b]) if "lens" in values else case.N
        for i in range(case.M):
            position = i + (count - case.M if case.align == "bottom_right" else 0)
            row = j < count
            for mask in case.masks:
                row = row & sees(mask, Place(case, j, position, b, h, i, values))
            seen |= row
    return ~seen
