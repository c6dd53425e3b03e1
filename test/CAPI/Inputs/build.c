/* A module made op by op: exp of a tensor, called; and what is refused. */
#include "attn-c/build.h"
#include "common.h"

static attn_compiler *compiler;
static attn_builder *builder;

static void show(const char *what, attn_code code) {
  printf("%s: %d %s\n", what, (int)code, attn_compiler_error(compiler));
}

static const attn_type *type(const char *text) {
  const attn_type *made;
  GOOD(compiler, attn_type_parse(builder, text, &made));
  return made;
}

static const attn_attribute *attribute(const char *text) {
  const attn_attribute *made;
  GOOD(compiler, attn_attribute_parse(builder, text, &made));
  return made;
}

static attn_op_description describe(const char *name) {
  attn_op_description description;
  memset(&description, 0, sizeof(description));
  description.struct_size = sizeof(description);
  description.name = name;
  return description;
}

static void call(attn_module *module) {
  attn_kernel *kernel;
  attn_host *host;
  float a[4] = {0, 1, 0, 0}, r[4];
  int64_t shape[1] = {4};
  DLTensor in = make_tensor(a, shape, 1, kDLFloat, 32);
  DLTensor out = make_tensor(r, shape, 1, kDLFloat, 32), *arguments[2];
  arguments[0] = &in;
  arguments[1] = &out;
  GOOD(compiler, attn_kernel_create(module, NULL, &kernel));
  REQUIRE(attn_host_create(1, &host) == ATTN_GOOD);
  REQUIRE(attn_entry_call(attn_kernel_entry(kernel, "f"),
                          attn_host_context(host), arguments, 2) == ATTN_OK);
  REQUIRE(r[0] == 1.0f && r[1] > 2.7182f && r[1] < 2.7183f);
  attn_host_destroy(host);
  attn_kernel_destroy(kernel);
}

/* As deep as text may be nested, and no deeper. */
static void nest(attn_module *module) {
  attn_op_description op = describe("builtin.module");
  attn_op *made;
  int depth = 0;
  attn_code code = ATTN_GOOD;
  op.region_count = 1;
  while (code == ATTN_GOOD) {
    GOOD(compiler, attn_builder_add(builder, &op, &made));
    code = attn_builder_enter(builder, made, 0, NULL, NULL, 0, NULL);
    depth += code == ATTN_GOOD;
  }
  show("nesting", code);
  printf("depth: %d\n", depth);
  show("empty", attn_module_verify(module));
  while (depth-- > 0)
    GOOD(compiler, attn_builder_leave(builder));
}

int main(void) {
  const char *names[2] = {"function_type", "sym_name"};
  const attn_attribute *attributes[2], *wrong;
  const attn_type *vector, *pair[2], *none;
  const attn_value *argument, *result;
  attn_op_description function, op;
  attn_module *module;
  attn_op *made, *entry;
  REQUIRE(attn_compiler_create(NULL, &compiler) == ATTN_GOOD);
  GOOD(compiler, attn_module_create(compiler, "model", &module));
  GOOD(compiler, attn_builder_create(module, &builder));
  GOOD(compiler, attn_builder_locate(builder, "layer 1", "model.py", 7, 3));
  vector = type("tensor<4xf32>");
  REQUIRE(vector == type("tensor<4xf32>") && vector != type("tensor<5xf32>"));
  show("type", attn_type_parse(builder, "tensor<4xf33>", &none));
  show("attribute", attn_attribute_parse(builder, "#attn.nothing", &wrong));

  function = describe("func.func");
  function.attribute_names = names;
  function.attributes = attributes;
  function.attribute_count = 2;
  function.region_count = 1;
  attributes[0] = attribute("(tensor<4xf32>) -> tensor<4xf32>");
  attributes[1] = attribute("\"f\"");
  GOOD(compiler, attn_builder_add(builder, &function, &entry));
  show("region",
       attn_builder_enter(builder, entry, 1, &vector, NULL, 1, &argument));
  GOOD(compiler,
       attn_builder_enter(builder, entry, 0, &vector, NULL, 1, &argument));

  op = describe("foo.bar");
  show("op", attn_builder_add(builder, &op, &made));
  op = describe("math.exp");
  op.operands = &argument;
  op.operand_count = 1;
  op.result_types = pair;
  op.result_count = 1;
  pair[0] = type("tensor<5xf32>");
  show("verifier", attn_builder_add(builder, &op, &made));
  REQUIRE(made == NULL);
  pair[0] = vector;
  GOOD(compiler, attn_builder_add(builder, &op, &made));
  result = attn_op_result(made, 0);
  REQUIRE(result && !attn_op_result(made, 1));
  op = describe("func.return");
  op.operands = &result;
  op.operand_count = 1;
  GOOD(compiler, attn_builder_add(builder, &op, &made));
  GOOD(compiler, attn_builder_leave(builder));
  show("leave", attn_builder_leave(builder));
  GOOD(compiler, attn_module_verify(module));
  call(module);
  nest(module);
  attn_builder_destroy(builder);
  attn_module_destroy(module);
  attn_compiler_destroy(compiler);
  puts("done");
  return 0;
}
