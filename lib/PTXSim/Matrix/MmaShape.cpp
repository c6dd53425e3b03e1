//===- MmaShape.cpp - Which product an mma.sync computes ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MmaShape.h"

using namespace llvm;

namespace attn::ptx {

using ir::Type;

namespace {
enum class Family { Half, BFloat, TF32, Double, Byte, Float8, None };

Family familyOf(Type type) {
  switch (type) {
  case Type::F16:
    return Family::Half;
  case Type::BF16:
    return Family::BFloat;
  case Type::TF32:
    return Family::TF32;
  case Type::F64:
    return Family::Double;
  case Type::S8:
  case Type::U8:
    return Family::Byte;
  case Type::E4M3:
  case Type::E5M2:
    return Family::Float8;
  default:
    return Family::None;
  }
}

struct Entry {
  StringLiteral name;
  Family family;
  unsigned m, k, architecture;
};

constexpr Entry kShapes[] = {
    {"m16n8k8", Family::Half, 16, 8, 75},
    {"m16n8k16", Family::Half, 16, 16, 80},
    {"m16n8k8", Family::BFloat, 16, 8, 80},
    {"m16n8k16", Family::BFloat, 16, 16, 80},
    {"m16n8k4", Family::TF32, 16, 4, 80},
    {"m16n8k8", Family::TF32, 16, 8, 80},
    {"m8n8k4", Family::Double, 8, 4, 80},
    {"m16n8k4", Family::Double, 16, 4, 90},
    {"m16n8k8", Family::Double, 16, 8, 90},
    {"m16n8k16", Family::Double, 16, 16, 90},
    {"m8n8k16", Family::Byte, 8, 16, 75},
    {"m16n8k16", Family::Byte, 16, 16, 80},
    {"m16n8k32", Family::Byte, 16, 32, 80},
    {"m16n8k16", Family::Float8, 16, 16, 89},
    {"m16n8k32", Family::Float8, 16, 32, 89},
};

bool typesFit(const MmaShape &shape, Family family) {
  bool single = shape.d == Type::F32 && shape.c == Type::F32;
  bool half = shape.d == Type::F16 && shape.c == Type::F16;
  switch (family) {
  case Family::Half:
    return shape.a == shape.b && (single || half);
  case Family::BFloat:
  case Family::TF32:
    return shape.a == shape.b && single;
  case Family::Double:
    return shape.b == Type::F64 && shape.c == Type::F64 && shape.d == Type::F64;
  case Family::Byte:
    return shape.c == Type::S32 && shape.d == Type::S32;
  case Family::Float8:
    return single || half;
  case Family::None:
    return false;
  }
  return false;
}
} // namespace

std::optional<MmaShape> MmaShape::of(const ir::Instruction &inst,
                                     std::string &problem) {
  MmaShape result;
  result.d = inst.type(0);
  result.a = inst.type(1);
  result.b = inst.type(2);
  result.c = inst.type(3);
  result.saturate = inst.has("satfinite");
  Family family = familyOf(result.a);
  if (family == Family::None || familyOf(result.b) != family) {
    problem = "A and B have types that this simulator does not multiply";
    return std::nullopt;
  }
  if (family == Family::Half && inst.has("m8n8k4")) {
    problem = "mma.m8n8k4 of f16 is not supported";
    return std::nullopt;
  }
  if (!typesFit(result, family)) {
    problem = "D and C have types that do not go with those of A and B";
    return std::nullopt;
  }
  if (result.saturate && family != Family::Byte) {
    problem = ".satfinite is for integers";
    return std::nullopt;
  }
  for (const Entry &entry : kShapes)
    if (entry.family == family && inst.has(entry.name)) {
      result.m = entry.m;
      result.k = entry.k;
      result.architecture = entry.architecture;
      return result;
    }
  problem = "there is no such shape for the type of A";
  return std::nullopt;
}

} // namespace attn::ptx
