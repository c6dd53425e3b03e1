//===- BuildOps.cpp - Ops by name ----------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Build.h"
#include "attn/Compiler/InputFile.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace attn;
using namespace attn::capi;
using llvm::createStringError;
using llvm::Error;

attn_code attn::capi::build(attn_builder *builder,
                            llvm::function_ref<Error(MLIRContext &)> body) {
  if (!builder)
    return ATTN_BAD_INPUT;
  attn_module &module = builder->module;
  return runShort(*module.compiler, [&](Session &session) -> Error {
    if (Error error = checkUsable(module))
      return error;
    session.use(module.ir);
    return body(module.ir->mlir);
  });
}

attn_code attn_builder_create(attn_module *module, attn_builder **builder) {
  if (builder)
    *builder = nullptr;
  if (!module || !builder)
    return refuse(module ? module->compiler : nullptr,
                  "attn_builder_create: the module or the place for the "
                  "builder is null");
  return runShort(*module->compiler, [&](Session &) -> Error {
    if (Error error = checkUsable(*module))
      return error;
    *builder = new attn_builder(*module);
    return Error::success();
  });
}

void attn_builder_destroy(attn_builder *builder) { delete builder; }

attn_code attn_builder_locate(attn_builder *builder, const char *name,
                              const char *file, uint32_t line,
                              uint32_t column) {
  return build(builder, [&](MLIRContext &context) {
    Location location = UnknownLoc::get(&context);
    if (file)
      location = FileLineColLoc::get(&context, file, line, column);
    if (name)
      location = NameLoc::get(StringAttr::get(&context, name), location);
    builder->location = location;
    return Error::success();
  });
}

/// Fails where one of the handles that a caller listed is null.
template <typename Handle>
static Error checkHandles(const char *op, const char *what,
                          ArrayRef<Handle *> handles) {
  const auto *null = llvm::find(handles, nullptr);
  if (null == handles.end())
    return Error::success();
  return createStringError("%s %zu of '%s' is null", what,
                           size_t(null - handles.begin()), op);
}

static Error readDescription(const attn_op_description &given,
                             OperationState &state) {
  if (!state.name.isRegistered())
    return createStringError("there is no op '" + StringRef(given.name) + "'");
  ArrayRef operands(given.operands, given.operand_count);
  ArrayRef types(given.result_types, given.result_count);
  ArrayRef attributes(given.attributes, given.attribute_count);
  if (Error error = checkHandles(given.name, "operand", operands))
    return error;
  if (Error error = checkHandles(given.name, "the type of result", types))
    return error;
  if (Error error = checkHandles(given.name, "attribute", attributes))
    return error;
  for (const attn_value *operand : operands)
    state.operands.push_back(unwrap(operand));
  for (const attn_type *type : types)
    state.types.push_back(unwrap(type));
  for (auto [i, attribute] : llvm::enumerate(attributes))
    state.addAttribute(given.attribute_names[i], unwrap(attribute));
  for (size_t i = 0; i < given.region_count; ++i)
    state.addRegion();
  return Error::success();
}

attn_code attn_builder_add(attn_builder *builder,
                           const attn_op_description *description,
                           attn_op **op) {
  return build(builder, [&](MLIRContext &context) -> Error {
    *op = nullptr;
    auto options = readOptions(description);
    if (!options)
      return options.takeError();
    const attn_op_description &given = *options;
    if (!given.name)
      return createStringError("attn_builder_add: the op has no name");
    StringRef name = given.name;
    // An op is known once its dialect is.
    context.getOrLoadDialect(name.split('.').first);
    OperationState state(builder->location, name);
    if (Error error = readDescription(given, state))
      return error;
    Operation *created = builder->insertion.create(state);
    if (given.region_count == 0 &&
        failed(verify(created, /*verifyRecursively=*/false))) {
      created->erase();
      return createStringError("'" + name + "' cannot be built like this");
    }
    *op = wrap(created);
    return Error::success();
  });
}

const attn_value *attn_op_result(const attn_op *op, size_t index) {
  Operation *operation = unwrap(op);
  return index < operation->getNumResults()
             ? wrap(Value(operation->getResult(index)))
             : nullptr;
}

attn_code attn_builder_set(attn_builder *builder, attn_op *op, const char *name,
                           const attn_attribute *attribute) {
  return build(builder, [&](MLIRContext &) -> Error {
    Operation *operation = unwrap(op);
    if (attribute)
      operation->setAttr(name, unwrap(attribute));
    else
      operation->removeAttr(name);
    return Error::success();
  });
}

/// Where messages place an argument that may have a name.
static Location nameArgument(Location location, const char *name) {
  return name ? NameLoc::get(StringAttr::get(location.getContext(), name),
                             location)
              : location;
}

/// The ops around an op.
static unsigned countParents(Operation *op) {
  unsigned count = 0;
  while ((op = op->getParentOp()))
    ++count;
  return count;
}

attn_code attn_builder_enter(attn_builder *builder, attn_op *op, size_t region,
                             const attn_type *const *types,
                             const char *const *names, size_t count,
                             const attn_value **arguments) {
  return build(builder, [&](MLIRContext &) -> Error {
    Operation *operation = unwrap(op);
    std::string name = operation->getName().getStringRef().str();
    if (region >= operation->getNumRegions())
      return createStringError("'%s' has no region %zu", name.c_str(), region);
    if (countParents(operation) >= kMaxNesting)
      return createStringError("regions are nested more than %u deep",
                               kMaxNesting);
    Region &entered = operation->getRegion(region);
    if (!entered.empty())
      return createStringError("region %zu of '%s' has its block already",
                               region, name.c_str());
    if (Error error = checkHandles(name.c_str(), "the type of block argument",
                                   ArrayRef(types, count)))
      return error;
    auto *block = new Block();
    entered.push_back(block);
    for (size_t i = 0; i < count; ++i)
      arguments[i] = wrap(Value(block->addArgument(
          unwrap(types[i]),
          nameArgument(builder->location, names ? names[i] : nullptr))));
    builder->outer.push_back(builder->insertion.saveInsertionPoint());
    builder->insertion.setInsertionPointToEnd(block);
    return Error::success();
  });
}

attn_code attn_builder_leave(attn_builder *builder) {
  return build(builder, [&](MLIRContext &) -> Error {
    if (builder->outer.empty())
      return createStringError("no region was entered");
    builder->insertion.restoreInsertionPoint(builder->outer.pop_back_val());
    return Error::success();
  });
}
