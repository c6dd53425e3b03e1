//===- RowMachine.h - What goes over the rows of a tensor -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is what one mean and variance, or one maximum and sum, belong to: the
// last dimensions of a tensor, or a part of them. What an op computes of its
// rows is a RowAlgorithm, written once. How rows are shared out, cut into
// pieces, read ahead and written is a RowMachine, one for each kind of target:
//
// * VectorRows, the CPU's: a thread takes some rows one after the other; pieces
//   are vectors, and what does not fill one is a masked vector, or one element
//   after the other. What a row keeps lies in scratch memory.
// * A GPU's: a warp or a block takes a row, and a thread some pieces of 16
//   bytes; or lanes of a warp take rows side by side. What a row keeps, or has
//   loaded before, stays in registers; a reduction ends in shuffles, so that
//   all threads have its result. Pieces past the end are switched off, and
//   nothing asks for the next row.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_ROWMACHINE_H
#define ATTN_LIB_CONVERSION_ROWS_ROWMACHINE_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"

namespace attn {

/// All rows of an op.
struct RowSpace {
  /// How many there are, by dimension; there is one if this is empty.
  llvm::SmallVector<mlir::Value> counts;
  /// Of each row, by dimension of it; those of parts are found with the part.
  llvm::SmallVector<mlir::Value> sizes;
  /// What rows are read from and what they are written to, tensors in memory
  /// with the shape of the rows.
  llvm::SmallVector<mlir::Value> inputs, outputs;
  /// All that has elements along a row, these among them.
  llvm::SmallVector<mlir::Value> along;
  /// The dimensions of `counts` that work items divide among them, the last of
  /// these in blocks: rows at all indices of the other ones belong to each
  /// item. All dimensions, if this is empty.
  llvm::SmallVector<unsigned> itemDims = {};
  /// Where rows are not written from their start to their end: at multiples of
  /// what some runs begin.
  llvm::SmallVector<int64_t> runs = {};
  /// Whether a row keeps a number for each element between its passes.
  bool keeps = false;
  /// How many passes `measure` is, after which the row is not read but kept; 0
  /// where it is read again.
  int64_t passes = 0;
};

/// Where a row begins in a tensor.
struct RowOrigin {
  /// The indices of the dimensions that are not the row's.
  llvm::SmallVector<mlir::Value> outer = {};
  /// Of the first element; empty where these are 0.
  llvm::SmallVector<mlir::Value> first = {};
  /// The dimensions of the row in the tensor, where they are not its last ones.
  llvm::SmallVector<int64_t> dims = {};

  /// The indices of an element of the row.
  llvm::SmallVector<mlir::Value> locate(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        mlir::ValueRange position) const;
};

/// The row at hand.
struct RowPlace {
  /// Which one of all it is.
  llvm::SmallVector<mlir::Value> number;
  RowOrigin origin;
  llvm::SmallVector<mlir::Value> sizes;
  /// Where the row after it begins, if that is asked for: after the last one
  /// comes the last one.
  std::optional<RowOrigin> next = std::nullopt;
};

/// The rows of a work item whose dimensions are not all of them.
struct RowItem {
  /// The indices of its dimensions but for the last one.
  llvm::SmallVector<mlir::Value> outer;
  /// Of the last one.
  mlir::Value begin, end;
};

/// The elements of a row that a step is for: one, or as many as the builder has
/// lanes.
struct RowPiece {
  LaneBuilder &lanes;
  /// Of the first element in the row, by dimension of the row.
  mlir::ValueRange position;
  /// Which lanes are elements of the row, or whether all of them are (i1); null
  /// where all are.
  mlir::Value mask = {};

  /// `value`, and `neutral` past the end of the row.
  mlir::Value within(mlir::Value value, double neutral) const {
    return mask ? lanes.select(mask, value, lanes.constant(neutral)) : value;
  }
};

/// Takes in the elements of a piece: `sums` are accumulators, as the builder's
/// floats.
using RowStep = llvm::function_ref<void(
    const RowPiece &, llvm::MutableArrayRef<mlir::Value> sums)>;
using RowCombine =
    llvm::function_ref<mlir::Value(LaneBuilder &, mlir::Value, mlir::Value)>;

using RowUpdate = llvm::function_ref<mlir::Value(LaneBuilder &, mlir::Value)>;
using RowVisit = llvm::function_ref<void(const RowPiece &)>;

/// What an op does with each of its rows. The methods may emit code for one
/// row several times, and for a row in the midst of the one after it.
class RowAlgorithm {
public:
  virtual ~RowAlgorithm() = default;

