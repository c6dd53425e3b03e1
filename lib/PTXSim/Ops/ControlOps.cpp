//===- ControlOps.cpp - Branches, calls, ends
//-------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/FunctionDecoder.h"
#include "PTXSim/Exec/Paths.h"
#include "PTXSim/Matrix/WgmmaState.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

/// `inst` lies in the code of the current path's function.
static uint32_t meetOf(const Path &path) {
  return path.frame().function->meet[path.pc];
}

static Step branch(Exec &x, const Inst &i) {
  WarpPaths &paths = *x.warp.paths;
  Path &path = paths.path();
  if (x.active == path.mask) {
    path.pc = i.target;
    return Step::Jump;
  }
  paths.part(x.active, i.target, path.pc + 1, meetOf(path));
  return Step::Jump;
}

/// Lanes of each target in turn; what is left falls through (not taken).
static Step branchIndexed(Exec &x, const Inst &i) {
  WarpPaths &paths = *x.warp.paths;
  const auto &targets = *static_cast<const std::vector<uint32_t> *>(i.extra);
  const auto *index = x.src<uint32_t>(i.ops[0]);
  uint32_t first = index[x.firstLane()];
  if (first >= targets.size())
    return x.fault(i, FindingKind::Fault,
                   "index " + std::to_string(first) +
                       " is outside the list of branch targets");
  uint32_t same = 0;
  x.forLanes([&](unsigned l) { same |= uint32_t(index[l] == first) << l; });
  Path &path = paths.path();
  if (same == path.mask) {
    path.pc = targets[first];
    return Step::Jump;
  }
  // The others come back to this instruction.
  paths.part(same, targets[first], same == x.active ? path.pc + 1 : path.pc,
             meetOf(path));
  return Step::Jump;
}

static Step exitLanes(Exec &x, const Inst &inst) {
  if (x.warp.wgmma && x.active == x.warp.alive)
    wgmmaWarpEnds(x, inst);
  x.async.exited(x.warp, x.active);
  x.memory.exited(x.warp, x.active);
  Path &path = x.warp.paths->path();
  // Lanes that stay go on behind the exit.
  ++path.pc;
  x.warp.alive &= ~x.active;
  x.warp.paths->exit(x.active);
  x.noteProgress();
  return Step::Jump;
}

