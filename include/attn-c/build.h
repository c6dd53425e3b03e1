/*===- build.h - Modules made op by op ---------------------------*- C -*-===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * For programs that translate a model of their own into a module, without
 * writing it as text: ops by name, with operands that are handles.
 *
 *   attn_module_create(compiler, "model", &module);
 *   attn_builder_create(module, &builder);
 *   attn_type_parse(builder, "tensor<4x8xf32>", &type);
 *   attn_attribute_parse(builder, "(tensor<4x8xf32>) -> tensor<4x8xf32>",
 *                        &values[0]);
 *   attn_attribute_parse(builder, "\"f\"", &values[1]);
 *   ... attn_builder_add(builder, &function, &op) ...
 *   attn_builder_enter(builder, op, 0, &type, NULL, 1, &argument);
 *   ... ops ...
 *   attn_builder_leave(builder);
 *   attn_module_verify(module);
 *
 * Types and attributes live as long as their module and its copies, and are
 * equal where their handles are. Ops and values live until their module is
 * destroyed, or until a pipeline runs on it. Handles of one module mean nothing
 * to another. Codes, errors and threads are as in attn.h.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_C_BUILD_H
#define ATTN_C_BUILD_H

#include "attn-c/attn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_type attn_type;
typedef struct attn_attribute attn_attribute;
typedef struct attn_op attn_op;
typedef struct attn_value attn_value;

/*===--- Modules ----------------------------------------------------------===*/

/* One without ops. `name` is what messages call the file. */
ATTN_C_API attn_code attn_module_create(attn_compiler *compiler,
                                        const char *name, attn_module **module);
/* Whether all rules of all ops hold; the error names op and location. */
ATTN_C_API attn_code attn_module_verify(attn_module *module);

/*===--- Builders ---------------------------------------------------------===*/

/* Where the next op goes, and the location it gets. */
typedef struct attn_builder attn_builder;

/* Begins at the end of the module, which has to outlive it. */
ATTN_C_API attn_code attn_builder_create(attn_module *module,
                                         attn_builder **builder);
ATTN_C_API void attn_builder_destroy(attn_builder *builder);

/* What messages about the ops that follow point at: a name in the user's model
 * and a place in a file. Either may be null. */
ATTN_C_API attn_code attn_builder_locate(attn_builder *builder,
                                         const char *name, const char *file,
                                         uint32_t line, uint32_t column);

/*===--- Types and attributes ---------------------------------------------===*/

/* From their text in MLIR: `tensor<2x?xf32>`, `#attn.inv_sqrt_dim`. */
ATTN_C_API attn_code attn_type_parse(attn_builder *builder, const char *text,
                                     const attn_type **type);
ATTN_C_API attn_code attn_attribute_parse(attn_builder *builder,
                                          const char *text,
                                          const attn_attribute **attribute);
/* The elements of a constant: row-major bytes of the machine, a byte for each
 * boolean, or one element that stands for all. The type is a tensor with static
 * sizes. The bytes are copied. */
ATTN_C_API attn_code attn_attribute_elements(attn_builder *builder,
                                             const attn_type *type,
                                             const void *data, size_t size,
                                             const attn_attribute **attribute);

/*===--- Ops --------------------------------------------------------------===*/

typedef struct attn_op_description {
  size_t struct_size; /* sizeof(attn_op_description). */
  /* `linalg.generic` */
  const char *name;
  const attn_value *const *operands;
  size_t operand_count;
  const attn_type *const *result_types;
  size_t result_count;
  const char *const *attribute_names;
  const attn_attribute *const *attributes;
  size_t attribute_count;
  /* Empty regions, for attn_builder_enter. */
  size_t region_count;
} attn_op_description;

/* Adds an op. One without regions is verified at once, and is not added where
 * that fails. */
ATTN_C_API attn_code attn_builder_add(attn_builder *builder,
                                      const attn_op_description *description,
                                      attn_op **op);
/* Null where there is no such result. */
ATTN_C_API const attn_value *attn_op_result(const attn_op *op, size_t index);

/* Sets an attribute of an op that stands: the type of a function, once its
 * results are known. Null removes it. */
ATTN_C_API attn_code attn_builder_set(attn_builder *builder, attn_op *op,
                                      const char *name,
                                      const attn_attribute *attribute);

/* Gives an empty region of an op a block with `count` arguments, which come
 * back in `arguments`, and goes on there. `names`, which may be null or hold
 * nulls, are what messages call them. */
ATTN_C_API attn_code attn_builder_enter(attn_builder *builder, attn_op *op,
                                        size_t region,
                                        const attn_type *const *types,
                                        const char *const *names, size_t count,
                                        const attn_value **arguments);
/* Goes on behind the op of the region that was entered last. */
ATTN_C_API attn_code attn_builder_leave(attn_builder *builder);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_C_BUILD_H */
