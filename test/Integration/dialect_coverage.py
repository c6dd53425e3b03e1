# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the generated cases against what the dialect's TableGen records allow.

Each op x each value of each of its arguments x each element type must occur in a
case that some test compares with the f64 reference, as must odd sizes, single
columns, empty tensors, unknown sizes and operands that lie apart in memory. What
cannot occur is listed in coverage_exceptions.py with its reason. An op, an
attribute or an enumerator without a case is a failure, and so is an exception
that does occur.
"""

import argparse
import itertools
import re
import subprocess
import sys
from collections import defaultdict

import dialect_choices
import generic_form
from coverage_exceptions import EXCEPTIONS, INNER_ARGUMENTS, INNER_ATTRIBUTES, INNER_OPS, NO_DESTINATION
from generated_programs import programs
from size_sweep import every_case

ELEMENTS = ["f32", "f16", "bf16", "f64"]


def of_enum(argument, text):
    return re.findall(r"<(\w+)>", text) or [text]


def of_family(argument, text):
    """(what, value) of each attribute of a list, or of one, and of its parameters."""
    for part in generic_form.split(text.strip("[]")):
        mnemonic, _, rest = part.removeprefix("#attn.").partition("<")
        yield argument.name, mnemonic
        words = set(re.findall(r"\w+", rest))
        for name, values in argument.family.get(mnemonic, {}).items():
            if values[0].startswith("no "):  # a boolean: present where its words are
                present = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)} <= words
                yield f"{argument.name} {name}", values[present]
            else:  # one that is not printed is the first
                yield f"{argument.name} {name}", next((value for value in values if value in words), values[0])


def of_number(argument, text):
    number = float(text.split(":")[0])
    if argument.default is not None:
        return "default" if number == argument.default else "other"
    return "zero" if number == 0 else "tiny" if number < 1e-8 else "large" if number >= 0.5 else "usual"


def seen(operation, op):
    """(what, value) of each choice that the op has."""
    groups = op.groups(operation.named("operand"))
    regions = dict(zip((region.name for region in operation.named("region")), op.regions))
    for argument in operation.arguments:
        name, text = argument.name, op.attributes.get(argument.name)
        if argument.kind in ("operand", "region"):
            there = groups[name] if argument.kind == "operand" else regions.get(name)
            yield name, "with" if there else "without"
        elif text in (None, "[]"):
            yield name, "without"
        elif argument.kind == "enum":
            yield from ((name, value) for value in of_enum(argument, text))
        elif argument.kind == "family":
            yield from of_family(argument, text)
        elif argument.kind == "number":
            yield name, of_number(argument, text)
        else:
            yield name, "with"


def required(operation):
    """(what, value) of each choice that some case must have."""
    for argument in operation.arguments:
        if argument.name in INNER_ARGUMENTS:
            continue
        values = {"enum": argument.values, "family": argument.family, "flag": ("with",),
                  "number": ("default", "other") if argument.default is not None else ("zero", "tiny", "usual", "large"),
                  "operand": ("with",), "region": ("with",), "other": ("with",)}[argument.kind]
        yield from ((argument.name, value) for value in values)
        if argument.optional:
            yield argument.name, "without"
        for parameters in argument.family.values():
            yield from ((f"{argument.name} {name}", value) for name, values in parameters.items() for value in values)


def layouts(op):
    """(what, value) of the sizes of the op's tensors and of where they lie."""
    for shape in op.shapes:
        if shape and shape[-1].isdigit() and int(shape[-1]) % 2 and shape[-1] != "1":
            yield "sizes", "odd row"
        yield "sizes", "one column" if shape[-1:] == ["1"] else "more columns"
        if "0" in shape:
            yield "sizes", "empty"
        if "?" in shape:
            yield "sizes", "unknown"
    for place, names in [("destination", op.operands[-1:]), ("input", op.operands[:1])]:
        for name in names:
            if name in op.slices and (place == "input" or op.name not in NO_DESTINATION):
                yield place, "columns apart" if op.slices[name][-1:] != [1] else "rows apart"


def required_layouts(operation):
    yield from (("sizes", value) for value in ("odd row", "one column", "empty", "unknown"))
    has_input = operation.named("operand")[0].name in ("input", "query")
    for place in (["input"] if has_input else []) + ([] if operation.name in NO_DESTINATION else ["destination"]):
        yield from ((place, value) for value in ("rows apart", "columns apart"))


def find_exception(*choice):
    """The exception for (op, what, value), if there is one."""
    return next((exception for exception in EXCEPTIONS
                 if all(word in part.split("|") for part, word in zip(exception, choice))), None)


def find_choices(texts, operations, attn_opt):
    """The choices (op, what, value, element type) that each op of each program has: a list of sets for each."""
    done = subprocess.run([attn_opt, "--split-input-file", "--mlir-print-op-generic"], text=True, capture_output=True,
                          input="// -----\n".join(texts), check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [[{(op.name, what, value, op.element) for what, value in [*seen(operations[op.name], op), *layouts(op)]}
             for op in generic_form.read(program)
             if op.element and op.name in operations and op.name not in INNER_OPS]
            for program in done.stdout.split("// -----\n")]


def count_choices(texts, operations, attn_opt):
    """(op, what, value, element type) -> how many ops have it, and how many ops there are."""
    ops = [op for program in find_choices(texts, operations, attn_opt) for op in program]
    counts = defaultdict(int)
    for choice in itertools.chain.from_iterable(ops):
        counts[choice] += 1
    return counts, len(ops)


def examine(operation, counts, used):
    """Prints the op's counts; returns what is wrong with them, and adds to the exceptions that were of use."""
    wrong, rows = [], defaultdict(list)
    for what, value in dict.fromkeys([*required(operation), *required_layouts(operation)]):
        found = [counts[operation.name, what, value, element] for element in ELEMENTS]
        rows[what].append(f"{value} {'/'.join(map(str, found))}")
        exception, choice = find_exception(operation.name, what, value), f"{operation.name} {what}: {value}"
        if exception:
            used.add(exception)
            wrong += [f"{choice} occurs, although {exception[-1]}"] if any(found) else []
        else:
            wrong += [f"{choice} {element} has no case" for element, count in zip(ELEMENTS, found) if not count]
    for what, values in rows.items():
        print(f"{operation.name} {what}: {', '.join(values)}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-opt", required=True)
    parser.add_argument("--tblgen", required=True, help="llvm-tblgen")
    parser.add_argument("--source", required=True, help="the project's root")
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("--gpu", action="store_true", help="the cases of a simulated GPU")
    args = parser.parse_args()
    operations, unclaimed = dialect_choices.read(args.tblgen, args.source, args.mlir_include)
    texts, used = [program.text for program in programs(args.gpu)], set()
    counts, total = count_choices(texts, operations, args.attn_opt)
    wrong = [f"no op takes {name}" for name in sorted(unclaimed - INNER_ATTRIBUTES)]
    for operation in operations.values():
        if operation.name not in INNER_OPS:
            wrong += examine(operation, counts, used)
    called = set(re.findall(r"\battn\.(\w+)", "\n".join(case.text() for case in every_case())))
    wrong += [f"size_cases_*.py do not call {name} with wrong sizes" for name in sorted({*operations} - INNER_OPS - called)]
    wrong += [f"nothing needs the exception {exception}" for exception in EXCEPTIONS if exception not in used]
    print("\n".join(wrong))
    print(f"{total} ops in {len(texts)} modules, {len(wrong)} missing")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
