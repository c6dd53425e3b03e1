# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled GPU programs and the driver's context, called from Python with nothing but ctypes and numpy."""

import ctypes

import numpy as np

KDL_CUDA = 2
#: dtype in the metadata: DLPack's code and bits, what numpy stores
DTYPES = {
    "f64": (2, 64, "float64"), "f32": (2, 32, "float32"), "f16": (2, 16, "float16"), "bf16": (4, 16, "uint16"),
    "i64": (0, 64, "int64"), "i32": (0, 32, "int32"), "i16": (0, 16, "int16"), "i8": (0, 8, "int8"),
    "i1": (6, 8, "uint8"), "bool": (6, 8, "uint8"),
}


class DLTensor(ctypes.Structure):
    """DLPack's tensor, as in attn_runtime.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]

    def __init__(self, address, dtype, shape):
        code, bits, _ = DTYPES[dtype]
        self.sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        super().__init__(address, KDL_CUDA, 0, len(shape), code, bits, 1, self.sizes, None, 0)


class Context(ctypes.Structure):
    """attn_gpu_context."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("host", ctypes.c_void_p),
                ("alloc", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)),
                ("free", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
                ("parallel_for", ctypes.c_void_p), ("error", ctypes.c_char * 256),
                ("stream", ctypes.c_void_p), ("launch", ctypes.c_void_p), ("tensor_map", ctypes.c_void_p),
                ("read", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                          ctypes.c_size_t))]


class DeviceError(Exception):
    """What a context or a program says it cannot do."""


class Driver:
    """The context that GPUDriver.c makes on the first GPU."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        library.attn_gpu_driver_create.restype = ctypes.POINTER(Context)
        for name in ("destroy", "wait", "write"):
            getattr(library, "attn_gpu_driver_" + name).argtypes = [ctypes.POINTER(Context)] + \
                [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t] * (name == "write")
        error = ctypes.create_string_buffer(256)
        self.library, self.context = library, library.attn_gpu_driver_create(0, error, ctypes.c_size_t(256))
        if not self.context:
            raise DeviceError(error.value.decode())

    def check(self, code):
        if code:
            raise DeviceError(f"{self.context.contents.error.decode(errors='replace')} (code {code})")

    def upload(self, array):
        """The address of device memory that holds a numpy array."""
        array, context = np.ascontiguousarray(array), self.context.contents
        address = context.alloc(context.host, array.nbytes, 256)
        if not address:
            self.check(7)
        self.check(self.library.attn_gpu_driver_write(self.context, address, array.ctypes.data, array.nbytes))
        return address

    def download(self, address, array):
        """Fills a numpy array from device memory, after all that was launched."""
        self.check(self.context.contents.read(ctypes.addressof(self.context.contents), array.ctypes.data, address,
                                              array.nbytes))

    def free(self, address):
        self.context.contents.free(self.context.contents.host, address)

    def wait(self):
        self.check(self.library.attn_gpu_driver_wait(self.context))

    def close(self):
        self.library.attn_gpu_driver_destroy(self.context)


class Program:
    """An entry of a compiled object. Tensors are DLTensors of device memory."""

    def __init__(self, driver, library, entry):
        self.driver, self.entry = driver, entry
        self.function = getattr(ctypes.CDLL(library), entry["name"])

    def __call__(self, tensors):
        self.driver.check(self.function(self.driver.context, *[ctypes.byref(tensor) for tensor in tensors]))

    def run(self, arguments, shapes):
        """The results, of these shapes, for arguments that are numpy arrays."""
        addresses, tensors = [], []
        results = [np.full(shape, 0, DTYPES[out["dtype"]][2]) for out, shape in zip(self.entry["outputs"], shapes)]
        try:
            for described, array in zip(self.entry["inputs"] + self.entry["outputs"], list(arguments) + results):
                addresses.append(self.driver.upload(array))
                tensors.append(DLTensor(addresses[-1], described["dtype"], array.shape))
            self(tensors)
            for address, result in zip(addresses[len(arguments):], results):
                self.driver.download(address, result)
        finally:
            for address in addresses:
                self.driver.free(address)
        return results


def widen(array, dtype):
    """Numbers of any type as f64; numpy knows no bf16."""
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)
