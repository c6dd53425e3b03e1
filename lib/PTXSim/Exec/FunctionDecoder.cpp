//===- FunctionDecoder.cpp - One function to its decoded form
//---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/FunctionDecoder.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace attn::ptx {

static RegClass classOf(ir::Type type) {
  unsigned bits = ir::bitWidth(type);
  return type == ir::Type::Pred ? RegClass::Pred
         : bits <= 32           ? RegClass::R32
         : bits == 64           ? RegClass::R64
                                : RegClass::R128;
}

bool FunctionDecoder::fail(const Twine &message) {
  return shared.fail(inst ? inst->line : ir.line,
                     inst ? message + ": '" + inst->fullName() + "'" : message);
}

Opnd FunctionDecoder::temporary(RegClass cls) {
  Opnd result;
  // Predicates are small, but every register starts on 128 bytes so that the
  // lanes of the others are aligned for vector code.
  result.offset = out.registerBytes;
  result.cls = cls;
  out.registerBytes += uint32_t(alignTo(storageBytes(cls), 128));
  return result;
}

void FunctionDecoder::layoutRegisters() {
  for (const ir::Register &reg : ir.registers)
    registers.push_back(temporary(classOf(reg.type)));
  // The parser has put results and parameters first.
  size_t next = 0;
  for (const auto *list : {&ir.returns, &ir.params})
    for (const ir::Variable &var : *list)
      if (var.space == ir::Space::Reg)
        out.registerParameters[var.name] = registers[next++];
}

/// Accumulators and A fragments: asynchronous operations use them, so it
/// matters who else writes them and when.
void FunctionDecoder::findWgmmaRegisters() {
  for (const ir::Instruction &next : ir.body) {
    if (next.opcode != "wgmma" || !next.has("mma_async"))
      continue;
    usedByWgmma.resize(registers.size());
    for (const ir::Operand &op : next.operands)
      for (const ir::Operand &element : op.elements)
        if (element.is(ir::Operand::Kind::Register))
          usedByWgmma[element.reg] = true;
  }
}

/// .local variables, this function's parameters and those of its calls.
bool FunctionDecoder::layoutStack() {
  uint64_t end = 0;
  auto place = [&](const ir::Variable &var) {
    end = alignTo(end, std::max<uint64_t>(var.align, 1));
    out.stackOffsets[var.name] = uint32_t(end);
    end += var.bytes;
  };
  if (!ir.isKernel) {
    for (const ir::Variable &var : ir.returns)
      place(var);
    for (const ir::Variable &var : ir.params)
      place(var);
  }
  for (const ir::Variable &var : ir.variables)
    if (var.space == ir::Space::Local || var.space == ir::Space::Param)
      place(var);
  // Local variables of the module are rare; each function sees them at the
  // same place only when it is the kernel, so they are refused.
  if (end > kMostLocalBytes)
    return fail("function '" + ir.name + "' needs " + Twine(end) +
                " bytes of local memory, more than " + Twine(kMostLocalBytes));
  out.stackBytes = uint32_t(alignTo(end, 16));
  return true;
}

Opnd FunctionDecoder::registerOperand(uint32_t reg) { return registers[reg]; }

AddressOpnd FunctionDecoder::address(const ir::Operand &op) {
  AddressOpnd result;
  if (!op.is(ir::Operand::Kind::Address) || op.elements.empty()) {
    fail("expected an address in brackets");
    return result;
  }
  result.offset = int64_t(op.bits);
  const ir::Operand &base = op.elements[0];
  switch (base.kind) {
  case ir::Operand::Kind::Register:
    result.base = registers[base.reg];
    current.reads.push_back(base.reg);
    if (result.base.cls != RegClass::R32 && result.base.cls != RegClass::R64)
      fail("an address needs a 32- or 64-bit register");
    break;
  case ir::Operand::Kind::Integer:
    result.base = shared.constant(base.bits, RegClass::R64);
    break;
  case ir::Operand::Kind::Symbol: {
    bool isShared = shared.program.sharedOffsets.count(base.name);
    result.base = symbol(base, isShared ? RegClass::R32 : RegClass::R64);
    break;
  }
  default:
    fail("cannot take this as an address");
  }
  return result;
}

