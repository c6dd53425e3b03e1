#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts mutants into the text of a C++ file, each chosen when the program runs (for mutate_together.py).

The body of the function around a mutant is written once more, with the changed line, behind a question at its begin.
"""

import os
import re
import time

VARIABLES = ["ATTN_MUTANT", "ATTN_MUTANT_HITS"]
HEADER_TEXT = r"""#pragma once
// Changed code makes comparisons and variables without use.
#pragma clang diagnostic ignored "-Weverything"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
namespace attn_mutants {
// -1 is none, -2 not known yet, -3 that hits are recorded. Threads may find it out twice.
inline int chosen = -2;
inline unsigned char seen[1 << 14];
__attribute__((noinline, cold)) inline bool slow(int mutant) {
  const char *text = getenv("ATTN_MUTANT"), *folder = getenv("ATTN_MUTANT_HITS"), *test = getenv("ATTN_TEST");
  if (chosen == -2)
    chosen = folder && test ? -3 : text ? atoi(text) : -1;
  if (chosen != -3 || seen[mutant])
    return chosen == mutant;
  seen[mutant] = 1;
  int before = errno;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "", test ? test : "");
  if (int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666); file >= 0) {
    dprintf(file, "%d\n", mutant);
    close(file);
  }
  errno = before;
  return false;
}
} // namespace attn_mutants
inline bool attnMutant(int mutant) {
  return attn_mutants::chosen >= -1 ? attn_mutants::chosen == mutant : attn_mutants::slow(mutant);
}
"""
CONFIG_TAIL = """
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(config.attn_obj_root), "utils"))
import mutate_planting
config.test_format = mutate_planting.Recorded(config.test_format)
"""
EXEC_ROOT = 'config.test_exec_root = os.path.join(config.attn_obj_root, "test")\n'
#: Two runs of one test at the same time must not share their files.
OWN_EXEC_ROOT = 'config.test_exec_root = os.environ.get("ATTN_MUTANT_EXEC", config.test_exec_root)\n'


def file_name(test):
    return re.sub(r"[^\w.-]", "_", test)


class Recorded:
    """lit's format with the mutant in the environment. It is in this module because lit hands tests to other processes."""

    def __init__(self, inner):
        self.inner = inner

    def getTestsInDirectory(self, *args):
        return self.inner.getTestsInDirectory(*args)

    def getTestsForPath(self, *args):
        return self.inner.getTestsForPath(*args)

    def execute(self, test, config):
        environment, started = test.config.environment, time.monotonic()
        environment.update({name: os.environ[name] for name in VARIABLES if name in os.environ})
        environment["ATTN_TEST"] = file_name(test.getFullName())
        result = self.inner.execute(test, config)
        if "ATTN_MUTANT_HITS" in os.environ:
            code = result[0] if isinstance(result, tuple) else result.code
            with open(os.path.join(os.environ["ATTN_MUTANT_HITS"], "times"), "a", encoding="utf-8") as file:
                file.write(f"{test.getFullName()}\t{code.name}\t{time.monotonic() - started:.2f}\n")
        return result


def blanked(text):
    """The text with blanks in the place of comments, texts and directives."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)


def closing(text, start):
    """Where the brace at `start` is closed."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    raise ValueError("a brace is not closed")


def bodies(text):
    """(place of {, place of }, head) of each outermost function, methods in classes included."""
    shown, at, head, parens = blanked(text), 0, 0, 0
    while at < len(shown):
        c = shown[at]
        parens += (c == "(") - (c == ")")
        if c in ";}" and parens == 0:
            head = at + 1
        elif c == "{":
            words = re.sub(r"^\s*((public|private|protected):\s*)*(template <.*?>\s*(?=[a-z\[~A-Z]))*", "", shown[head:at], flags=re.S)
            if parens or re.search(r"[\w>]$", shown[:at][-1:]) or re.search(r"=\s*$|\benum\b|\breturn\s*$", words):
                at = closing(shown, at)
            elif re.match(r"(namespace|extern|class|struct|union|static const(expr)? struct)\b[^(]*$", words):
                head = at + 1
            else:
                end = closing(shown, at)
                if "(" in words and not re.search(r" = .*\[", words):
                    yield at, end, words
                at, head = end, end + 1
        at += 1


def gives_nothing(head, body):
    before = head[:head.index("(")].split("]] ")[-1].strip()
    without = re.sub(r"^((static|inline|explicit|virtual) )*", "", before)
    named = re.search(r"\bvoid\s+[\w:~<]", before) or re.fullmatch(r"[\w:~]+", without) and "operator" not in without
    return bool(named) or without.startswith("auto") and not re.search(r"return [^;]", body)


def place(text, mutant):
    """(place of {, the body with the change, what leaves it), or nothing where none can be planted."""
    lines = text.split("\n")
    old, new, start = lines[mutant["line"] - 1], mutant["text"], sum(len(line) + 1 for line in lines[:mutant["line"] - 1])
    same = len(os.path.commonprefix([old, new]))
    end = start + len(old) - len(os.path.commonprefix([old[same:][::-1], new[same:][::-1]]))
    for first, last, head in bodies(text):
        if first < start + same and end <= last and "constexpr" not in head:
            changed = text[first + 1:start] + new + text[start + len(old):last]
            return first, changed, "return;" if gives_nothing(head, changed) else "__builtin_trap();"
    return None


def planted(text, mutants, header):
    places = [(place(text, mutant), mutant["id"]) for mutant in mutants]
    for (first, body, leave), number in sorted(places, reverse=True):
        block = f"\nif (attnMutant({number})) {{ // mutant {number}\n{body}\n{leave} }} // end of mutant {number}\n"
        text = text[:first + 1] + block + text[first + 1:]
    return f'#include "{header}"\n' + text if mutants else text


def planted_config(text):
    return text.replace(EXEC_ROOT, EXEC_ROOT + OWN_EXEC_ROOT) + CONFIG_TAIL