static Step trap(Exec &x, const Inst &i) {
  return x.fault(i, FindingKind::Trap, "the kernel executed 'trap'");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Step storeStackAddress(Exec &x, const Inst &i) {
  const Frame &frame = x.warp.paths->path().frame();
  uint64_t flag = i.imm & kStackParams;
  uint64_t value = (i.imm & ~uint64_t(kStackParams)) + frame.stackBase + flag;
  auto *d = x.dst<uint64_t>(i.ops[0]);
  x.forLanes([&](unsigned l) { d[l] = value; });
  return Step::Next;
}

/// Copies one parameter between the frames. `toCallee` says which way.
static void transfer(Exec &x, WarpPaths &paths, const Frame &caller,
                     const Frame &callee, const CallValue &value,
                     const ir::Variable &param, bool toCallee) {
  auto laneOf = [&](const Opnd &reg, const Frame &frame, unsigned l) {
    uint8_t *bank = reg.bank == BankConstant
                        ? x.bank[BankConstant]
                        : paths.registers.data() + frame.registerBase;
    return bank + reg.offset + l * (reg.cls == RegClass::R64 ? 8 : 4);
  };
  auto bytesOf = [&](const Opnd &reg) -> uint64_t {
    return !reg ? param.bytes : reg.cls == RegClass::R64 ? 8 : 4;
  };
  Opnd own = callee.function->registerParameters.lookup(param.name);
  uint32_t place = callee.function->stackOffsets.lookup(param.name);
  // Registers keep what is narrower than their slots zero-extended.
  uint64_t bytes = std::min(bytesOf(own), bytesOf(value.reg));
  if (!own || !value.reg)
    bytes = std::min(bytes, param.bytes);
  x.forLanes([&](unsigned l) {
    uint8_t *stack = paths.stackOf(l);
    uint8_t *inside =
        own ? laneOf(own, callee, l) : stack + callee.stackBase + place;
    uint8_t *outside = value.reg
                           ? laneOf(value.reg, caller, l)
                           : stack + caller.stackBase + value.callerOffset;
    std::memcpy(toCallee ? inside : outside, toCallee ? outside : inside,
                bytes);
  });
}

static Step call(Exec &x, const Inst &i) {
  WarpPaths &paths = *x.warp.paths;
  const auto &info = *static_cast<const CallInfo *>(i.extra);
  uint32_t lanes = x.active;
  const DecodedFunction *callee = info.callee;
  if (!callee) {
    const auto *target = x.src<uint64_t>(info.target);
    uint64_t address = target[x.firstLane()];
    uint64_t index = (address - kFunctionBase) / 16;
    const auto &functions = x.cluster.grid->program->functions;
    if (address % 16 || index >= functions.size() ||
        functions[index]->ir->isKernel)
      return x.fault(i, FindingKind::Fault,
                     "the address that is called is no function");
    callee = functions[index].get();
    lanes = 0;
    x.forLanes(
        [&](unsigned l) { lanes |= uint32_t(target[l] == address) << l; });
  }
  if (callee->ir->params.size() != info.arguments.size() ||
      callee->ir->returns.size() != info.results.size())
    return x.fault(i, FindingKind::Fault,
                   "the call does not fit the parameters of '" +
                       callee->ir->name.str() + "'");
  uint32_t pc = paths.path().pc;
  if (paths.path().frames.size() > 200 ||
      paths.path().frame().stackTop + callee->stackBytes > kMostLocalBytes)
    return x.fault(i, FindingKind::Fault,
                   "calls are nested too deeply: more than 200, or the thread "
                   "needs more than 512 KiB of local memory");
  // Lanes that do not take part wait behind the call, or come back to it.
  if (lanes != paths.path().mask)
    paths.part(lanes, pc, lanes == x.active ? pc + 1 : pc, pc + 1);
  x.active = lanes;
  paths.call(*callee, info);
  const auto &frames = paths.path().frames;
  for (size_t k = 0; k != info.arguments.size(); ++k)
    transfer(x, paths, frames[frames.size() - 2], frames.back(),
             info.arguments[k], callee->ir->params[k], true);
  return Step::Jump;
}

/// The last instruction of every function.
Step returnFromFunction(Exec &x, const Inst &i) {
  WarpPaths &paths = *x.warp.paths;
  Path &path = paths.path();
  if (path.frames.size() == 1)
    return exitLanes(x, i);
  const Frame callee = path.frame();
  const Frame &caller = path.frames[path.frames.size() - 2];
  for (size_t k = 0; k != callee.call->results.size(); ++k)
    transfer(x, paths, caller, callee, callee.call->results[k],
             callee.function->ir->returns[k], false);
  paths.leave();
  return Step::Jump;
}

/// Operands: [(results),] function or register [, (arguments) [, prototype]].
static void decodeCall(Decoder &d, const ir::Instruction &inst, Inst &out) {
  auto *info = d.extra<CallInfo>(out);
  size_t at = 0;
  const std::vector<ir::Operand> &ops = inst.operands;
  auto list = [&](const ir::Operand &op, std::vector<CallValue> &values) {
    bool isResult = &values == &info->results;
    for (const ir::Operand &element : op.elements) {
      CallValue value;
      uint32_t offset = 0;
      if (element.is(Kind::Symbol) && d.stackOffset(element.name, offset)) {
        value.callerOffset = offset;
      } else if (element.is(Kind::Register)) {
        value.reg = isResult ? d.wideDestination(element, ir::Type::B8)
                             : d.wideSource(element, ir::Type::B8);
      } else if (element.is(Kind::Integer) || element.is(Kind::Float32)) {
        value.reg = d.constant(element.bits, RegClass::R64);
      } else {
        d.error("cannot pass this to a function");
      }
      values.push_back(value);
    }
  };
  if (!ops.empty() && ops[0].is(Kind::Vector))
    list(ops[at++], info->results);
  if (at >= ops.size()) {
    d.error("a call needs a function");
    return;
  }
  const ir::Operand &target = ops[at++];
  if (at < ops.size() && ops[at].is(Kind::Vector))
    list(ops[at++], info->arguments);
  if (target.is(Kind::Register))
    info->target = d.source(target, ir::Type::B64);
  else if (target.is(Kind::Symbol))
    info->callee = d.callee(target.name);
  else
    d.error("cannot call this");
  out.handler = call;
}

static void decodeBranch(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 1))
    return;
  if (!inst.operands[0].is(Kind::Label)) {
    d.error("a branch needs a label of this function");
    return;
  }
  out.handler = branch;
}

static void decodeBranchIndexed(Decoder &d, const ir::Instruction &inst,
                                Inst &out) {
  if (!hasOperands(d, inst, 2))
    return;
  d.setOps(out, d.source(inst.operands[0], ir::Type::U32));
  for (const ir::LabelList &list : d.function().lists)
    if (list.name == inst.operands[1].name && !list.indices.empty()) {
      *d.extra<std::vector<uint32_t>>(out) = list.indices;
      out.handler = branchIndexed;
      return;
    }
  d.error("a branch by index needs a list of targets");
}

static void decodeReturn(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (hasOperands(d, inst, 0))
    out.handler =
        d.function().isKernel || inst.opcode == "exit" ? exitLanes : branch;
}

static void decodeTrap(Decoder &, const ir::Instruction &, Inst &out) {
  out.handler = trap;
}

void registerControlOps(OpTable &table) {
  table.add("bra", decodeBranch);
  table.add("brx", decodeBranchIndexed);
  table.add("call", decodeCall);
  table.add("ret", decodeReturn);
  table.add("exit", decodeReturn);
  table.add("trap", decodeTrap);
  table.add("brkpt", decodeTrap);
}

} // namespace attn::ptx