  /// Finds the row, or the part of one, with this number: its origin and sizes.
  /// Without another word a number is the row's outer indices.
  virtual void locate(mlir::OpBuilder &builder, mlir::ValueRange number,
                      RowOrigin &origin,
                      llvm::SmallVectorImpl<mlir::Value> &sizes) {
    origin.outer.assign(number.begin(), number.end());
  }
  /// At the start and the end of each work item, where the space has item
  /// dimensions.
  virtual void beginItem(mlir::OpBuilder &builder, const RowItem &item) {}
  virtual void endItem(mlir::OpBuilder &builder) {}
  /// Reads the row in passes (RowMachine::reduce), and returns the numbers of
  /// it that writing needs.
  virtual llvm::SmallVector<mlir::Value> measure(mlir::OpBuilder &builder,
                                                 const RowPlace &row) {
    return {};
  }
  /// Writes a piece of a row that has these numbers. The last pass, made where
  /// the op has outputs of rows.
  virtual void write(const RowPiece &piece, const RowPlace &row,
                     mlir::ValueRange numbers) {}
  /// Writes all of it, by RowMachine::visit, where the space has item
  /// dimensions; nothing is measured there.
  virtual void writeRow(mlir::OpBuilder &builder, const RowPlace &row) {}
};

class RowMachine {
public:
  virtual ~RowMachine() = default;

  /// Measures and writes every row, in parallel.
  virtual void emitRows(mlir::OpBuilder &builder, const RowSpace &space,
                        RowAlgorithm &algorithm) = 0;
  /// Calls `body` for each number below `counts`, in parallel: work of single
  /// threads.
  virtual void
  emitEach(mlir::OpBuilder &builder, mlir::ValueRange counts,
           llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange number)>
               body) = 0;

  /// Goes over the row with an accumulator for each of `neutrals`, which they
  /// are at first, several of each. Returns what `combine` makes of them, in an
  /// order that depends on the row's size alone.
  virtual llvm::SmallVector<mlir::Value>
  reduce(mlir::OpBuilder &builder, const RowPlace &row,
         llvm::ArrayRef<double> neutrals, RowStep step, RowCombine combine) = 0;

  /// Goes over so many elements; what they are is the step's business.
  virtual void visit(mlir::OpBuilder &builder, mlir::Value count,
                     RowVisit step) = 0;
  /// Whether pieces of the op at hand are vectors, of even lanes, or else
  /// single elements.
  virtual bool areVectors() const = 0;

  /// The piece of a tensor that begins at `indices`, as the builder's floats; 0
  /// where the piece has no elements.
  virtual mlir::Value load(const RowPiece &piece, mlir::Value memref,
                           mlir::ValueRange indices) = 0;
  /// The same of what an earlier pass over the row has loaded.
  virtual mlir::Value loadAgain(const RowPiece &piece, mlir::Value memref,
                                mlir::ValueRange indices) {
    return load(piece, memref, indices);
  }
  /// One number for all elements of the piece.
  virtual mlir::Value loadSame(const RowPiece &piece, mlir::Value memref,
                               mlir::ValueRange indices);
  /// Rounds floats of the builder to the elements of the tensor.
  virtual void store(const RowPiece &piece, mlir::Value value,
                     mlir::Value memref, mlir::ValueRange indices) = 0;
  /// Stores what belongs to the row as a whole, once.
  virtual void storeOnce(LaneBuilder &scalars, mlir::Value value,
                         mlir::Value memref, mlir::ValueRange indices) = 0;
  /// Replaces a number that belongs to the row as a whole by what `update`
  /// makes of it, once.
  virtual void updateOnce(LaneBuilder &scalars, mlir::Value memref,
                          mlir::ValueRange indices, RowUpdate update);

  /// Keeps floats of the builder for later passes, also past the row's end.
  virtual void keep(const RowPiece &piece, mlir::Value value) = 0;
  virtual mlir::Value getKept(const RowPiece &piece) = 0;

  /// What lies some way behind the piece will be needed, of a row that no cache
  /// holds.
  virtual void askAhead(const RowPiece &piece, const RowPlace &row) {}
  /// The inputs of the next row at this position will be needed. One pass over
  /// a row says so.
  virtual void askForNext(const RowPiece &piece, const RowPlace &row,
                          mlir::ValueRange position) {}

  /// e^x for x <= 0, or hardly above.
  virtual mlir::Value emitWeight(LaneBuilder &lanes, mlir::Value x) = 0;
};

/// The sum that `step` adds to. What is past the row's end must add 0.
mlir::Value
emitRowSum(RowMachine &machine, mlir::OpBuilder &builder, const RowPlace &row,
           llvm::function_ref<void(const RowPiece &, mlir::Value &sum)> step);

/// How sums are combined.
mlir::Value addLanes(LaneBuilder &lanes, mlir::Value a, mlir::Value b);

/// A number that all of a row shares, as the builder's scalar.
mlir::Value loadNumber(LaneBuilder &scalars, mlir::Value memref,
                       mlir::ValueRange indices);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_ROWMACHINE_H
