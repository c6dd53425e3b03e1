# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the models of families.py, whole and layer by layer, as users do: torch.export, then torch-mlir.

    pip install -r test/Models/requirements.txt
    python3 test/Models/export.py --directory=DIR [--only=REGEX] [--batch=2]

For each case DIR holds NAME.mlir, NAME.json (how each argument is drawn or where it is kept, what is expected) and,
shared by the cases of equal numbers, VALUES.npz. What cannot be exported is a line in DIR/refused.txt with the
exporter's own words. `pack.py` puts a folder of cases into the archive that the tests read.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import numpy as np
import torch
import transformers
from torch._dynamo.exc import UserError
from torch.utils import _pytree as pytree
from torch_mlir import fx

import families
from values import describe_weight, draw

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from attn.errors import UnsupportedError
from attn.torch.decompositions import decomposition_table
from attn.torch.importer import Import, takes_sizes_for_one

#: Of the inputs; benchmarks set others.
BATCH, LENGTH = 2, 11
#: Encoders pad behind a text, decoders in front of it.
LEFT_ALIGNED = ("bert", "roberta", "albert", "electra", "deberta-v2", "clip_text_model", "t5", "bart")


def words_of_row(row):
    """How many words of a text there are in a row; the others are padding."""
    return LENGTH if row % 2 == 0 else 2 * LENGTH // 3


class Part(torch.nn.Module):
    """A module as a function of its parameters and of the tensors among its arguments."""

    def __init__(self, module, spec, leaves):
        super().__init__()
        object.__setattr__(self, "module", module)
        self.names = [name for name, _ in module.named_parameters()]
        self.spec, self.leaves = spec, leaves

    def forward(self, *tensors):
        weights = dict(zip(self.names, tensors))
        rest = iter(tensors[len(self.names):])
        leaves = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return first_tensor(torch.func.functional_call(self.module, weights, args, kwargs))


def first_tensor(result):
    return next(leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor))


def fill_weights(model):
    """Draws all parameters; returns how, by name."""
    drawn = {}
    with torch.no_grad():
        for seed, (name, weight) in enumerate(model.named_parameters(), 1000):
            drawn[name] = describe_weight(weight.shape, seed)
            weight.copy_(torch.from_numpy(draw(drawn[name])))
    return drawn


def make_inputs(family, config, masked):
    """Keyword arguments of the whole model."""
    rng = np.random.RandomState(1)
    words = torch.from_numpy(rng.randint(3, families.WORDS - 3, (BATCH, LENGTH)))
    seen = torch.ones(BATCH, LENGTH, dtype=torch.int64)
    left = not config.model_type.endswith(LEFT_ALIGNED)
    for row, count in enumerate(words_of_row(row) for row in range(BATCH)):
        seen[row, slice(0, LENGTH - count) if left else slice(count, LENGTH)] = 0
    mask = {"attention_mask": seen} if masked else {}
    if family.kind == "text":
        return {"input_ids": words, **mask}
    if family.kind == "pairs":
        return {"input_ids": words, "decoder_input_ids": words.flip(1), **mask}
    if family.kind == "sound":
        frames = 2 * config.max_source_positions
        sound = torch.from_numpy(rng.standard_normal((BATCH, config.num_mel_bins, frames)).astype(np.float32))
        return {"input_features": sound, "decoder_input_ids": words}
    size = config.image_size if isinstance(config.image_size, int) else config.image_size[0]
    return {"pixel_values": torch.from_numpy(rng.standard_normal((BATCH, 3, size, size)).astype(np.float32))}


def build_model(config, attention):
    """A model that has no such attention gets transformers' own products."""
    config._attn_implementation = attention
    torch.manual_seed(0)
    try:
        return transformers.AutoModel.from_config(config).eval()
    except ValueError:
        config._attn_implementation = "eager"
        return transformers.AutoModel.from_config(config).eval()


def find_layers(model):
    """The first layer of each stack, with what it is called. Stacks of a layer's own parts lie deeper."""
    found = {}
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) and ".0." not in name:
            kind = "decoder" if "decoder" in name and hasattr(model, "encoder") else "layer"
            found.setdefault(kind, module[0])
    return found


