/*===- attn.h - The compiler as a library ------------------------*- C -*-===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The C API of libattn: parse a module of MLIR, run passes on it, compile it to
 * memory or to files' contents, ask what it takes and gives.
 *
 *   attn_compiler *compiler;
 *   attn_module *module;
 *   attn_kernel *kernel;
 *   attn_compiler_create(NULL, &compiler);
 *   if (attn_module_parse(compiler, text, size, "model.mlir", &module) ||
 *       attn_kernel_create(module, NULL, &kernel))
 *     puts(attn_compiler_error(compiler));
 *
 * Every function that can fail returns an attn_code; whatever it is, the out
 * parameter is written (null on failure) and the process goes on. The text of a
 * failure is attn_compiler_error's until the next call with that compiler.
 *
 * A compiler, with all that was made by it, is used by one thread at a time.
 * Different compilers share nothing: any number of threads may compile at the
 * same time, each with its own. Only attn_compiler_cancel may be called by any
 * thread at any time. Kernels do not need their compiler: attn_kernel_call and
 * the functions that a kernel gives out may run on any threads at once.
 *
 * Text is UTF-8 and ends with a zero byte where no size stands beside it.
 * Structures that callers fill begin with their own size, so that later
 * versions may add to their ends; zero means the default everywhere.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_C_ATTN_H
#define ATTN_C_ATTN_H

#include "attn-runtime/attn_runtime.h"

#if defined(_WIN32)
#define ATTN_C_API __declspec(dllimport)
#else
#define ATTN_C_API __attribute__((visibility("default")))
#endif

/* What a caller chooses is any number to C++, too, so that one which no
 * enumerator has can be read and refused. */
#ifdef __cplusplus
#define ATTN_CHOICE : unsigned int
#else
#define ATTN_CHOICE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change of this header that old programs would notice. */
#define ATTN_C_API_VERSION 1u

/* What calls of the compiler return. */
typedef enum attn_code {
  ATTN_GOOD = 0,
  /* The caller's module, text, option or argument is at fault; the error says
   * where and what to do. */
  ATTN_BAD_INPUT = 2,
  /* A fault of the compiler; the error names a reproducer where there is one.
   * Where LLVM itself gave up, and after ATTN_NO_MEMORY, what the call had made
   * leaks, and the module that it worked on may only be destroyed. */
  ATTN_INTERNAL = 3,
  ATTN_CANCELLED = 4,
  ATTN_NO_MEMORY = 5
} attn_code;

typedef struct attn_compiler attn_compiler;
typedef struct attn_module attn_module;
typedef struct attn_artifact attn_artifact;
typedef struct attn_kernel attn_kernel;
typedef struct attn_host attn_host;

/* Bytes that the library made; a zero byte follows them. */
typedef struct attn_buffer attn_buffer;
ATTN_C_API const char *attn_buffer_data(const attn_buffer *buffer);
ATTN_C_API size_t attn_buffer_size(const attn_buffer *buffer);
ATTN_C_API void attn_buffer_destroy(attn_buffer *buffer);

/*===--- The library ------------------------------------------------------===*/

/* The ATTN_C_API_VERSION that the library was built with. */
ATTN_C_API uint32_t attn_api_version(void);
/* `attn-mlir 0.1.0, LLVM 22.1.0`; stays valid. */
ATTN_C_API const char *attn_version_text(void);
/* What this library and machine are, as JSON: {"version", "api", "llvm",
 * "targets": [...], "host": {"cpu", "triple", "isa", "features": [...]}}. `isa`
 * is the best of the targets that are no machine's own and that this machine
 * can run. */
ATTN_C_API attn_code attn_describe_library(attn_buffer **json);

/*===--- Compilers --------------------------------------------------------===*/

typedef enum attn_severity {
  ATTN_REMARK = 0,
  ATTN_WARNING = 1,
  ATTN_ERROR = 2
} attn_severity;

/* What a compiler tells while it works. The texts last for the call. */
typedef struct attn_message {
  attn_severity severity;
  /* `attn-r101` for a remark of the table in docs/Spec.md, else empty. */
  const char *id;
  const char *text;
  /* As the module's locations say: the framework's source where the file came
   * from one. `line` and `column` are 0 where nothing is known. */
  const char *file;
  uint32_t line;
  uint32_t column;
} attn_message;

