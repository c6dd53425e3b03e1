# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of tables, read from what the drivers of benchmarks write: one for each case and each thing it is beside.

run.py writes `ours`, `peers` and `promises` for a case of attention; run_linear.py a share of the tile peak; run_models.py
what it is `over`; the drivers of bandwidth a share of a loop over memory; run_decoder.py a `layer`.
"""

import dataclasses
import math

from .fields import ReportError

# As the drivers have it: below, an attention or a product is held against reading.
FEW_ROWS = 16
#: A share of the FMA tile from which it is no bound.
MOST_OF_TILE = 2.2
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}
SKIPPING = {"segment_ids", "kv_lengths"}  # masks whose data say which tiles are left out: flops count all of them
LOOPS = {"copy": "a copy", "stream": "a stream", "read": "reading"}


def figure(value):
    """Three digits, without an exponent."""
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(0, digits)}f}"


def percent(value):
    return f"{100 * value:.0f} %"


@dataclasses.dataclass
class Promise:
    text: str
    kept: bool | None  # None: not measured

    def __str__(self):
        words = {True: "kept", False: "**not kept**", None: "not measured"}
        return f"{self.text}: {words[self.kept]}"


@dataclasses.dataclass
class Row:
    case: str
    ours: str = ""
    beside: str = ""
    theirs: str = ""
    ratio: float | None = None  # how many times as fast we are
    share: float | None = None
    of: str = ""
    promises: list = dataclasses.field(default_factory=list)
    gflops: float | None = None
    intensity: float | None = None  # flops for each byte of operands and results
    threads: int = 1
    tile_peak: float | None = None  # GFLOP/s
    loop: float | None = None  # GB/s of the loop over memory


def tile_share(result):
    """Of the FMA tile's rate; nothing where another unit computes, which is several times as fast."""
    share = result.number("tile_peak_share")
    return (share, "FMA tile") if share < MOST_OF_TILE else (None, "")


def attention_rows(result):
    case, ours = result.object("case"), result.object("ours")
    few = case.number("M") < FEW_ROWS
    name = f"{case.text('name')}, d = {case.number('d')}, N = {case.number('N')}"
    rate, bandwidth = ours.number("median_gflops"), ours.number("gbytes_per_second")
    shown, unit = (bandwidth, "GB/s") if few else (rate, "GFLOP/s")
    share, of = (ours.number("read_share"), "reading") if few else tile_share(ours)
    first = Row(name, f"{figure(shown)} {unit}", gflops=rate, share=share, of=of,
                intensity=rate / bandwidth, threads=case.number("threads"), tile_peak=ours.number("tile_peak_gflops"),
                loop=ours.number("read_gbytes_per_second") if few else None)  # other operands lie in caches
    if SKIPPING & set(case.value.get("masks", [])):
        first = Row(name, f"{figure(1e3 * ours.number('median_seconds'))} ms")
    rows = {}
    for peer in result.object("peers").value:  # in the order of the suite
        other = result.object("peers", peer)
        rows[peer] = Row(name, beside=peer, theirs="not measured")
        if not other.has("error"):
            rows[peer].ratio = other.number("median_seconds") / ours.number("median_seconds")
            rows[peer].theirs = f"{figure(shown / rows[peer].ratio)} {unit}"
    if result.has("beside"):
        rows["beside"] = beside_row(name, case, result.object("beside"))
    for promise in result.objects("promises"):
        what, bound = promise.text("what"), promise.number("at_least")
        kept = promise.flag("kept") if promise.value.get("measured") is not None else None
        if what in rows:
            rows[what].promises.append(Promise(f"≥ {bound:g}", kept))
        else:
            first.promises.append(Promise(f"share ≥ {percent(bound)}", kept))
    return merge_first(first, list(rows.values()))


def beside_row(name, case, beside):
    """Beside another case of the suite, in the same rounds."""
    row = Row(name, beside=f"'{beside.text('name')}'", ratio=beside.number("median"))
    if case.number("threads") != beside.number("threads"):
        row.share, row.of = row.ratio / beside.number("tile_peak_ratio"), "what the FMA tile gains"
    if beside.has("same_bits"):
        row.promises.append(Promise("same bits", beside.flag("same_bits")))
    return row


def merge_first(first, others):
    """The first thing that a case is beside shares the case's own line."""
    if not others or others[0].share is not None:
        return [first, *others]
    first.beside, first.theirs, first.ratio = others[0].beside, others[0].theirs, others[0].ratio
    first.promises += others[0].promises
    return [first, *others[1:]]


def element_bytes(case):
    if case.text("dtype") not in BYTES:
        raise ReportError(f"{case.where}: field 'dtype' is none of {', '.join(BYTES)}")
    return BYTES[case.text("dtype")]


