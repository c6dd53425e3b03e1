//===- Names.cpp - What kernels are called in C ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Names.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Target/CPU/Dispatch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace attn;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::StringRef;

/// Words of C up to C23 and of C++ up to C++20. All are here, since a header
/// serves both languages.
static constexpr llvm::StringLiteral kKeywords[] = {"alignas",
                                                    "alignof",
                                                    "and",
                                                    "and_eq",
                                                    "asm",
                                                    "auto",
                                                    "bitand",
                                                    "bitor",
                                                    "bool",
                                                    "break",
                                                    "case",
                                                    "catch",
                                                    "char",
                                                    "char16_t",
                                                    "char32_t",
                                                    "char8_t",
                                                    "class",
                                                    "co_await",
                                                    "co_return",
                                                    "co_yield",
                                                    "compl",
                                                    "concept",
                                                    "const",
                                                    "const_cast",
                                                    "consteval",
                                                    "constexpr",
                                                    "constinit",
                                                    "continue",
                                                    "decltype",
                                                    "default",
                                                    "delete",
                                                    "do",
                                                    "double",
                                                    "dynamic_cast",
                                                    "else",
                                                    "enum",
                                                    "explicit",
                                                    "export",
                                                    "extern",
                                                    "false",
                                                    "float",
                                                    "for",
                                                    "friend",
                                                    "goto",
                                                    "if",
                                                    "inline",
                                                    "int",
                                                    "long",
                                                    "mutable",
                                                    "namespace",
                                                    "new",
                                                    "noexcept",
                                                    "not",
                                                    "not_eq",
                                                    "nullptr",
                                                    "operator",
                                                    "or",
                                                    "or_eq",
                                                    "private",
                                                    "protected",
                                                    "public",
                                                    "register",
                                                    "requires",
                                                    "restrict",
                                                    "return",
                                                    "short",
                                                    "signed",
                                                    "sizeof",
                                                    "static",
                                                    "static_assert",
                                                    "static_cast",
                                                    "struct",
                                                    "switch",
                                                    "template",
                                                    "this",
                                                    "thread_local",
                                                    "throw",
                                                    "true",
                                                    "try",
                                                    "typedef",
                                                    "typeid",
                                                    "typename",
                                                    "typeof",
                                                    "typeof_unqual",
                                                    "union",
                                                    "unsigned",
                                                    "using",
                                                    "virtual",
                                                    "void",
                                                    "volatile",
                                                    "wchar_t",
                                                    "while",
                                                    "xor",
                                                    "xor_eq",
                                                    "reinterpret_cast"};

/// What attn_runtime.h and the headers that it includes declare.
static bool isDeclaredByHeader(StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "attn_context",   "attn_status",  "attn_error_message", "DLTensor",
      "DLDevice",       "DLDeviceType", "DLDataType",         "DLContext",
      "DLDataTypeCode", "size_t",       "ptrdiff_t",          "NULL",
      "offsetof"};
  static constexpr llvm::StringLiteral prefixes[] = {
      "ATTN_", "kDL", "DLPACK_", "DLPack", "DLManagedTensor", "int", "uint"};
  if (llvm::is_contained(names, name))
    return true;
  return llvm::any_of(prefixes, [&](StringRef prefix) {
    // Of what begins like an integer type, only types are meant: int32_t.
    return name.starts_with(prefix) &&
           (!prefix.ends_with("int") || name.ends_with("_t"));
  });
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Why no kernel can have the name; null if it can.
static const char *findFault(StringRef name) {
  if (!isIdentifier(name))
    return "is not an identifier of C";
  if (llvm::is_contained(kKeywords, name))
    return "is a keyword of C or C++";
  if (name.starts_with("__") ||
      (name.starts_with("_") && name.size() > 1 && llvm::isUpper(name[1])))
    return "is reserved by C";
  if (isDeclaredByHeader(name))
    return "is declared by the header of kernels";
  static constexpr llvm::StringLiteral program[] = {
      "main", "_start", "_init", "_fini", "_end", "_edata", "_etext"};
  if (llvm::is_contained(program, name))
    return "is the program itself in C";
  // Variables and macros; its functions follow.
  static constexpr llvm::StringLiteral objects[] = {
      "stdin", "stdout", "stderr", "errno", "environ", "alloca", "assert"};
  if (llvm::is_contained(objects, name))
    return "is a name of the C library";
  llvm::LibFunc function;
  llvm::TargetLibraryInfoImpl library{llvm::Triple("x86_64-unknown-linux-gnu")};
  if (library.getLibFunc(name, function))
    return "is a function of the C library";
  return nullptr;
}

llvm::Error attn::checkCName(StringRef name, StringRef where) {
  const char *fault = findFault(name);
  if (!fault)
    return llvm::Error::success();
  return createStringError(where + ": '" + name + "' " + fault +
                           "; the option name gives the kernel another one");
}

/// What the C entry `name` makes for itself at some time of the compilation.
static std::vector<std::string>
getOwnSymbols(StringRef name, ArrayRef<TargetDescription> targets) {
  std::string shapes = getShapesFunctionName(name);
  std::vector<std::string> symbols = {shapes, getDimsFunctionName(name),
                                      getKernelFunctionName(name),
                                      getUnitFunctionName(name)};
  for (const TargetDescription &target : targets) {
    symbols.push_back(getCloneName(name, target));
    symbols.push_back(getCloneName(shapes, target));
  }
  return symbols;
}

llvm::Error attn::checkClashes(ArrayRef<std::string> names,
                               ArrayRef<TargetDescription> targets,
                               StringRef where) {
  for (const std::string &name : names)
    for (const std::string &symbol : getOwnSymbols(name, targets))
      if (llvm::is_contained(names, symbol))
        return createStringError(where + ": '" + symbol +
                                 "' is a name that the kernel '" + name +
                                 "' takes for itself");
  return llvm::Error::success();
}