typedef struct attn_compiler_options {
  size_t struct_size; /* sizeof(attn_compiler_options). */
  /* Given to both callbacks. A call compiles on a thread of its own, with a
   * stack that deeply nested input fits on, and waits for it; the callbacks are
   * called there, and must not call functions of this compiler other than
   * attn_compiler_cancel. */
  void *user;
  void (*on_message)(void *user, const attn_message *message);
  /* A phase begins: `parse`, `raise`, `schedule`, `plan`, `lower`, `codegen`.
   */
  void (*on_progress)(void *user, const char *phase);
  /* Where files go that show a fault of the compiler; null for none. The error
   * names them. Copied. */
  const char *reproducer_folder;
} attn_compiler_options;

/* Null options are zeros. On failure there is no compiler to ask for a text. */
ATTN_C_API attn_code attn_compiler_create(const attn_compiler_options *options,
                                          attn_compiler **compiler);
/* Modules and artifacts go before their compiler; kernels may stay. */
ATTN_C_API void attn_compiler_destroy(attn_compiler *compiler);
/* Why the last call with this compiler failed, with file, line and what to do;
 * empty after a good one. */
ATTN_C_API const char *attn_compiler_error(const attn_compiler *compiler);
/* Makes the call that is running, or else the next one, return ATTN_CANCELLED
 * soon: before the next pass, or when LLVM has generated a target's code. */
ATTN_C_API void attn_compiler_cancel(attn_compiler *compiler);

/*===--- Modules ----------------------------------------------------------===*/

/* Text or bytecode, verified. `name` is what messages call the file. */
ATTN_C_API attn_code attn_module_parse(attn_compiler *compiler,
                                       const char *data, size_t size,
                                       const char *name, attn_module **module);
/* The same from a file. */
ATTN_C_API attn_code attn_module_load(attn_compiler *compiler, const char *path,
                                      attn_module **module);
ATTN_C_API attn_code attn_module_clone(const attn_module *module,
                                       attn_module **copy);
ATTN_C_API void attn_module_destroy(attn_module *module);

/* Runs a pipeline on the module, in place: passes and pipelines by name, as
 * `attn-raise-pipeline` or `canonicalize,attn-to-cpu{target=cpu:x86-64-v3}`, or
 * as `--pass-pipeline` takes them (`builtin.module(canonicalize)`). A module
 * that a pass failed on, or that the call was cancelled on, may only be
 * destroyed. */
ATTN_C_API attn_code attn_module_run(attn_module *module, const char *pipeline);

typedef enum attn_print_form ATTN_CHOICE {
  ATTN_PRINT_TEXT = 0,
  ATTN_PRINT_TEXT_WITH_LOCATIONS = 1,
  ATTN_PRINT_BYTECODE = 2
} attn_print_form;
ATTN_C_API attn_code attn_module_print(attn_module *module,
                                       attn_print_form form,
                                       attn_buffer **contents);

/* What hosts can call, as JSON: {"entries": [{"name", "inputs": [{"name",
 * "type": "float32", "shape": [2, null, 64]}], "outputs": [{..., "in_out": 3}]
 * }]}. A size that is not known is null; `in_out` is the input whose memory an
 * output updates, and such an output is no argument of its own. Raising finds
 * caches that the module does not mark: what a kernel takes is what
 * attn_kernel_describe says. Types are float64, float32, float16, bfloat16,
 * bool, int8 to int64 and uint8 to uint64; scalars have the shape []. */
ATTN_C_API attn_code attn_module_describe(attn_module *module,
                                          attn_buffer **json);

typedef enum attn_report_form ATTN_CHOICE {
  ATTN_REPORT_TEXT = 0,
  ATTN_REPORT_HTML = 1,
  ATTN_REPORT_JSON = 2
} attn_report_form;
/* Layer by layer what raising makes of the module, what it leaves and why. The
 * module stays as it is. */
