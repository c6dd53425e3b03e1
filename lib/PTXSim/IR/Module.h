//===- Module.h - PTX text as data
//------------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of PTX text. Names and modifiers are StringRefs into
// the text the module owns; nothing here is looked at while a kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_IR_MODULE_H
#define ATTN_LIB_PTXSIM_IR_MODULE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace attn::ptx::ir {

/// Fundamental types. B128 is a pair of 64-bit values.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2,
  U8x4,
  S8x4,
  F32x2,
  TexRef
};
/// Type::None when `name` (without the dot) is no type.
Type parseType(llvm::StringRef name);
/// Whether PTX defines a read-only register of this name ("%tid.x").
bool isSpecialRegister(llvm::StringRef name);
unsigned bitWidth(Type type); ///< Pred is 1.
llvm::StringRef toString(Type type);

enum class Space : uint8_t {
  Generic,
  Reg,
  Global,
  Shared,
  SharedCluster,
  Local,
  Const,
  Param
};

/// Where names are declared; operands refer to registers by index.
struct Register {
  llvm::StringRef name; ///< With % and number: "%r12".
  Type type = Type::None;
};

struct Variable;
struct Function;

struct Operand {
  enum class Kind : uint8_t {
    None,
    Register, ///< `reg` in Function::registers, `negated` for !%p.
    Integer,  ///< `bits` (two's complement).
    Float32,  ///< 0f and 8 hex digits: `bits` are the IEEE bits.
    Float64,  ///< 0d and 16 hex digits, or 1.5: bits of the double.
    Special,  ///< `name` is "%tid.x".
    Symbol,   ///< A variable, function, parameter or label by `name`.
    Address,  ///< [elements[0] + bits]; more elements: [map, {c0, c1}].
    Vector,   ///< {elements...}
    Pair,     ///< d|p
    Sink,     ///< _
    Label,    ///< A branch target: `bits` is the index of the instruction.
  };
  Kind kind = Kind::None;
  bool negated = false;
  uint32_t reg = 0;
  uint64_t bits = 0;
  llvm::StringRef name;
  std::vector<Operand> elements;
  uint32_t line = 0;

  bool is(Kind k) const { return kind == k; }
};

struct Instruction {
  uint32_t line = 0;
  llvm::StringRef opcode; ///< "ld", "cp", "wgmma", "bar", ...
  llvm::SmallVector<llvm::StringRef, 6> modifiers; ///< Without dots.
  std::vector<Operand> operands;                   ///< Destination first.
  int32_t guard = -1;                              ///< Register of @p, or -1.
  bool guardNegated = false;

  bool has(llvm::StringRef modifier) const {
    for (llvm::StringRef m : modifiers)
      if (m == modifier)
        return true;
    return false;
  }
  /// The `n`-th modifier that is a type, or None.
  Type type(unsigned n = 0) const;
  /// "cp.async.bulk.wait_group 0" without operands: for messages and counts.
  std::string fullName() const;
};

/// .global, .shared, .const, .local variables and parameters.
struct Variable {
  llvm::StringRef name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t align = 1;
  uint64_t bytes = 0;    ///< Whole size; 0 for `.extern .shared x[]`.
  bool isExtern = false; ///< Extern shared without size: dynamic shared.
  bool isArray = false;
  std::vector<uint8_t> init; ///< Shorter than bytes: zeros follow.
  /// Addresses that the initialiser names: (byte offset, symbol + addend).
  struct Relocation {
    uint64_t offset;
    llvm::StringRef symbol;
    int64_t addend;
    bool generic;
    unsigned bytes;
    unsigned shift = 0; ///< Of the address, for `mask(symbol)`.
  };
  std::vector<Relocation> relocations;
  uint32_t line = 0;
};

struct Label {
  llvm::StringRef name;
  uint32_t index; ///< Of the instruction that follows it.
};

/// .branchtargets L0, L1, ...; or .callprototype / .calltargets.
struct LabelList {
  llvm::StringRef name;
  std::vector<llvm::StringRef> targets;
  std::vector<uint32_t> indices; ///< Of the instructions at the targets.
  bool isPrototype = false;
  int scope = 0; ///< For the parser.
};

struct Function {
  llvm::StringRef name;
  bool isKernel = false;
  bool isDeclaration = false;
  std::vector<Variable> returns, params;
  std::vector<Register> registers;
  std::vector<Variable> variables; ///< .local, .shared and .param in the body.
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<LabelList> lists;
  uint32_t reqntid[3] = {0, 0, 0}, maxntid[3] = {0, 0, 0};
  uint32_t maxnreg = 0;
  uint32_t cluster[3] = {0, 0, 0}; ///< .reqnctapercluster
  bool explicitCluster = false;
  uint32_t line = 0;
};

struct Module {
  std::unique_ptr<std::string> text; ///< Every StringRef points into it.
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target;
  unsigned addressSize = 64;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  llvm::StringMap<unsigned> functionIndex, variableIndex;
  /// Names the parser made itself (ranges of registers, scoped names).
  std::vector<std::unique_ptr<std::string>> ownedNames;

  const Function *findFunction(llvm::StringRef name) const {
    auto it = functionIndex.find(name);
    return it == functionIndex.end() ? nullptr : functions[it->second].get();
  }
};

} // namespace attn::ptx::ir

#endif // ATTN_LIB_PTXSIM_IR_MODULE_H
