# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times our kernels beside PyTorch's, in turn, on one stream: SDPA by cuDNN and by FlashAttention, FlexAttention,
cuBLAS, compiled layers, a copy."""

import math
import statistics
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from program import DLTensor

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
         "i32": torch.int32}
#: Samples of a call, bytes that are written between two of them, and how long calls warm the clocks.
ROUNDS, FLUSHED, WARM_SECONDS = 20, 256 << 20, 0.05
SLEEP_CYCLES = 400000


def measure(calls):
    """Seconds a call of each, {"best", "median"}: rounds take them in turn, so that a change of the clock hits all. The
    L2 cache holds nothing of a call's when it starts."""
    flush = torch.empty(FLUSHED, dtype=torch.int8, device="cuda")
    events = {name: [tuple(torch.cuda.Event(enable_timing=True) for _ in range(2)) for _ in range(ROUNDS)] for name in calls}
    for call in calls.values():
        start = time.monotonic()
        while time.monotonic() - start < WARM_SECONDS / len(calls):
            call()
            torch.cuda.synchronize()
    for i in range(ROUNDS):
        for name, call in calls.items():
            flush.zero_()
            # Until the call is launched, whatever the host takes for that.
            torch.cuda._sleep(SLEEP_CYCLES)
            events[name][i][0].record()
            call()
            events[name][i][1].record()
        torch.cuda.synchronize()
    times = {name: [start.elapsed_time(end) / 1000 for start, end in pairs] for name, pairs in events.items()}
    return {name: {"best": min(values), "median": statistics.median(values)} for name, values in times.items()}


def draw(described):
    shape, dtype = described["shape"], TYPES[described["dtype"]]
    if not dtype.is_floating_point:
        return torch.zeros(shape, dtype=dtype, device="cuda")
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)


def bind(driver, program, entry, inputs, outputs):
    """A call of ours on tensors of PyTorch."""
    tensors = [DLTensor(tensor.data_ptr(), described["dtype"], described["shape"])
               for described, tensor in zip(entry["inputs"] + entry["outputs"], inputs + outputs)]
    driver.context.contents.stream = torch.cuda.current_stream().cuda_stream
    return lambda: program(tensors)


def sdpa(backend, case, inputs):
    query, key, value = inputs[:3]
    grouped = query.shape[1] != key.shape[1]

    def call():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(query, key, value, is_causal=bool(case.get("causal")), enable_gqa=grouped)
    return call


def flex_score(case):
    """The case's policy as FlexAttention wants it; None where it has none."""
    slopes = torch.tensor([2.0 ** (-8 * (h + 1) / case["H"]) for h in range(case["H"])], device="cuda")
    factors = (torch.arange(case["M"], device="cuda", dtype=torch.float32) + 1).log() / math.log(512)
    if "alibi" in case.get("biases", []):
        return lambda score, b, h, row, column: score - slopes[h] * (row - column).abs()
    if "log_length" in case.get("scale", ""):
        return lambda score, b, h, row, column: score * factors[row]
    return None


def flex_mask(case):
    from torch.nn.attention.flex_attention import create_block_mask

    left, right = case.get("window", (case["N"], 0 if case.get("causal") else case["N"]))
    if "window" not in case and not case.get("causal"):
        return None
    return create_block_mask(lambda b, h, row, column: (row - column <= left) & (column - row <= right), None, None,
                             case["M"], case["N"])


def flex(case, inputs):
    """FlexAttention, compiled; softmax1 by the way that its users take, through the log-sum-exp."""
    from torch.nn.attention.flex_attention import flex_attention

    query, key, value = inputs[:3]
    options = {"score_mod": flex_score(case), "block_mask": flex_mask(case), "enable_gqa": query.shape[1] != key.shape[1]}

    def attend(query, key, value):
        if case.get("normalizer") != "softmax1":
            return flex_attention(query, key, value, **options)
        output, lse = flex_attention(query, key, value, return_lse=True, **options)
        return output * torch.sigmoid(lse)[..., None].to(output.dtype)
    compiled = torch.compile(attend, dynamic=False)
    return lambda: compiled(query, key, value)


def is_plain(case):
    """Whether SDPA computes the case's function."""
    return not any(key in case for key in ("normalizer", "biases", "scale", "window", "softcap"))


