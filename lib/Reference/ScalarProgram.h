//===- ScalarProgram.h - Element bodies as flat register code ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_SCALARPROGRAM_H
#define ATTN_LIB_REFERENCE_SCALARPROGRAM_H

#include "Quantum.h"
#include "attn/Reference/Tensor.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

namespace attn::reference::detail {

using TensorRef = std::shared_ptr<const Tensor>;

/// Elements that one step of a program handles at a time: enough to hide the
/// cost of the call, few enough that all registers stay in the L1 cache.
constexpr int64_t stripLength = 256;

/// One strip of every register of a program. A register reads from its own
/// storage or, when it was aimed at memory, straight from a tensor.
class Frame {
public:
  template <typename T> const T *read(unsigned reg) const {
    if constexpr (std::is_same_v<T, double>)
      return registers[reg].floatSource;
    else
      return registers[reg].intSource;
  }
  /// The register's own storage, which it reads from now on.
  template <typename T> T *write(unsigned reg) {
    Register &r = registers[reg];
    if constexpr (std::is_same_v<T, double>) {
      r.floatSource = r.floats.data();
      return r.floats.data();
    } else {
      r.intSource = r.ints.data();
      return r.ints.data();
    }
  }
  void aim(unsigned reg, const double *at) { registers[reg].floatSource = at; }
  void aim(unsigned reg, const int64_t *at) { registers[reg].intSource = at; }

  /// Undefined behaviour met while running; null when there was none.
  const char *fault = nullptr;

private:
  friend class ScalarProgram;
  struct Register {
    std::vector<double> floats;
    std::vector<int64_t> ints;
    const double *floatSource = nullptr;
    const int64_t *intSource = nullptr;
  };
  std::vector<Register> registers;
};

/// Straight-line code for the ops of one block, compiled once and run over
/// strips of elements: no op, type or hash map is looked at per element.
class ScalarProgram {
public:
  using Step = std::function<void(Frame &, int64_t)>;
  using Lookup = llvm::function_ref<TensorRef(mlir::Value)>;

  explicit ScalarProgram(Rounding rounding) : rounding(rounding) {}

  /// Gives a block argument (or an operand of a single op) a register.
  unsigned bind(mlir::Value value);
  /// Compiles all ops but the terminator. `lookup` gives captured values.
  mlir::LogicalResult compileBlock(mlir::Block &block, Lookup lookup);
  /// Compiles one op whose operands are bound or captured.
  mlir::LogicalResult compileOp(mlir::Operation *op, Lookup lookup);
  /// The register of a bound, defined or captured value.
  mlir::FailureOr<unsigned> getRegister(mlir::Value value, Lookup lookup);

  Frame makeFrame() const;
  void run(Frame &frame, int64_t count) const {
    for (const Step &step : steps) {
      if (frame.fault)
        return;
      step(frame, count);
    }
  }

  /// Registers that hold linalg.index of a dimension.
  llvm::ArrayRef<std::pair<int64_t, unsigned>> getIndexRegisters() const {
    return indexRegisters;
  }

  //===--------------------------------------------------------------------===//
  // For the tables of operations (see ElementOps.h).
  //===--------------------------------------------------------------------===//

  /// Appends `result[i] = fn(operands[i]...)`, rounded to the result's type.
  /// R and A are double or int64_t, as the types of the op demand.
  template <typename R, typename... A, typename Fn>
  void emit(mlir::Operation *op, Fn fn) {
    emitImpl<R, A...>(op, fn, std::index_sequence_for<A...>());
  }
  void append(Step step) { steps.push_back(std::move(step)); }
  unsigned operand(mlir::Operation *op, unsigned i) const {
    return registerOf.lookup(op->getOperand(i));
  }
  unsigned define(mlir::Value value) { return bind(value); }
  /// What values of `type`, or the elements of such a tensor, are rounded to.
  Quantum getQuantumOf(mlir::Type type) const {
    return getQuantum(mlir::getElementTypeOrSelf(type), rounding);
  }
  Rounding getRounding() const { return rounding; }

private:
  template <typename R, typename... A, typename Fn, size_t... I>
  void emitImpl(mlir::Operation *op, Fn fn, std::index_sequence<I...>) {
    std::array<unsigned, sizeof...(A)> from = {operand(op, I)...};
    unsigned to = define(op->getResult(0));
    Quantum quantum = getQuantumOf(op->getResult(0).getType());
    append([=](Frame &frame, int64_t count) {
      std::tuple<const A *...> in = {frame.read<A>(from[I])...};
      R *out = frame.write<R>(to);
      for (int64_t i = 0; i < count; ++i)
        out[i] = fn(std::get<I>(in)[i]...);
      if constexpr (std::is_same_v<R, double>)
        quantise(out, count, quantum);
    });
  }
  unsigned addRegister(mlir::Type type);

  Rounding rounding;
  std::vector<Step> steps;
  /// True for float registers.
  std::vector<bool> registerIsFloat;
  llvm::DenseMap<mlir::Value, unsigned> registerOf;
  std::vector<std::pair<unsigned, TensorRef>> constants;
  llvm::SmallVector<std::pair<int64_t, unsigned>> indexRegisters;
};

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_SCALARPROGRAM_H