/// The address of a variable in its own space; functions have addresses too.
Opnd FunctionDecoder::symbol(const ir::Operand &op, RegClass cls) {
  Program &program = shared.program;
  uint64_t addend = op.bits;
  if (auto it = out.stackOffsets.find(op.name); it != out.stackOffsets.end()) {
    uint64_t flag = 0;
    for (const ir::Variable &var : ir.variables)
      if (var.name == op.name && var.space == ir::Space::Param)
        flag = kStackParams;
    for (const auto *list : {&ir.returns, &ir.params})
      for (const ir::Variable &var : *list)
        if (var.name == op.name)
          flag = kStackParams;
    uint32_t key = uint32_t(it->second + addend) | uint32_t(flag);
    Opnd &place = stackAddresses[key];
    if (!place)
      place = temporary(RegClass::R64);
    Opnd result = place;
    if (cls == RegClass::R32)
      fail("local and parameter addresses have 64 bits");
    return result;
  }
  if (ir.isKernel) {
    auto it = program.paramOffsets.find(op.name);
    if (it != program.paramOffsets.end())
      return shared.constant(it->second + addend, cls);
  }
  if (auto it = program.sharedOffsets.find(op.name);
      it != program.sharedOffsets.end())
    return shared.constant(it->second + addend, cls, /*shared=*/true);
  if (auto it = program.globalAddresses.find(op.name);
      it != program.globalAddresses.end()) {
    if (cls == RegClass::R64)
      return shared.constant(it->second + addend, cls);
    fail("a global address needs a 64-bit register");
    return {};
  }
  if (const ir::Function *function = shared.module.findFunction(op.name)) {
    if (DecodedFunction *callee = shared.require(*function))
      return shared.constant(kFunctionBase + callee->index * 16, cls);
    return {};
  }
  fail("cannot take the address of '" + op.name + "'");
  return {};
}

/// Special registers are read into a fresh register by an instruction of their
/// own, just before the one that names them.
Opnd FunctionDecoder::special(const ir::Operand &op, ir::Type type, bool wide) {
  RegClass cls = RegClass::R32;
  Inst read;
  read.handler = specialRegister(op.name, cls, read.imm);
  if (!read.handler) {
    fail("special register '" + op.name + "' is not supported");
    return {};
  }
  if (classOf(type) != cls && !(cls == RegClass::R32 && wide)) {
    // mov.u64 %rd, %clock and mov.u32 of a 64-bit register are not legal.
    fail("size of '" + op.name + "' does not match the type");
    return {};
  }
  Opnd result = temporary(cls);
  shared.program.operandLists.push_back({result});
  read.ops = shared.program.operandLists.back().data();
  read.numOps = 1;
  read.line = inst->line;
  body.push_back(read);
  return result;
}

Opnd FunctionDecoder::operand(const ir::Operand &op, ir::Type type, bool wide,
                              bool isSource) {
  using Kind = ir::Operand::Kind;
  switch (op.kind) {
  case Kind::Register: {
    Opnd result = registers[op.reg];
    result.negated = op.negated;
    if (op.negated && result.cls != RegClass::Pred) {
      fail("only predicates can be negated");
      return {};
    }
    unsigned have = ir::bitWidth(ir.registers[op.reg].type);
    unsigned want = ir::bitWidth(type);
    bool predicate = type == ir::Type::Pred;
    bool fits = wide ? have >= want : have == want;
    // Bytes travel in 16- and 32-bit registers.
    fits |= want == 8 && have <= 32 && have >= 8;
    if (predicate != (result.cls == RegClass::Pred) || !fits) {
      fail("register '" + op.name + "' does not have the size of ." +
           ir::toString(type));
      return {};
    }
    (isSource ? current.reads : current.writes).push_back(op.reg);
    if (!isSource && !usedByWgmma.empty() && usedByWgmma[op.reg])
      written.push_back(result);
    return result;
  }
  case Kind::Sink:
    if (isSource)
      fail("'_' is not a value");
    return {};
  case Kind::Special:
  case Kind::Symbol:
  case Kind::Integer:
  case Kind::Float32:
  case Kind::Float64:
    if (isSource)
      break;
    [[fallthrough]];
  default:
    fail(isSource ? "expected a register or a number" : "expected a register");
    return {};
  }
  if (op.is(Kind::Special))
    return special(op, type, wide);
  if (op.is(Kind::Symbol))
    return symbol(op, classOf(type));
  return immediate(op, type);
}

static bool isFloat(ir::Type type) {
  return type == ir::Type::F32 || type == ir::Type::F64 ||
         type == ir::Type::TF32;
}

