//===- Program.cpp - Layout of memory, decoding of all functions
//------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Program.h"
#include "PTXSim/Exec/FunctionDecoder.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace attn::ptx {

bool ProgramDecoder::fail(uint32_t line, const Twine &message) {
  if (error.empty())
    error = ("line " + Twine(line) + ": " + message).str();
  return false;
}

/// Constants are 32 equal lane values. Those that name shared memory are
/// rebased for each rank and so never shared with plain numbers.
Opnd ProgramDecoder::constant(uint64_t value, RegClass cls, bool shared) {
  unsigned kind = unsigned(cls) * 2 + shared;
  auto [it, isNew] =
      constantOffsets.try_emplace({value, kind}, uint32_t(constants.size()));
  Opnd result;
  result.bank = BankConstant;
  result.cls = cls;
  result.offset = it->second;
  if (!isNew)
    return result;
  constants.resize(constants.size() + alignTo(storageBytes(cls), 128));
  uint8_t *base = constants.data() + result.offset;
  unsigned copies = cls == RegClass::Pred ? 1 : kLanes;
  unsigned size = cls == RegClass::Pred || cls == RegClass::R32 ? 4 : 8;
  for (unsigned l = 0; l != copies; ++l)
    std::memcpy(base + l * size, &value, size);
  if (shared)
    (size == 4 ? program.sharedConstants : program.sharedConstants64)
        .push_back(result.offset);
  return result;
}

DecodedFunction *ProgramDecoder::require(const ir::Function &function) {
  for (auto &known : program.functions)
    if (known->ir == &function)
      return known.get();
  if (function.isDeclaration) {
    fail(function.line, "function '" + function.name + "' has no body");
    return nullptr;
  }
  program.functions.push_back(std::make_unique<DecodedFunction>());
  DecodedFunction *result = program.functions.back().get();
  result->ir = &function;
  result->index = uint32_t(program.functions.size() - 1);
  worklist.push_back(result);
  return result;
}

uint16_t ProgramDecoder::opcode(const ir::Instruction &inst) {
  auto [it, isNew] = opcodeIndices.try_emplace(
      inst.fullName(), uint16_t(program.opcodeNames.size()));
  if (isNew)
    program.opcodeNames.push_back(inst.fullName());
  return it->second;
}

std::vector<KernelParameter> layoutParameters(const ir::Function &kernel) {
  std::vector<KernelParameter> result;
  uint64_t end = 0;
  for (const ir::Variable &var : kernel.params) {
    KernelParameter param;
    param.name = var.name.str();
    param.type = ir::toString(var.type).str();
    param.bytes = var.bytes;
    param.align = std::max<uint64_t>(var.align, 1);
    param.offset = end = alignTo(end, param.align);
    end += var.bytes;
    result.push_back(std::move(param));
  }
  return result;
}

/// Names that a kernel refers to, and the functions and variables that those
/// refer to in turn.
class Reachable {
public:
  explicit Reachable(const ir::Module &module) : module(module) {}

  void visit(StringRef name) {
    if (!names.insert(name).second)
      return;
    if (const ir::Function *function = module.findFunction(name))
      visit(*function);
    auto it = module.variableIndex.find(name);
    if (it != module.variableIndex.end())
      visit(module.variables[it->second]);
  }
  void visit(const ir::Function &function) {
    for (const ir::Variable &var : function.variables)
      visit(var);
    for (const ir::Instruction &inst : function.body)
      visit(inst.operands);
  }
  bool contains(StringRef name) const { return names.contains(name); }

private:
  void visit(const ir::Variable &var) {
    for (const ir::Variable::Relocation &r : var.relocations)
      visit(r.symbol);
  }
  void visit(ArrayRef<ir::Operand> operands) {
    for (const ir::Operand &op : operands) {
      if (op.is(ir::Operand::Kind::Symbol))
        visit(op.name);
      visit(op.elements);
    }
  }

  const ir::Module &module;
  StringSet<> names;
};

/// Static shared variables first, dynamic shared memory after them at 1024. A
/// variable that this kernel does not use takes no place.
static bool layoutShared(ProgramDecoder &decoder, const Reachable &used,
                         uint64_t dynamicBytes) {
  Program &program = decoder.program;
  uint64_t end = kSharedBase;
  std::vector<StringRef> dynamic;
  auto place = [&](const ir::Variable &var) {
    if (var.space != ir::Space::Shared || !used.contains(var.name))
      return;
    if (var.isExtern) {
      dynamic.push_back(var.name);
      return;
    }
    end = alignTo(end, std::max<uint64_t>(var.align, 1));
    program.sharedOffsets[var.name] = uint32_t(end);
    end += var.bytes;
  };
  for (const ir::Variable &var : decoder.module.variables)
    place(var);
  for (auto &function : decoder.module.functions)
    for (const ir::Variable &var : function->variables)
      place(var);
  program.staticSharedEnd = uint32_t(std::min<uint64_t>(end, 1u << 24));
  if (dynamicBytes || !dynamic.empty())
    end = alignTo(end, 1024);
  program.dynamicSharedBegin = uint32_t(std::min<uint64_t>(end, 1u << 24));
  for (StringRef name : dynamic)
    program.sharedOffsets[name] = program.dynamicSharedBegin;
  if (end - kSharedBase + dynamicBytes > 232448)
    return decoder.fail(1, Twine("the kernel needs ") +
                               Twine(end - kSharedBase + dynamicBytes) +
                               " bytes of shared memory, more than 232448");
  return true;
}