def attention_peers(case, inputs, _):
    peers = {}
    if is_plain(case) and case["dtype"] != "f32":
        peers |= {"sdpa-cudnn": lambda: sdpa(SDPBackend.CUDNN_ATTENTION, case, inputs),
                  "sdpa-flash": lambda: sdpa(SDPBackend.FLASH_ATTENTION, case, inputs)}
    elif is_plain(case):
        peers |= {"sdpa-efficient": lambda: sdpa(SDPBackend.EFFICIENT_ATTENTION, case, inputs)}
    if case.get("flex"):
        peers["flex"] = lambda: flex(case, inputs)
    return peers


def linear_peers(case, inputs, outputs):
    weight = inputs[1].t() if case["weight"] == "out_in" else inputs[1]
    result = torch.empty_like(outputs[0])
    return {"cublas": lambda: lambda: torch.matmul(inputs[0], weight, out=result)}


def norm_peers(case, inputs, _):
    size = (case["columns"],)
    weights = [tensor.to(inputs[0].dtype) for tensor in inputs if tensor.dim() == 1]

    def layer():
        compiled = torch.compile((lambda x, *w: F.rms_norm(x, size, *w)) if case["kind"] == "rms"
                                 else (lambda x, *w: F.layer_norm(x, size, *w)), dynamic=False)
        return lambda: compiled(inputs[0], *weights)
    return {} if case.get("residual") or "shape" in case else {"torch-compile": layer}


def rows_peers(case, inputs, _):
    if case["op"] != "softmax" or case["normalizer"] != "softmax":
        return {}
    compiled = torch.compile(lambda x: torch.softmax(x, case["dim"]), dynamic=False)
    return {"torch-compile": lambda: lambda: compiled(inputs[0])}


PEERS = {"attention": attention_peers, "linear": linear_peers, "norm": norm_peers, "rows": rows_peers}


def copy_calls(timing):
    """A copy of as many bytes as the case reads and writes."""
    count = total_bytes(timing) // 2
    source, target = (torch.empty(max(count, 1), dtype=torch.uint8, device="cuda") for _ in range(2))
    return {"copy": lambda: target.copy_(source)}


def total_bytes(timing):
    described = timing["entry"]["inputs"] + timing["entry"]["outputs"]
    return sum(math.prod(tensor["shape"]) * TYPES[tensor["dtype"]].itemsize for tensor in described)


def draw_calls(driver, program, timing):
    """Ours, and the inputs and outputs that peers get, too."""
    entry = timing["entry"]
    inputs, outputs = ([draw(described) for described in entry[which]] for which in ("inputs", "outputs"))
    return bind(driver, program(timing), entry, inputs, outputs), inputs, outputs


def distance(ours, peer):
    """The norm of the difference over the peer's, in f32: another way through the same numbers, at the full size."""
    return float((ours.float() - peer.float()).norm() / peer.float().norm())


def run_timing(driver, program, timing):
    """{"calls": {name: {"best", "median"}}, "errors", "distances", "tflops", "gbytes_per_second", "over": {peer: ratio}}.
    `program` loads the library of a case; `beside` of one is another case of ours that runs in the same rounds."""
    case = timing["case"]
    ours, inputs, outputs = draw_calls(driver, program, timing)
    calls, errors, distances = {"ours": ours}, {}, {}
    ours()
    if "beside" in timing:
        calls[timing["beside"]["case"]["name"]] = draw_calls(driver, program, timing["beside"])[0]
    for name, make in PEERS.get(case["driver"], lambda *_: {})(case, inputs, outputs).items():
        try:
            call = make()
            peer = call()
            torch.cuda.synchronize()
            calls[name], distances[name] = call, distance(outputs[0], peer)
        except Exception as error:  # a peer that does not take the case says so in the results
            errors[name] = str(error).splitlines()[0]
    if case.get("memory_bound"):
        calls |= copy_calls(timing)
    times = measure(calls)
    own = times["ours"]["median"]
    result = {"case": case, "calls": times, "errors": errors, "distances": distances, "kernels": timing["kernels"],
              "over": {name: other["median"] / own for name, other in times.items() if name != "ours"}}
    if "flops" in timing:
        result["tflops"] = {name: timing["flops"] / value["median"] / 1e12
                            for name, value in times.items() if name != "copy"}
    result["gbytes_per_second"] = total_bytes(timing) / own / 1e9
    return result
