# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the ops and attributes of the reference that no file has: check_version_file.py REFERENCE FILE..."""

import re
import sys

# The default of a clause, and a part of other attributes: their text is never written.
UNWRITTEN = {"#attn.dot", "#attn.length"}


def names(reference):
    for page in ("Dialect", "TransformerOps"):
        with open(f"{reference}/{page}.md", encoding="utf-8") as file:
            text = file.read().split("\n## Enums")[0]
        yield from re.findall(r"^### `(attn\.\w+)`", text, re.MULTILINE)
        for section in text.split("\n## Attributes")[-1].split("\n### "):
            name = re.search(r"#attn\.\w+", section)
            # Enumerators stand in ops as words.
            if name and not re.search(r"\| value \| `::attn::\w+` \| an enum of type", section):
                yield name[0]


def main():
    reference, *files = sys.argv[1:]
    text = "".join(open(path, encoding="utf-8").read() for path in files)
    expected = set(names(reference)) - UNWRITTEN
    missing = sorted(name for name in expected if not re.search(rf"(?<![\w.]){re.escape(name)}\b", text))
    print(f"{len(expected)} names, missing: {' '.join(missing)}".rstrip())
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