ATTN_C_API attn_code attn_module_report(attn_module *module,
                                        attn_report_form form,
                                        attn_buffer **report);

/* Runs an entry (null: the only one) in f64 by the reference interpreter. The
 * outputs are float64 for floating-point results, else of the result's type;
 * they are allocated by the caller. */
ATTN_C_API attn_code attn_module_interpret(
    attn_module *module, const char *entry, DLTensor *const *inputs,
    size_t input_count, DLTensor *const *outputs, size_t output_count);

/*===--- Compiling --------------------------------------------------------===*/

typedef struct attn_compile_options {
  size_t struct_size; /* sizeof(attn_compile_options). */
  /* As --target of the tools, with commas between several for an artifact:
   * `cpu` (this machine, the default), `cpu:x86-64-v3`, `nvptx:sm_90a`. */
  const char *target;
  /* The one function to export; null for every public one. */
  const char *entry;
  /* What the one exported function is called in C; null for its own name. */
  const char *name;
  /* Threads that products are blocked for, 0 where it is not known. Results do
   * not depend on it. */
  int32_t threads;
  /* Take the portable path, without schedules. */
  int32_t portable;
  /* Leave out checks inside of kernels that their entries cannot make. */
  int32_t no_inner_checks;
  /* Called with the module after each phase (`input`, `raise`, `schedule`,
   * `plan`, `lower`), as text that lasts for the call. May be null. */
  void (*on_phase)(void *user, const char *phase, const char *text,
                   size_t size);
  void *user;
  /* The kernel counts what its steps take, for attn_kernel_profile. That costs
   * some nanoseconds a step, and one call at a time may run. */
  int32_t profile;
  /* The kernel keeps what attn_kernel_page tells: the module after each phase
   * as text. */
  int32_t page;
} attn_compile_options;

/* Compiles to the contents of files. The module stays as it is. */
ATTN_C_API attn_code attn_artifact_create(attn_module *module,
                                          const attn_compile_options *options,
                                          attn_artifact **artifact);
ATTN_C_API void attn_artifact_destroy(attn_artifact *artifact);

typedef enum attn_output ATTN_CHOICE {
  ATTN_OUTPUT_OBJECT = 0,
  /* Needs a C compiler or a linker in PATH. `name` becomes the soname. */
  ATTN_OUTPUT_SHARED = 1,
  ATTN_OUTPUT_HEADER = 2,
  /* JSON: entries, arguments, schedules, remarks, needs. */
  ATTN_OUTPUT_METADATA = 3,
  /* Of targets nvptx only. A cubin needs ptxas in PATH. */
  ATTN_OUTPUT_PTX = 4,
  ATTN_OUTPUT_CUBIN = 5,
  /* `name` is what the artifact's header will be called. */
  ATTN_OUTPUT_LAUNCHER = 6
} attn_output;
/* `name` may be null where nothing above asks for it. */
ATTN_C_API attn_code attn_artifact_get(attn_artifact *artifact,
                                       attn_output output, const char *name,
                                       attn_buffer **contents);

/*===--- Kernels in this process ------------------------------------------===*/

/* Compiles for this machine and loads the code. One kernel holds all entries
 * that the options ask for. With a target `nvptx:ARCH` the contexts that
 * entries are called with are bases of an attn_gpu_context (attn_gpu.h). */
ATTN_C_API attn_code attn_kernel_create(attn_module *module,
                                        const attn_compile_options *options,
                                        attn_kernel **kernel);
/* No entry of it may be running. */
ATTN_C_API void attn_kernel_destroy(attn_kernel *kernel);
/* A kernel as bytes and back, for caches of compiled kernels: its code and what
 * attn_kernel_describe says. They are for the library's own version and for
 * this machine; others are refused as bad input. Code is run as it is: load
 * what nobody else could write. */
ATTN_C_API attn_code attn_kernel_save(const attn_kernel *kernel,
                                      attn_buffer **contents);
ATTN_C_API attn_code attn_kernel_load(attn_compiler *compiler, const char *data,
                                      size_t size, attn_kernel **kernel);
