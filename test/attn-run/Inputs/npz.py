"""Makes and prints .npz files without NumPy.

usage: npz.py write FILE NAME:DESCR:SHAPE:VALUES...   (VALUES: a,b,c or start+step)
       npz.py print FILE
       npz.py same FILE OTHER
       npz.py truncate FILE BYTES
DESCR is NumPy's, without the byte order: f4, f2, u2, b1, i4, ...
"""

import ast
import math
import struct
import sys
import zipfile

CODES = {"f8": "d", "f4": "f", "f2": "e", "b1": "?", "i1": "b", "u1": "B",
         "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}


def encode(descr, shape, values):
    count = math.prod(shape)
    if "+" in values:
        start, step = map(float, values.split("+"))
        numbers = [start + step * i for i in range(count)]
    else:
        numbers = [float(v) for v in values.split(",") if v]
    if descr[0] in "iub":
        numbers = [int(v) for v in numbers]
    order = "|" if descr[1] == "1" else "<"
    header = repr({"descr": order + descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(numbers)}{CODES[descr]}", *numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def decode(data):
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = CODES[header["descr"][1:]]
    body = data[10 + length:]
    numbers = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
    return header["descr"], header["shape"], numbers


def write(path, arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for array in arrays:
            name, descr, shape, values = array.split(":")
            shape = tuple(int(n) for n in shape.split("x") if n)
            archive.writestr(name + ".npy", encode(descr, shape, values))


def show(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            descr, shape, numbers = decode(archive.read(name))
            print(name, descr, shape, *(f"{v:g}" for v in numbers))


def compare(path, other):
    with zipfile.ZipFile(path) as one, zipfile.ZipFile(other) as two:
        if {name: one.read(name) for name in one.namelist()} != {name: two.read(name) for name in two.namelist()}:
            sys.exit(f"{path} and {other} differ")


if __name__ == "__main__":
    command, path, *rest = sys.argv[1:]
    if command == "write":
        write(path, rest)
    elif command == "print":
        show(path)
    elif command == "same":
        compare(path, *rest)
    else:
        with open(path, "r+b") as file:
            file.truncate(int(rest[0]))