def linear_rows(result):
    case = result.object("case")
    few = case.number("rows") < FEW_ROWS
    rate, sizes = result.number("gflops"), [case.number(key) for key in ("rows", "in", "out")]
    flops = 2 * math.prod(sizes)
    matrices = sizes[0] * sizes[1] + sizes[1] * sizes[2] + sizes[0] * sizes[2]
    if "residual" in case.text("epilogue") or case.text("epilogue") == "gate":
        matrices += sizes[0] * sizes[2]
    share, of = (result.number("read_share"), "reading") if few else tile_share(result)
    if "bound_share" in case.value.get("at_least", {}):
        share, of = result.number("bound_share"), "reading or the unit"
    first = Row(case.text("name"), f"{figure(rate)} GFLOP/s", gflops=rate, share=share, of=of,
                intensity=flops / (matrices * element_bytes(case)), threads=case.number("threads"),
                tile_peak=result.number("tile_peak_gflops"))
    rows = {}
    if result.has("over_peer"):
        ratio = result.number("over_peer")
        rows["over_peer"] = Row(first.case, beside=case.text("peer"), theirs=f"{figure(rate / ratio)} GFLOP/s", ratio=ratio)
    elif result.has("peer_error"):
        rows["over_peer"] = Row(first.case, beside=case.text("peer"), theirs="not measured")
    if result.has("beside"):
        rows["beside"] = Row(first.case, beside=f"'{case.text('beside')}'", ratio=result.number("beside"))
    for what in case.value.get("at_least", {}):
        bound, measured = case.number("at_least", what), result.number(what)
        where, text = (rows[what], f"≥ {bound:g}") if what in rows else (first, f"share ≥ {percent(bound)}")
        where.promises.append(Promise(text, measured >= bound))
    return merge_first(first, list(rows.values()))


def model_rows(result):
    """An exported model; with bounds on its share of reading for a decoding step."""
    case, over = result.object("case"), result.object("over")
    milliseconds = 1e3 * result.number("median_seconds")
    first = Row(case.text("name"), f"{figure(milliseconds)} ms", threads=case.number("threads"))
    if result.has("tile_peak_share"):
        first.share, first.of = result.number("tile_peak_share"), "FMA tile"
    if "read_share" in case.value.get("at_least", {}):
        first.share, first.of = result.number("read_share"), "reading"
    rows = {}
    for what in over.value:
        ratio = over.number(what)
        beside = f"'{case.text('beside')}'" if what == "beside" else what
        rows[what] = Row(first.case, beside=beside, theirs=f"{figure(milliseconds * ratio)} ms", ratio=ratio)
    for what in result.object("errors").value if result.has("errors") else ():
        rows[what] = Row(first.case, beside=what, theirs="not measured")
    for what in case.value.get("at_least", {}):
        bound = case.number("at_least", what)
        where = rows.get(what, first)
        measured = where.ratio if what in rows else where.share
        where.promises.append(Promise(f"≥ {bound:g}" if what in rows else f"share ≥ {percent(bound)}",
                                      None if measured is None else measured >= bound))
    return merge_first(first, list(rows.values()))


def bandwidth_rows(result):
    case, rate = result.object("case"), result.number("gbytes_per_second")
    of = LOOPS.get(result.text("beside"), result.text("beside"))
    row = Row(case.text("name"), f"{figure(rate)} GB/s", share=result.number("share"),
              of="a copy and a half" if case.value.get("reads") == 2 else of, threads=case.number("threads"),
              loop=result.number("beside_gbytes_per_second"))
    if result.has("over_peer"):
        row.beside, row.ratio = case.text("peer"), result.number("over_peer")
        row.theirs = f"{figure(rate / row.ratio)} GB/s"
    elif result.has("peer_error"):
        row.beside, row.theirs = case.text("peer"), "not measured"
    if case.has("at_least"):
        row.promises.append(Promise(f"share ≥ {percent(case.number('at_least'))}", result.flag("kept")))
    return [row]


def decoder_rows(result, suite):
    """A layer; its limits stand in the suite."""
    name, seconds = result.text("layer"), result.number("layer_seconds")
    bounds = [suite.object("defaults"), *(case for case in suite.objects("cases") if case.text("name") == name)]
    parts = result.object("parts_seconds")
    first = Row(name, f"{figure(1e3 * seconds)} ms")
    alone = Row(name, beside="its products and attention alone", ratio=1 / result.number("over_products"),
                theirs=f"{figure(1e3 * sum(parts.number(part) for part in parts.value))} ms",
                promises=limits(bounds, result, "at_most", "over_products", "time ≤ "))
    compiled = Row(f"compiling the {name}", f"{figure(result.number('compile_seconds'))} s",
                   promises=limits(bounds, result, "at_most", "compile_seconds", "≤ ", " s"))
    if not result.has("over_torch"):
        return [*merge_first(first, [alone]), compiled]
    torch = Row(name, beside="torch-compile", theirs=f"{figure(1e3 * result.number('torch_seconds'))} ms",
                ratio=result.number("over_torch"), promises=limits(bounds, result, "at_least", "over_torch", "≥ "))
    return [*merge_first(first, [torch, alone]), compiled]


def limits(bounds, result, kind, key, before, after=""):
    promises = []
    for where in bounds:
        if where.has(kind, key):
            bound, measured = where.number(kind, key), result.number(key)
            promises.append(Promise(f"{before}{bound:g}{after}", measured <= bound if kind == "at_most" else measured >= bound))
    return promises


#: By a field that no other driver writes; each writes the last one.
KINDS = {"ours": attention_rows, "over": model_rows, "share": bandwidth_rows, "case": linear_rows}


def read_rows(record, suite):
    """The rows of one file; `suite` reads the suite it was made of."""
    rows = []
    for result in record.objects("results"):
        if result.has("layer"):
            rows += decoder_rows(result, suite())
            continue
        kind = next(kind for field, kind in KINDS.items() if result.has(field))
        rows += kind(result)
    return rows
