//===- Module.cpp - Types and names of the parsed module
//--------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/IR/Module.h"

#include "llvm/ADT/ArrayRef.h"

namespace attn::ptx::ir {

namespace {
struct TypeEntry {
  llvm::StringLiteral name;
  unsigned bits;
};
/// In the order of Type.
constexpr TypeEntry typeTable[] = {
    {"", 0},        {"pred", 1},    {"b8", 8},      {"b16", 16},
    {"b32", 32},    {"b64", 64},    {"b128", 128},  {"u8", 8},
    {"u16", 16},    {"u32", 32},    {"u64", 64},    {"s8", 8},
    {"s16", 16},    {"s32", 32},    {"s64", 64},    {"f16", 16},
    {"f16x2", 32},  {"bf16", 16},   {"bf16x2", 32}, {"tf32", 32},
    {"f32", 32},    {"f64", 64},    {"e4m3", 8},    {"e5m2", 8},
    {"e4m3x2", 16}, {"e5m2x2", 16}, {"u16x2", 32},  {"s16x2", 32},
    {"u8x4", 32},   {"s8x4", 32},   {"f32x2", 64},  {"texref", 64},
};
static_assert(std::size(typeTable) == unsigned(Type::TexRef) + 1);
} // namespace

Type parseType(llvm::StringRef name) {
  for (unsigned i = 1; i != std::size(typeTable); ++i)
    if (typeTable[i].name == name)
      return Type(i);
  return Type::None;
}

unsigned bitWidth(Type type) { return typeTable[unsigned(type)].bits; }

llvm::StringRef toString(Type type) { return typeTable[unsigned(type)].name; }

bool isSpecialRegister(llvm::StringRef name) {
  if (!name.consume_front("%"))
    return false;
  static constexpr llvm::StringLiteral vectors[] = {
      "tid",       "ntid",       "ctaid",         "nctaid",
      "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
  for (llvm::StringRef vector : vectors)
    if (name.size() == vector.size() + 2 && name.starts_with(vector) &&
        (name.ends_with(".x") || name.ends_with(".y") || name.ends_with(".z")))
      return true;
  static constexpr llvm::StringLiteral scalars[] = {
      "laneid",
      "warpid",
      "nwarpid",
      "smid",
      "nsmid",
      "gridid",
      "lanemask_eq",
      "lanemask_le",
      "lanemask_lt",
      "lanemask_ge",
      "lanemask_gt",
      "clock",
      "clock_hi",
      "clock64",
      "globaltimer",
      "globaltimer_lo",
      "globaltimer_hi",
      "cluster_ctarank",
      "cluster_nctarank",
      "is_explicit_cluster",
      "total_smem_size",
      "dynamic_smem_size",
      "aggr_smem_size",
      "reserved_smem_offset_begin",
      "reserved_smem_offset_end",
      "reserved_smem_offset_cap",
      "current_graph_exec"};
  for (llvm::StringRef scalar : scalars)
    if (name == scalar)
      return true;
  return false;
}

Type Instruction::type(unsigned n) const {
  for (llvm::StringRef modifier : modifiers) {
    Type type = parseType(modifier);
    if (type != Type::None && n-- == 0)
      return type;
  }
  return Type::None;
}

std::string Instruction::fullName() const {
  std::string result = opcode.str();
  for (llvm::StringRef modifier : modifiers)
    result += "." + modifier.str();
  return result;
}

} // namespace attn::ptx::ir
