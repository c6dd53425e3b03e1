"""Makes an x86-64 object stop (SIGILL) where it asks the processor or the kernel what there is, so that a program may
answer: cpuid becomes ud2; xgetbv and syscall become instructions that 64-bit mode does not have.

usage: stop_at_questions.py LLVM-OBJDUMP OBJECT OUTPUT"""

import re
import struct
import subprocess
import sys

REPLACEMENTS = {"cpuid": b"\x0f\x0b", "xgetbv": b"\x07\x90\x90", "syscall": b"\x06\x90"}
QUESTION = re.compile(r"^\s*([0-9a-f]+):\s+(cpuid|xgetbv|syscall)\b", re.MULTILINE)


def find_section(data, name):
    """Where a section of an ELF file begins."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    for header in headers:
        at = headers[names][4] + header[0]
        if data[at:data.index(b"\0", at)] == name:
            return header[4]
    sys.exit(f"no section {name.decode()}")


def main():
    objdump, source, output = sys.argv[1:]
    with open(source, "rb") as file:
        data = bytearray(file.read())
    text = find_section(data, b".text")
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", "--section=.text", source],
                             capture_output=True, text=True, check=True).stdout
    for address, name in QUESTION.findall(listing):
        at = text + int(address, 16)
        code = REPLACEMENTS[name]
        data[at:at + len(code)] = code
    with open(output, "wb") as file:
        file.write(data)


main()
