# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each op of the dialect may be given, read from its TableGen records.

For each op: its operands and regions in order, and for each argument the values
that a case may give it: every enumerator of an enumeration, every attribute that
has an interface, with and without what is optional.
"""

import json
import re
import subprocess
from dataclasses import dataclass, field

#: Parameters of attributes that tiling sets; nobody writes them.
INNER_PARAMETERS = {"nonNegative"}

SOURCES = ["AttnOps.td", "TransformerOps.td"]


@dataclass
class Argument:
    name: str
    #: "operand", "region", "enum", "family" (of attributes), "flag", "number" or "other"
    kind: str
    optional: bool = False
    #: enumerators
    values: tuple = ()
    #: mnemonics, each with its parameters that are a choice: {"window": {}, "log_length": {"n": (enumerators)}}
    family: dict = field(default_factory=dict)
    default: float = None


@dataclass
class Operation:
    name: str
    arguments: list

    def named(self, kind):
        return [argument for argument in self.arguments if argument.kind == kind]


class Records:
    """The records of one TableGen file."""

    def __init__(self, tblgen, directory, includes, source):
        command = [tblgen, "--dump-json", f"{directory}/{source}"] + [f"-I{path}" for path in includes]
        self.records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def of_class(self, name):
        """The dialect's records of one class."""
        for record in map(self.records.get, self.records["!instanceof"].get(name, [])):
            dialect = record.get("dialect") or record.get("opDialect") or {}
            if dialect.get("def") == "Attn_Dialect":
                yield record

    def definition(self, reference):
        return self.records[reference["def"]]

    def enumerators(self, record):
        return tuple(self.definition(case)["str"] for case in record["enumerants"])

    def enums(self):
        """C++ name -> enumerators."""
        return {f"{record['cppNamespace']}::{record['className']}": self.enumerators(record)
                for record in map(self.records.get, self.records["!instanceof"]["I32EnumAttr"])
                if record["cppNamespace"] == "::attn"}

    def choices(self, attribute):
        """The parameters of an attribute that are enumerations or booleans."""
        found, enums = {}, self.enums()
        for type, name in attribute["parameters"]["args"]:
            cpp = type if isinstance(type, str) else self.definition(type)["cppType"]
            if cpp == "::attn::LengthAttr":
                cpp = "::attn::LengthKind"
            if cpp in enums:
                found[name] = enums[cpp]
            elif cpp == "bool" and name not in INNER_PARAMETERS:
                found[name] = (f"no {name}", name)
        return found

    def family(self, interface):
        """The attributes that implement an interface: mnemonic -> choices."""
        def implements(attribute):
            traits = map(self.definition, attribute["traits"])
            return any(trait.get("cppInterfaceName") == interface for trait in traits)
        return {attribute["mnemonic"]: self.choices(attribute)
                for attribute in self.of_class("AttrDef") if implements(attribute)}

    def attribute(self, name, record, similarities):
        """The argument that an attribute of an op is."""
        classes, optional = record["!superclasses"], False
        default = None
        while "OptionalAttr" in classes or "DefaultValuedAttr" in classes:
            optional |= "OptionalAttr" in classes
            default = record["defaultValue"] or default
            record = self.definition(record["baseAttr"])
            classes = record["!superclasses"]
        if "TypedArrayAttrBase" in classes and record["!name"] != "AffineMapArrayAttr":
            record, optional = self.definition(record["elementAttr"]), True
            classes = record["!superclasses"]
        if "EnumAttr" in classes:
            return Argument(name, "enum", optional, self.enumerators(self.definition(record["enum"])))
        if record.get("storageType", "").endswith("KindAttr"):
            return Argument(name, "enum", optional, self.enums()[record["returnType"]])
        family = similarities if name == "similarity" else \
            self.family(record["cppInterfaceName"]) if "AttrInterface" in classes else {}
        if family:
            return Argument(name, "family", optional, family=family)
        if record["!name"] == "BoolAttr":
            return Argument(name, "enum", optional, ("true", "false"))
        if record["!name"] == "UnitAttr":
            return Argument(name, "flag", True)
        if default is not None and re.fullmatch(r"[-+.e0-9]+", default):
            return Argument(name, "number", optional, default=float(default))
        if record["!name"] == "F64Attr" and "eps" in name:
            return Argument(name, "number", optional)
        return Argument(name, "flag" if optional else "other", optional)

    def operation(self, record):
        similarities = {attribute["mnemonic"]: self.choices(attribute) for attribute in self.of_class("AttrDef")
                        if attribute["mnemonic"] in ("dot", "cosine")}
        arguments = []
        for type, name in record["arguments"]["args"]:
            type = self.definition(type)
            if "Attr" in type["!superclasses"]:
                arguments.append(self.attribute(name, type, similarities))
            else:
                optional = bool({"Optional", "Variadic"} & set(type["!superclasses"]))
                arguments.append(Argument(name, "operand", optional))
        for type, name in record["regions"]["args"]:
            arguments.append(Argument(name, "region", "SizedRegion" not in self.definition(type)["!superclasses"]))
        return Operation(record["opName"], arguments)


def read(tblgen, root, include):
    """The dialect's ops by name, and the mnemonics of its attributes that no op's argument takes."""
    directory = f"{root}/include/attn/Dialect/Attn/IR"
    operations, unclaimed = {}, set()
    for source in SOURCES:
        records = Records(tblgen, directory, [f"{root}/include", include], source)
        for record in records.of_class("Op"):
            operations.setdefault(record["opName"], records.operation(record))
        unclaimed |= {attribute["mnemonic"] for attribute in records.of_class("AttrDef")
                      if "EnumAttr" not in attribute["!superclasses"]}
    for operation in operations.values():
        for argument in operation.named("family"):
            unclaimed -= set(argument.family)
    return operations, unclaimed