Opnd FunctionDecoder::immediate(const ir::Operand &op, ir::Type type) {
  using Kind = ir::Operand::Kind;
  uint64_t bits = op.bits;
  unsigned width = ir::bitWidth(type);
  if (type == ir::Type::Pred) {
    if (!op.is(Kind::Integer))
      fail("expected a predicate");
    Opnd result = shared.constant(bits ? ~0u : 0, RegClass::Pred);
    result.negated = op.negated;
    return result;
  }
  if (op.is(Kind::Integer) && isFloat(type)) {
    fail("expected a floating-point number");
    return {};
  }
  if (op.is(Kind::Float64) && width == 32) {
    float narrow = float(bit_cast<double>(bits));
    bits = bit_cast<uint32_t>(narrow);
  } else if (op.is(Kind::Float32) && width == 64) {
    bits = bit_cast<uint64_t>(double(bit_cast<float>(uint32_t(bits))));
  } else if (!op.is(Kind::Integer) && width < 32) {
    fail("a float literal has 32 or 64 bits");
    return {};
  }
  if (width < 64)
    bits &= (uint64_t(1) << width) - 1;
  return shared.constant(bits, classOf(type));
}

bool FunctionDecoder::decodeInstruction(const ir::Instruction &next) {
  inst = &next;
  DecodeFn decode = OpTable::get().find(next.opcode);
  if (!decode)
    return fail("unknown instruction");
  Decoder decoder(*this);
  Inst result;
  written.clear();
  current = {};
  decode(decoder, next, result);
  if (!shared.error.empty())
    return false;
  if (!result.handler)
    return fail("unsupported form of instruction");
  if (next.guard >= 0) {
    result.guard = registers[next.guard];
    result.guard.negated = next.guardNegated;
  }
  if (!written.empty()) {
    shared.program.operandLists.push_back(written);
    result.written = uint32_t(shared.program.operandLists.size());
  }
  result.line = next.line;
  result.opcode = shared.opcode(next);
  noteAccesses(result);
  body.push_back(result);
  return true;
}

/// The registers among `op` and its elements; others count as no register.
static void addValues(const ir::Operand &op, RegisterAccesses &accesses) {
  if (op.is(ir::Operand::Kind::Vector)) {
    for (const ir::Operand &element : op.elements)
      addValues(element, accesses);
    return;
  }
  accesses.values.push_back(op.is(ir::Operand::Kind::Register)
                                ? op.reg
                                : RegisterAccesses::kNoRegister);
}

void FunctionDecoder::noteAccesses(const Inst &decoded) {
  using Kind = RegisterAccesses::Kind;
  const std::vector<ir::Operand> &ops = inst->operands;
  if (inst->guard >= 0)
    current.guard = uint32_t(inst->guard);
  if (inst->opcode == "mov") {
    current.kind = Kind::Copy;
    current.reads.clear();
    addValues(ops[1], current);
  } else if (inst->opcode == "selp") {
    current.kind = Kind::Select;
    current.selector = decoded.ops[3];
    current.reads.clear();
    for (size_t k : {1, 2, 3})
      addValues(ops[k], current);
  } else if (RegisterAccesses::isPure(inst->opcode)) {
    current.kind = Kind::Pure;
    std::swap(current.reads, current.values);
  } else if (inst->opcode == "wgmma" && inst->has("mma_async")) {
    // The accumulators are the first that it named.
    current.kind = Kind::Product;
    current.selector = decoded.ops[1];
    addValues(ops[0], current);
    current.reads.erase(current.reads.begin(),
                        current.reads.begin() + current.values.size());
    current.writes.append(current.values.begin(), current.values.end());
  } else if (inst->opcode == "call" ||
             (inst->opcode == "st" &&
              (inst->has("param") || inst->has("local")))) {
    // Compilers pass and spill what nobody will look at.
    current.reads.clear();
    if (inst->opcode == "st" && !ops[0].elements.empty() &&
        ops[0].elements[0].is(ir::Operand::Kind::Register))
      current.reads.push_back(ops[0].elements[0].reg);
  }
  accesses.resize(body.size());
  accesses.push_back(std::move(current));
}