def capture(model, layers, inputs):
    """The arguments with which each layer is called when the model runs."""
    calls, hooks = {}, []
    for kind, layer in layers.items():
        hooks.append(layer.register_forward_pre_hook(
            lambda module, args, kwargs, kind=kind: calls.setdefault(kind, (args, kwargs)), with_kwargs=True))
    with torch.no_grad():
        model(**inputs)
    for hook in hooks:
        hook.remove()
    return calls


def dynamic_shapes(tensors, weights, dims):
    """Batch is the first dimension of its size, length any other one of its size. A batch of 1 stays 1 for PyTorch."""
    shapes = []
    for i, tensor in enumerate(tensors):
        shape = {}
        for axis, size in enumerate(tensor.shape if i >= weights else ()):
            if axis == 0 and size == BATCH > 1 and "batch" in dims:
                shape[axis] = dims["batch"]
            elif axis > 0 and size == LENGTH:
                shape[axis] = dims["seq"]
        shapes.append(shape or None)
    return {"tensors": tuple(shapes)}


def to_text(part, tensors, weights, dynamic):
    """The IR, and which of the tensors are its arguments.

    With unknown sizes it comes by way of the package, which gives products of unknown batches and lengths their
    dimensions back. PyTorch refuses a batch that is a part of another size, and torch-mlir takes some lengths or
    batches for 1: then only the length is unknown. Tables as long as the longest text are another case for PyTorch."""
    if not dynamic:
        module = fx.export_and_import(part, *tensors, output_type="linalg-on-tensors", func_name="main",
                                      decomposition_table=decomposition_table())
        return str(module) + "\n", range(len(tensors))
    dims = {"batch": torch.export.Dim("batch", min=1, max=64),
            "seq": torch.export.Dim("seq", min=2, max=max(LENGTH, families.POSITIONS - 1))}
    for chosen in (dims, {"seq": dims["seq"]}):
        try:
            imported = Import(torch.export.export(part, tuple(tensors), strict=False,
                                                  dynamic_shapes=dynamic_shapes(tensors, weights, chosen)))
            if not takes_sizes_for_one(imported.text):
                break
        except (UserError, UnsupportedError):
            if "batch" not in chosen:
                raise
    else:
        raise UnsupportedError("torch-mlir takes an unknown size for 1")
    return without_places(imported.text) + "\n", [imported.user.index(i) for i in imported.plan.arguments]


def without_places(text):
    """IR without the lines of its source."""
    text, count = re.sub(r"^#loc.*\n", "", text, flags=re.MULTILINE), 1
    while count:
        text, count = re.subn(r"callsite\([^()]*\)", "", text)
    return re.sub(r" loc\([^()]*\)", "", text)


def describe_argument(tensor, drawn, values, index):
    """How a weight is drawn, or where an input is kept."""
    kind = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64",
            torch.bool: "i1"}[tensor.dtype]
    if drawn is not None:
        return {**drawn, "type": kind}
    array = tensor.view(torch.int16).numpy().view(np.uint16) if kind == "bf16" else tensor.numpy()
    values[f"arg{index}"] = array
    return {"type": kind, "kept": f"arg{index}"}


def export_case(stem, shared, module, drawn, call, dtype, dynamic):
    """One file of IR, and the numbers that belong to it."""
    module = module.to(dtype)
    for child in module.modules():
        child._non_persistent_buffers_set = set()
    args, kwargs = call
    leaves, spec = pytree.tree_flatten((args, kwargs))
    cast = lambda x: x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x
    leaves = [cast(leaf) for leaf in leaves]
    inputs = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    part = Part(module, spec, leaves)
    weights = [weight.detach().clone() for _, weight in module.named_parameters()]
    text, taken = to_text(part, [*weights, *inputs], len(weights), dynamic)
    with torch.no_grad():
        result = part(*weights, *inputs)
        # Rows without a key are other numbers in f64, where a mask is the type's lowest number.
        exact = result.numpy() if dtype == torch.float32 else exact_result(part, weights, inputs)
    exact = np.where(np.isnan(exact), result.float().numpy(), exact)
    values = {"out0": exact}
    how = [drawn[name] for name in part.names] + [None] * len(inputs)
    arguments = [describe_argument(t.detach(), d, values, i) for i, (t, d) in enumerate(zip([*weights, *inputs], how))]
    arguments = [arguments[i] for i in taken]
    error = float(np.nanmax(np.abs(result.double().numpy() - exact)))
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump({"arguments": arguments, "values": os.path.basename(shared), "error": error}, file, indent=1)
    np.savez_compressed(shared, **values)


