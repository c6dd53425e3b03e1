/*===- xla.h - Kernels as foreign functions of XLA ---------------*- C -*-===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * A custom call of XLA on the CPU that runs an entry of a kernel: register
 * attn_xla_call for it (`jax.ffi.register_ffi_target`), and give the call the
 * attribute `entry`, an unsigned 64-bit integer with the address that
 * attn_kernel_entry returned. Operands and results are the entry's, in order.
 *
 * The entry's kernel has to stay. What was compiled by XLA with such an address
 * belongs to this process: it must not be kept for another.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_C_XLA_H
#define ATTN_C_XLA_H

#include "attn-c/attn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An XLA_FFI_Handler: takes an XLA_FFI_CallFrame, returns an XLA_FFI_Error or
 * null. Work is shared by the threads of XLA. */
ATTN_C_API void *attn_xla_call(void *call_frame);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_C_XLA_H */