/// Turns the accesses of watched registers into checks. Their states lie behind
/// the registers.
void FunctionDecoder::watchRegisters(ArrayRef<SmallVector<uint32_t, 2>> next,
                                     uint32_t prologue) {
  accesses.insert(accesses.begin(), prologue, {});
  accesses.resize(next.size());
  std::vector<bool> given(registers.size());
  size_t named = 0;
  for (const auto *list : {&ir.returns, &ir.params})
    for (const ir::Variable &var : *list)
      if (var.space == ir::Space::Reg)
        given[named++] = list == &ir.params;
  std::vector<bool> watched = findWatchedRegisters(given, accesses, next);
  std::vector<uint32_t> states(registers.size());
  for (size_t reg = 0; reg != registers.size(); ++reg)
    if (watched[reg]) {
      states[reg] = temporary(RegClass::R32).offset;
      out.watched.push_back(states[reg]);
    }
  if (out.watched.empty())
    return;
  auto watchedOf = [&](uint32_t reg) {
    return reg == RegisterAccesses::kNoRegister
               ? RegisterCheck::Watched()
               : RegisterCheck::Watched{states[reg], reg};
  };
  for (size_t i = 0; i != accesses.size(); ++i) {
    const RegisterAccesses &a = accesses[i];
    RegisterCheck check;
    check.kind = a.kind;
    check.selector = a.selector;
    check.guard = watchedOf(a.guard);
    bool any = check.guard.state != 0;
    auto add = [&](ArrayRef<uint32_t> from, auto &into, bool all) {
      for (uint32_t reg : from) {
        RegisterCheck::Watched w = watchedOf(reg);
        any |= w.state != 0;
        if (w.state || all)
          into.push_back(w);
      }
    };
    add(a.reads, check.reads, false);
    add(a.values, check.values, true);
    add(a.writes, check.writes, false);
    if (!any)
      continue;
    shared.program.registerChecks.push_back(std::move(check));
    out.code[i].watched = uint32_t(shared.program.registerChecks.size());
  }
}

/// Branch targets so far are indices of IR instructions. The code is: stack
/// addresses, the decoded body, the common return.
void FunctionDecoder::linkBranches() {
  std::vector<Inst> &code = out.code;
  for (auto &[offset, place] : stackAddresses) {
    Inst entry;
    entry.handler = storeStackAddress;
    entry.imm = offset;
    shared.program.operandLists.push_back({place});
    entry.ops = shared.program.operandLists.back().data();
    entry.numOps = 1;
    code.push_back(entry);
  }
  uint32_t prologue = uint32_t(code.size());
  code.insert(code.end(), body.begin(), body.end());
  Inst last;
  last.handler = returnFromFunction;
  last.line = ir.body.empty() ? ir.line : ir.body.back().line;
  last.opcode = shared.opcodeIndices.lookup("ret");
  code.push_back(last);
  uint32_t exit = uint32_t(code.size()) - 1;

  auto indexOf = [&](uint64_t irIndex) {
    return irIndex < firstOf.size() ? prologue + firstOf[irIndex] : exit;
  };
  std::vector<SmallVector<uint32_t, 2>> next(code.size());
  auto ends = std::make_unique<bool[]>(code.size());
  std::fill_n(ends.get(), code.size(), false);
  for (uint32_t i = 0; i + 1 < code.size(); ++i)
    next[i].push_back(i + 1);
  ends[exit] = true;
  for (size_t k = 0; k != ir.body.size(); ++k) {
    const ir::Instruction &source = ir.body[k];
    // The instruction itself comes after what its operands needed.
    uint32_t i = indexOf(k + 1) - 1;
    if (k + 1 == ir.body.size())
      i = exit - 1;
    bool always = source.guard < 0;
    if (source.opcode == "bra") {
      code[i].target = indexOf(source.operands[0].bits);
      if (always)
        next[i].clear();
      next[i].push_back(code[i].target);
    } else if (source.opcode == "brx") {
      auto *targets = const_cast<std::vector<uint32_t> *>(
          static_cast<const std::vector<uint32_t> *>(code[i].extra));
      if (always)
        next[i].clear();
      for (uint32_t &target : *targets) {
        target = indexOf(target);
        next[i].push_back(target);
      }
    } else if (source.opcode == "ret" && !ir.isKernel) {
      code[i].target = exit;
      if (always)
        next[i].clear();
      next[i].push_back(exit);
    } else if (always && (source.opcode == "ret" || source.opcode == "exit" ||
                          source.opcode == "trap")) {
      next[i].clear();
      ends[i] = true;
    }
  }
  computeMeetingPoints(out, next, ArrayRef(ends.get(), code.size()));
  watchRegisters(next, prologue);
}

bool FunctionDecoder::run() {
  layoutRegisters();
  findWgmmaRegisters();
  if (!layoutStack())
    return false;
  for (const ir::Instruction &next : ir.body) {
    firstOf.push_back(uint32_t(body.size()));
    if (!decodeInstruction(next))
      return false;
  }
  inst = nullptr;
  linkBranches();
  if (out.registerBytes > (1u << 28))
    return fail("function '" + ir.name + "' has too many registers");
  return true;
}

} // namespace attn::ptx
