# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times our kernels beside PyTorch's, in turn, on one stream: SDPA by cuDNN and by FlashAttention, FlexAttention,
cuBLAS, compiled layers, a copy."""

import math
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from program import DLTensor

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
         "i32": torch.int32}
ROUNDS, SECONDS = 5, 0.02


def measure(calls):
    """Seconds a call of each, {"best", "median"}: rounds take them in turn, so that a change of the clock hits all."""
    samples, repeats = {name: [] for name in calls}, {}
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def sample(call, count):
        start.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000 / count

    for name, call in calls.items():
        sample(call, 1)
        repeats[name] = max(1, min(1000, int(SECONDS / max(sample(call, 2), 1e-7))))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            samples[name].append(sample(call, repeats[name]))
    return {name: {"best": min(times), "median": statistics.median(times)} for name, times in samples.items()}


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
            F.scaled_dot_product_attention(query, key, value, is_causal=bool(case.get("causal")), enable_gqa=grouped)
    return call


def flex(case, inputs):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    query, key, value = inputs[:3]
    mask = create_block_mask(lambda b, h, row, column: row >= column, None, None, case["M"], case["N"]) \
        if case.get("causal") else None
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda: compiled(query, key, value, block_mask=mask, enable_gqa=query.shape[1] != key.shape[1])


def attention_peers(case, inputs, _):
    return {"sdpa-cudnn": lambda: sdpa(SDPBackend.CUDNN_ATTENTION, case, inputs),
            "sdpa-flash": lambda: sdpa(SDPBackend.FLASH_ATTENTION, case, inputs),
            "flex": lambda: flex(case, inputs)}


def linear_peers(case, inputs, outputs):
    weight = inputs[1].t() if case["weight"] == "out_in" else inputs[1]
    return {"cublas": lambda: lambda: torch.matmul(inputs[0], weight, out=outputs[0])}


def norm_peers(case, inputs, _):
    size, weights = (case["columns"],), [tensor.to(inputs[0].dtype) for tensor in inputs[-1:]]

    def layer():
        compiled = torch.compile((lambda x, w: F.rms_norm(x, size, w)) if case["kind"] == "rms"
                                 else (lambda x, w: F.layer_norm(x, size, w)), dynamic=False)
        return lambda: compiled(inputs[0], weights[0])
    return {} if case.get("residual") or "shape" in case else {"torch-compile": layer}


def rows_peers(case, inputs, _):
    if case["op"] != "softmax":
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


def run_timing(driver, program, timing):
    """{"calls": {name: {"best", "median"}}, "errors", "tflops" or "gbytes_per_second", "over": {peer: ratio}}."""
    case, entry = timing["case"], timing["entry"]
    inputs = [draw(described) for described in entry["inputs"]]
    outputs = [draw(described) for described in entry["outputs"]]
    calls, errors = {"ours": bind(driver, program, entry, inputs, outputs)}, {}
    for name, make in PEERS.get(case["driver"], lambda *_: {})(case, inputs, outputs).items():
        try:
            call = make()
            call()
            torch.cuda.synchronize()
            calls[name] = call
        except Exception as error:  # a peer that does not take the case says so in the results
            errors[name] = str(error).splitlines()[0]
    if case.get("memory_bound"):
        calls |= copy_calls(timing)
    times = measure(calls)
    own = times["ours"]["median"]
    result = {"case": case, "calls": times, "errors": errors, "kernels": timing["kernels"],
              "over": {name: other["median"] / own for name, other in times.items() if name != "ours"}}
    if "flops" in timing:
        result["tflops"] = {name: timing["flops"] / value["median"] / 1e12
                            for name, value in times.items() if name != "copy"}
    result["gbytes_per_second"] = total_bytes(timing) / own / 1e9
    return result
