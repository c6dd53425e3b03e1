"""inflate.py FILE.npz SHAPE: an archive of a megabyte whose arg0 has a gigabyte
of zeros and says that it has the shape."""

import sys
import zipfile

header = str({"descr": "<f4", "fortran_order": False, "shape": eval(f"({sys.argv[2]},)")}).encode()
header += b" " * (-(len(header) + 11) % 64) + b"\n"
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    with archive.open("arg0.npy", "w") as member:
        member.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(64):
            member.write(bytes(1 << 24))
