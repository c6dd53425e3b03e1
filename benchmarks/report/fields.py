# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of JSON files that know where they stand, so that a missing field is named with its file."""

import json
import math


class ReportError(Exception):
    """Input that no report can be made of."""


class Record:
    """A JSON object; `where` says which one."""

    def __init__(self, value, where):
        self.value, self.where = value, where
        if not isinstance(value, dict):
            raise ReportError(f"{where}: not an object")

    def has(self, *path):
        value = self.value
        for key in path:
            if not isinstance(value, dict) or key not in value:
                return False
            value = value[key]
        return True

    def _find(self, path, kind, name):
        if not self.has(*path):
            raise ReportError(f"{self.where}: no field '{'.'.join(path)}'")
        value = self.value
        for key in path:
            value = value[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ReportError(f"{self.where}: field '{'.'.join(path)}' is not {name}")
        return value

    def number(self, *path):
        value = self._find(path, (int, float), "a number")
        if not math.isfinite(value):
            raise ReportError(f"{self.where}: field '{'.'.join(path)}' is not finite")
        return value

    def text(self, *path):
        return self._find(path, str, "a text")

    def flag(self, *path):
        return self._find(path, bool, "true or false")

    def object(self, *path):
        return Record(self._find(path, dict, "an object"), f"{self.where}: {'.'.join(path)}")

    def objects(self, *path):
        """The objects of a list."""
        items = self._find(path, list, "a list")
        return [Record(item, f"{self.where}: {'.'.join(path)}[{i}]") for i, item in enumerate(items)]

    def texts(self, *path):
        items = self._find(path, list, "a list")
        if not all(isinstance(item, str) for item in items):
            raise ReportError(f"{self.where}: field '{'.'.join(path)}' is not a list of texts")
        return items


def read(path, name):
    """The object of a file, which messages call `name`."""
    try:
        with open(path, encoding="utf-8") as file:
            return Record(json.load(file), name)
    except (OSError, ValueError) as error:
        raise ReportError(f"{name}: {error}") from error
