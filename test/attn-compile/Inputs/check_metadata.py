"""Checks the types and the meaning of PREFIX.json, and prints its gist."""

import json
import sys

DTYPES = {
    "f64": ("kDLFloat", 64),
    "f32": ("kDLFloat", 32),
    "f16": ("kDLFloat", 16),
    "bf16": ("kDLBfloat", 16),
    "bool": ("kDLBool", 8),
    "i8": ("kDLInt", 8),
    "i16": ("kDLInt", 16),
    "i32": ("kDLInt", 32),
    "i64": ("kDLInt", 64),
}


def check_keys(what, value, required, optional=()):
    missing, unknown = set(required) - set(value), set(value) - set(required) - set(optional)
    assert not missing and not unknown, f"{what}: missing {missing}, unknown {unknown}"


def describe(parameter):
    check_keys("parameter", parameter, ["name", "dtype", "dlpack", "shape", "strides"], ["updated_to_result"])
    code, bits = DTYPES[parameter["dtype"]]
    assert parameter["dlpack"] == {"code": code, "bits": bits, "lanes": 1}
    for dim in parameter["shape"]:
        assert isinstance(dim, int) and dim >= 0 or isinstance(dim, str) and dim, dim
    return f"{parameter['dtype']}[{','.join(map(str, parameter['shape']))}]"


def check_entry(entry):
    check_keys("entry", entry, ["name", "shapes_function", "inputs", "outputs"], ["flops", "bytes"])
    assert entry["shapes_function"] == entry["name"] + "__shapes"
    for prefix, parameters in (("arg", entry["inputs"]), ("out", entry["outputs"])):
        for parameter in parameters:
            assert parameter["name"].startswith(prefix)
    inputs = ", ".join(map(describe, entry["inputs"]))
    print(f"{entry['name']}({inputs}) -> {', '.join(map(describe, entry['outputs']))}")
    if "flops" in entry:
        print(f"flops {entry['flops']}")
    if "bytes" in entry:
        print(f"bytes {entry['bytes']}")


def check_target(target):
    check_keys(
        "target",
        target,
        ["target", "isa", "features_of_compiling_host", "triple", "features", "kernels", "context", "remarks"],
    )
    assert target["features_of_compiling_host"] == (target["target"] == "cpu")
    assert target["features"] == sorted(target["features"])
    check_keys("context", target["context"], ["needs_alloc", "calls_parallel_for", "scratch"])
    for kernel in target["kernels"]:
        check_keys("kernel", kernel, ["name", "schedule"])
    for remark in target["remarks"]:
        assert isinstance(remark, str) and not remark.startswith("/"), remark
    print(f"{target['isa']}: {'; '.join(kernel['schedule'] for kernel in target['kernels'])}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    check_keys("file", data, ["abi_version", "checks", "entries", "targets", "undefined_symbols"])
    assert data["abi_version"] == 1
    for entry in data["entries"]:
        check_entry(entry)
    for target in data["targets"]:
        check_target(target)
    print(f"needs {' '.join(data['undefined_symbols'])}")


main()