/* The JSON of attn_module_describe for the kernel's entries, with "schedules":
 * [{"name", "schedule"}] and "remarks": [{"id", "kind", "text", "file",
 * "line"}] beside them; kinds are `passed`, `missed` and `analysis`. Stays as
 * long as the kernel. */
ATTN_C_API const char *attn_kernel_describe(const attn_kernel *kernel);

/* What the steps of a kernel take that was compiled with `profile`: counts from
 * here on, and then, after so many calls and nothing else, as JSON: {"calls",
 * "seconds", "steps": [{"name", "location", "seconds", "runs"}]}, the longest
 * step first, all of it per call. `seconds` has what no step has, too. Kernels
 * of processors count; those that were loaded from bytes do not tell. */
ATTN_C_API attn_code attn_kernel_profile_begin(attn_kernel *kernel);
ATTN_C_API attn_code attn_kernel_profile(attn_kernel *kernel, uint64_t calls,
                                         attn_buffer **json);

typedef struct attn_page_options {
  size_t struct_size; /* sizeof(attn_page_options). */
  /* Null: the module's name and the target. */
  const char *title;
  /* What the page begins with, a paragraph a line. May be null. */
  const char *summary;
  /* The text that the module was parsed from: its remarks stand at their lines.
   * Null: they are a list. */
  const char *source;
} attn_page_options;
/* How a kernel came about that was compiled with `page`, as HTML that needs no
 * other file: schedules, what attn_kernel_profile found last, remarks, the
 * module after each phase. */
ATTN_C_API attn_code attn_kernel_page(const attn_kernel *kernel,
                                      const attn_page_options *options,
                                      attn_buffer **html);

/* What a program looks up once, before it calls. Null where the name is
 * unknown; a null name is the only entry. Stays as long as the kernel. */
typedef struct attn_entry attn_entry;
ATTN_C_API const attn_entry *attn_kernel_entry(const attn_kernel *kernel,
                                               const char *name);

/* Calls an entry: `arguments` are the inputs and then the outputs that have
 * memory of their own, as attn_runtime.h has them; `count` is the number of
 * both together, and another one is an ATTN_ERROR_NULL_ARGUMENT. Returns an
 * attn_status; attn_error_message(context) is its text. */
ATTN_C_API int32_t attn_entry_call(const attn_entry *entry,
                                   attn_context *context,
                                   DLTensor *const *arguments, size_t count);
/* The dimensions of the outputs that have memory of their own, one after the
 * other, from the shapes of the inputs. `dims` has room for them: the sum of
 * their ranks. */
ATTN_C_API int32_t attn_entry_shapes(const attn_entry *entry,
                                     attn_context *context,
                                     DLTensor *const *inputs, size_t count,
                                     int64_t *dims);

/* The same for tensors whose pointers lie in objects of another library, so
 * many bytes behind the beginning of each: as CPython's capsules hold them. */
ATTN_C_API int32_t attn_entry_call_held(const attn_entry *entry,
                                        attn_context *context,
                                        const void *const *holders,
                                        size_t offset, size_t count);
ATTN_C_API int32_t attn_entry_shapes_held(const attn_entry *entry,
                                          attn_context *context,
                                          const void *const *holders,
                                          size_t offset, size_t count,
                                          int64_t *dims);

/* Makes tensors of objects of another library: `view` fills one from an object
 * and returns 0, as DLPack's dltensor_from_py_object_no_sync does. Stops at the
 * first that fails; returns how many are done. */
ATTN_C_API size_t attn_tensors_view(int (*view)(void *object, DLTensor *tensor),
                                    void *const *objects,
                                    DLTensor *const *tensors, size_t count);

/*===--- Hosts ------------------------------------------------------------===*/

/* Threads (1 to 1024, the calling one included; 0 is 1) and scratch memory for
 * kernels, for programs that have none of their own. At most one call at a time
 * uses a host. */
ATTN_C_API attn_code attn_host_create(int32_t threads, attn_host **host);
ATTN_C_API attn_context *attn_host_context(attn_host *host);
ATTN_C_API void attn_host_destroy(attn_host *host);

#ifdef __cplusplus
}
#endif

#undef ATTN_CHOICE

#endif /* ATTN_C_ATTN_H */