def exact_result(part, weights, inputs):
    """The same numbers computed in f64, as f32. PyTorch's grouped products of experts have no f64."""
    double = lambda x: x.double() if x.is_floating_point() else x
    part.module.double()
    part.leaves = [double(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in part.leaves]
    configs = [child.config for child in part.module.modules() if hasattr(child, "config")]
    ways = [config._experts_implementation for config in configs]
    for config in configs:
        config._experts_implementation = "eager"
    result = part(*[double(x) for x in weights], *[double(x) for x in inputs])
    for config, way in zip(configs, ways):
        config._experts_implementation = way
    return result.float().numpy()


def find_parts(family, config, masked, attention):
    """The whole model and the first layer of each stack: (module, how its weights are drawn, its arguments) by what
    it is called."""
    model = build_model(config, attention)
    drawn = fill_weights(model)
    inputs = make_inputs(family, config, masked)
    layers = find_layers(model)
    plain = {} if family.kind == "pixels" else {"use_cache": False}
    try:
        calls = capture(model, layers, {**inputs, **plain})
    except TypeError:
        plain = {}
        calls = capture(model, layers, inputs)
    parts = {"model": (model, drawn, ((), {**inputs, **plain}))}
    names = {id(weight): name for name, weight in model.named_parameters()}
    for kind, layer in layers.items():
        own = {name: drawn[names[id(weight)]] for name, weight in layer.named_parameters()}
        parts[kind] = (layer, own, calls[kind])
    return parts


def main_family(family, args):
    config = transformers.AutoConfig.for_model(family.model_type, **family.config)
    for masked in (False, True) if family.kind in ("text", "pairs") else (False,):
        for way, dtype, dynamic, attention in VARIANTS:
            parts = find_parts(family, config, masked, attention or family.attention)
            for level, (module, own, call) in parts.items():
                name = "_".join([family.name, level, *(["mask"] if masked else []), way])
                numbers = "_".join([family.name, level, *(["mask"] if masked else []), str(dtype)[6:]]) + ".npz"
                stem = os.path.join(args.directory, name)
                if not re.search(args.only, name) or os.path.exists(stem + ".mlir"):
                    continue
                try:
                    export_case(stem, os.path.join(args.directory, numbers), module, own, call, dtype, dynamic)
                    print(name, os.path.getsize(stem + ".mlir"), flush=True)
                except Exception as error:  # whatever the exporter says, it goes into the list
                    words = " ".join(str(error).split())[-300:]
                    print(name, "refused", type(error).__name__, words, flush=True)
                    with open(os.path.join(args.directory, "refused.txt"), "a", encoding="utf-8") as file:
                        file.write(f"{name}: {type(error).__name__} {words}\n")
                module.float()


#: Name, type, unknown sizes, and the attention that transformers writes if it is not the family's.
VARIANTS = [("sdpa", torch.float32, False, None), ("dynamic", torch.float32, True, None),
            ("bf16", torch.bfloat16, False, "eager")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", required=True, help="where the cases are written")
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--family", help="one family, in this process")
    parser.add_argument("--layers", type=int, default=0, help="as many instead of one, of a --width")
    parser.add_argument("--width", type=int, default=768, help="with --layers: a multiple of 192")
    args = parser.parse_args()
    globals()["BATCH"] = args.batch
    os.makedirs(args.directory, exist_ok=True)
    torch.set_num_threads(1)
    if args.family:
        family = next(f for f in families.FAMILIES if f.name == args.family)
        return main_family(families.enlarge(family, args.layers, args.width) if args.layers else family, args)
    # A process a family: an exporter that dies takes no other with it.
    for family in families.FAMILIES:
        done = subprocess.run([sys.executable, __file__, f"--directory={args.directory}", f"--only={args.only}",
                               f"--batch={args.batch}", f"--layers={args.layers}", f"--width={args.width}",
                               f"--family={family.name}"], check=False)
        if done.returncode != 0:
            print(family.name, "ended with", done.returncode, flush=True)


if __name__ == "__main__":
    main()