/// Gives module variables their addresses, then their initial bytes, which may
/// hold addresses.
static bool placeGlobals(ProgramDecoder &decoder, const Reachable &used,
                         GlobalMemory &memory) {
  Program &program = decoder.program;
  SmallVector<const ir::Variable *> all;
  for (const ir::Variable &var : decoder.module.variables)
    all.push_back(&var);
  for (auto &function : decoder.module.functions)
    for (const ir::Variable &var : function->variables)
      all.push_back(&var);
  erase_if(all,
           [&](const ir::Variable *var) { return !used.contains(var->name); });
  uint64_t bytes = 0;
  for (const ir::Variable *var : all) {
    bool isConst = var->space == ir::Space::Const;
    if (var->space != ir::Space::Global && !isConst)
      continue;
    if (var->isExtern && var->bytes == 0)
      return decoder.fail(var->line, "variable '" + var->name +
                                         "' is not defined in this module");
    bytes += var->bytes;
    if (bytes > kMostVariableBytes)
      return decoder.fail(var->line, "the variables of the module need " +
                                         Twine(bytes) + " bytes, more than " +
                                         Twine(kMostVariableBytes));
    program.globalAddresses[var->name] = memory.allocate(
        var->name, var->bytes, std::max<uint64_t>(var->align, 16), var->init,
        /*poison=*/false, isConst);
  }
  for (const ir::Variable *var : all)
    for (const ir::Variable::Relocation &r : var->relocations) {
      uint64_t value = 0;
      if (auto it = program.globalAddresses.find(r.symbol);
          it != program.globalAddresses.end())
        value = it->second;
      else if (auto at = program.sharedOffsets.find(r.symbol);
               at != program.sharedOffsets.end())
        value = at->second + (r.generic ? kSharedWindow : 0);
      else if (const ir::Function *f = decoder.module.findFunction(r.symbol)) {
        DecodedFunction *callee = decoder.require(*f);
        if (!callee)
          return false;
        value = kFunctionBase + callee->index * 16;
      } else
        return decoder.fail(var->line, "undefined name '" + r.symbol + "'");
      value = (value + uint64_t(r.addend)) >> r.shift;
      auto *bytes = reinterpret_cast<const uint8_t *>(&value);
      memory.write(program.globalAddresses.lookup(var->name) + r.offset,
                   ArrayRef(bytes, std::min(r.bytes, 8u)));
    }
  return true;
}

/// Whether CTAs may wait for each other or see each other's order: anything but
/// plain accesses and unordered integer reductions.
static bool communicates(const ir::Function &function) {
  for (const ir::Instruction &inst : function.body) {
    bool shared = inst.has("shared") || inst.has("shared::cta") ||
                  inst.has("shared::cluster");
    if (shared)
      continue;
    if (inst.opcode == "atom")
      return true;
    ir::Type type = inst.type();
    bool integer = type != ir::Type::F16 && type != ir::Type::F16x2 &&
                   type != ir::Type::BF16 && type != ir::Type::BF16x2 &&
                   type != ir::Type::F32 && type != ir::Type::F64;
    if (inst.opcode == "red" && (!integer || inst.has("exch")))
      return true;
    if (inst.opcode == "cp" && inst.has("reduce"))
      return true;
    if ((inst.opcode == "ld" || inst.opcode == "st") &&
        (inst.has("acquire") || inst.has("release") || inst.has("relaxed") ||
         (inst.has("volatile"))))
      return true;
  }
  return false;
}

static void rebaseConstants(ProgramDecoder &decoder, uint32_t clusterSize) {
  Program &program = decoder.program;
  for (uint32_t rank = 0; rank != clusterSize; ++rank) {
    program.constants.push_back(decoder.constants);
    uint8_t *base = program.constants.back().data();
    for (uint32_t offset : program.sharedConstants)
      for (unsigned l = 0; l != kLanes; ++l)
        reinterpret_cast<uint32_t *>(base + offset)[l] |= rank << 24;
    for (uint32_t offset : program.sharedConstants64)
      for (unsigned l = 0; l != kLanes; ++l)
        reinterpret_cast<uint64_t *>(base + offset)[l] |= rank << 24;
  }
}

Expected<std::unique_ptr<Program>> decodeProgram(const ir::Module &module,
                                                 const ir::Function &kernel,
                                                 const Launch &launch,
                                                 uint32_t clusterSize,
                                                 GlobalMemory &memory) {
  auto program = std::make_unique<Program>();
  program->module = &module;
  ProgramDecoder decoder(*program, module);
  program->opcodeNames.push_back("(special register)");
  for (const KernelParameter &param : layoutParameters(kernel)) {
    program->paramOffsets[param.name] = uint32_t(param.offset);
    program->paramBytes = uint32_t(param.offset + param.bytes);
  }
  if (program->paramBytes > 32764)
    decoder.fail(kernel.line, "the parameters need more than 32764 bytes");
  if (decoder.error.empty())
    program->kernel = decoder.require(kernel);
  Reachable used(module);
  used.visit(kernel);
  if (decoder.error.empty() &&
      layoutShared(decoder, used, launch.dynamicShared))
    placeGlobals(decoder, used, memory);
  while (decoder.error.empty() && !decoder.worklist.empty()) {
    DecodedFunction *next = decoder.worklist.back();
    decoder.worklist.pop_back();
    program->communicates |= communicates(*next->ir);
    FunctionDecoder(decoder, *next).run();
  }
  if (!decoder.error.empty())
    return createStringError(decoder.error);
  rebaseConstants(decoder, clusterSize);
  return std::move(program);
}

} // namespace attn::ptx
