//===- Follower.h - Follows moments from op to op ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_MOMENTS_FOLLOWER_H
#define ATTN_LIB_ANALYSIS_MOMENTS_FOLLOWER_H

#include "Engine.h"

#include "attn/Analysis/CompositeBody.h"
#include "attn/Analysis/MomentAnalysis.h"
#include "attn/Analysis/ResidualBlock.h"
#include "attn/Analysis/SizeEvaluator.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attn::moments {

/// A problem's rows, as their masks and its lengths treat them.
struct RowPlan {
  llvm::SmallVector<RowKind> rows;
  /// The root of the mean square of their lambdas, but for an operand.
  double lambda = 1.0;
  /// The operand: the root of its second moment.
  double operand = 1.0;
  /// Whether keys are divided by their lengths.
  bool hasUnitKeys = false;
  /// Of the scores of a row, without biases.
  double productVariance = 0.0;
  double overlap = -1.0;
  double visible = 0.0;
};

/// What is known of a value that is handed on: to an iteration of a loop, to a
/// function, and back.
struct Carried {
  Expr expr;
  /// Of integers only.
  Expr seed;
  std::optional<unsigned> stream;
  bool isUndefined;
};
using CarriedList = llvm::SmallVector<Carried>;

/// What the values of a body of scalars are.
using Scope = llvm::DenseMap<mlir::Value, Expr>;

/// Gives each value of a function its expression. Dimension i of a tensor is
/// called i in it.
class Follower {
public:
  Follower(mlir::func::FuncOp function, const MomentOptions &options,
           Engine &engine);

  void run();

  /// Null for what is not followed.
  Expr lookup(mlir::Value value) const { return values.lookup(value); }
  /// Null for integers, too.
  Expr lookupFloat(mlir::Value value) const {
    return isFloat(value.getType()) ? lookup(value) : nullptr;
  }
  /// Numbers for a function argument, or any other value.
  void set(mlir::Value value, Expr expr);
  double getSize(mlir::Value tensor, unsigned dim);
  llvm::SmallVector<int64_t> getSizes(mlir::Value tensor);
  /// The parts of a composite op whose operands have these shapes.
  CompositeBody &getComposite(mlir::Operation *op,
                              CompositeBody::GetShape getShape);

  Engine &engine;
  const MomentOptions &options;
  llvm::MapVector<mlir::Value, Expr> values;
  llvm::SmallVector<NotFollowed> notFollowed;
  llvm::SmallVector<ArgumentMoments> arguments;
  llvm::SmallVector<ResidualMoments> residuals;
  llvm::DenseMap<mlir::Operation *, std::optional<ScoreMoments>> scores;
  /// The ops of functions that are called whose results left the limits while
  /// their operands were within, and how far they went.
  llvm::DenseMap<mlir::Operation *, double> crossings;
  /// The ops that had a result, but no operand, beyond the numbers of its type
  /// in any call, which result it was and the largest that it has been.
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Value, double>> overflowing;
  /// The functions that were followed where they are called.
  llvm::SetVector<mlir::func::FuncOp> callees;

  //===-- Limits (Limits.cpp)
  /// Whether the results of an op are features: weights of a softmax or sums of
  /// squares have no usual size.
  bool hasUsualSize(mlir::Operation *op) const;
  /// Whether a second moment is to be warned of.
  bool isOutside(double second) const;
  /// NaN where nothing is known, infinity behind an overflow.
  double getSecond(mlir::Value value);
  /// Whether nothing that `op` reads is outside.
  bool isToBlame(mlir::Operation *op,
                 llvm::function_ref<double(mlir::Value)> getSecondOf);
  /// Whether a value is beyond the numbers of its type, or none because of one
  /// that is.
  bool overflows(mlir::Value value);
  /// Why a value that is followed has no moments: its numbers are not finite,
  /// or some are not. Empty where it has, and where masks or overflows are the
  /// cause, which are known otherwise.
  llvm::StringRef getMissingMoments(mlir::Value value);

private:
  /// What an argument of the function is taken for (Arguments.cpp).
  void readArgument(mlir::BlockArgument argument);

  //===-- Functions (Follower.cpp)
  void followBlock(mlir::Block &block);
  void follow(mlir::Operation *op);
  /// Of the first result; false for null.
  bool setResult(mlir::Operation *op, Expr expr);
  /// Lists the results of an op that has no transfer function.
  void giveUp(mlir::Operation *op, llvm::StringRef reason);
  /// Lists one value.
  void miss(mlir::Value value, llvm::StringRef reason);
  /// A source with one dimension for each of the type's that is not 1.
  Expr drawTensor(mlir::Value like, double mean, double variance);

  /// Whether a value is, or hides scores by adding, very low numbers.
  bool isMask(mlir::Value value);
  void noteMask(mlir::Operation *op);
  /// Notes where the results of an op leave the limits.
  void noteOverflow(mlir::Operation *op);
  void noteGrowth(mlir::Operation *op);

  //===-- Control flow (FollowControl.cpp)
  bool followFor(mlir::scf::ForOp op);
  CarriedList followIteration(mlir::scf::ForOp op,
                              std::optional<int64_t> number,
                              llvm::ArrayRef<Carried> carried);
  bool followCall(mlir::func::CallOp op);
  bool followComposite(mlir::Operation *op);
  /// Follows the body of what `op` calls or stands for.
  void followInside(mlir::Operation *op, mlir::func::FuncOp callee);
  CarriedList carry(mlir::ValueRange values);
  void bind(mlir::ValueRange targets, llvm::ArrayRef<Carried> carried);
  /// Why result i of a loop is not followed, from its last iterations.
  std::string describeUnsettled(llvm::ArrayRef<CarriedList> states, size_t i,
                                std::optional<int64_t> trips, int64_t done);
  /// A number known in this iteration.
  std::optional<int64_t> getIndex(mlir::OpFoldResult index);

  //===-- Sizes and views (Views.cpp)
  double getCount(mlir::Value tensor);
  /// `value` with its dimension i renamed to `dims[i]`; null if not followed.
  Expr view(mlir::Value value, llvm::ArrayRef<int> dims);
  /// Through an indexing map. Null, too, if it has no such form.
  Expr view(mlir::Value value, mlir::AffineMap map);
  /// Back from iteration dimensions to those of a result.
  Expr unview(Expr expr, mlir::AffineMap map);
  /// Part of the elements are like `a`, the others like `b`.
  Expr mix(Expr a, Expr b, double share, unsigned rank);
  Expr getIndex(int dim, double count);
  /// `wide` are the sizes of the side with more dimensions.
  Expr reshape(Expr expr, llvm::ArrayRef<int64_t> wide,
               llvm::ArrayRef<mlir::ReassociationIndices> groups,
               bool collapse);

  //===-- Upstream ops (FollowLinalg.cpp, FollowTensor.cpp, Scalars.cpp)
  bool followLinalg(mlir::linalg::LinalgOp op);
  /// The size of an iteration dimension, read off an operand whose map has it.
  double getExtent(llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::AffineMap> maps, unsigned dim);
  double getExtent(mlir::linalg::LinalgOp op, unsigned loop);
  double getExtent(AttentionOp op, unsigned dim);
  bool followReduction(mlir::linalg::LinalgOp op, unsigned result, Scope &body);
  Expr followOp(mlir::linalg::SoftmaxOp op);
  Expr followTensorOp(mlir::Operation *op);
  Expr followSlice(mlir::tensor::ExtractSliceOp slice);
  /// Null unless the elements of a constant are known by their offsets.
  Expr readPart(mlir::Value source, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                llvm::ArrayRef<mlir::OpFoldResult> sizes,
                llvm::ArrayRef<mlir::OpFoldResult> strides,
                const llvm::SmallBitVector &dropped);
  /// True with this probability.
  Expr chance(double probability, llvm::ArrayRef<int> dims);
  Expr followShapeOp(mlir::Operation *op);
  Expr followInsert(mlir::tensor::InsertSliceOp insert);
  Expr followConcat(mlir::tensor::ConcatOp concat);
  Expr readPositions(llvm::ArrayRef<double> numbers,
                     llvm::ArrayRef<int64_t> shape);
  Expr readTriangle(llvm::ArrayRef<double> numbers,
                    llvm::ArrayRef<int64_t> shape);
  Expr readConstant(mlir::Attribute attribute);
  /// One op on numbers; null if there is no rule.
  Expr followScalar(mlir::Operation *op, llvm::ArrayRef<Expr> operands);
  /// The ops of a body whose arguments are in `known`; returns what it yields
  /// first.
  Expr followBody(mlir::Block &block, Scope &known,
                  llvm::ArrayRef<double> extents);
  void addLoops(mlir::Value index, const Scope &known,
                llvm::SmallVectorImpl<int> &loops);
  Expr gather(mlir::tensor::ExtractOp extract, const Scope &known);
  Expr lookupIn(const Scope &known, mlir::Value value) const;

  //===-- Ops of the dialect (FollowBlockOps.cpp, FollowNorm.cpp,
  //     FollowAttention.cpp)
  bool followAttnOp(mlir::Operation *op);
  /// Those of one result: what it is.
  Expr followOp(LinearOp op);
  Expr followOp(ActivationOp op);
  Expr followOp(SoftmaxOp op);
  Expr followOp(InitOp op);
  Expr followOp(StatisticsOp op);
  Expr followOp(RopeOp op);
  Expr followOp(SinusoidalPositionsOp op);
  Expr followEpilogue(LinearOp op, Expr sum);
  Expr activate(ActivationOp op, Expr x);
  bool followNorm(NormOp op);
  void followNormSides(NormOp op, Expr x, double variance);
  bool followAttention(AttentionOp op);
  Expr changeRows(AttentionOp op, LoadedRows rows, Expr x, double headDim);
  Expr followScores(AttentionOp op, RowPlan &plan);
  /// Times the operand of a scale policy.
  Expr scaleByOperand(Expr scores, Expr operand, RowPlan &plan);
  Expr addBiases(AttentionOp op, Expr scores);
  RowPlan planRows(AttentionOp op);
  /// `getPosition` gives the position of a row and the keys that it sees.
  RowPlan planLengths(
      ScalePolicyAttrInterface scale, double headDim, double rows, double keys,
      llvm::function_ref<std::pair<double, double>(double)> getPosition);
  Expr followTilt(AttentionOp op, Expr value);
  /// Keeps the scores of a softmax that `op` spells out or ends.
  void noteSoftmax(mlir::Operation *op);
  Expr weigh(mlir::Operation *op, Expr scores, int key, double keys, int rowDim,
             const RowPlan &plan, double headDim);

  //===-- Initial weights (FollowInit.cpp)
  /// A number that stands for an integer: equal for equal seeds.
  Expr getSeed(mlir::Value seed);
  Expr computeSeed(mlir::Value seed);
  /// Says so if another op draws the same numbers.
  void compareSeeds(InitOp op, Expr seed);

  //===-- Residual blocks (FollowResidual.cpp)
  bool followResidual(ResidualOp op);
  void recordResidual(const ResidualBlock &block, double branch);
  /// Records the blocks that are spelled out and end with `op`.
  void recordSums(mlir::Operation *op);
  Expr followRegion(mlir::Region &region, Expr input);
  /// A stream goes on through norms and changes of shape or type.
  void passStream(mlir::Operation *op);
  /// Those after the first `count`.
  void forgetBlocks(size_t count);

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::func::FuncOp> callStack;
  int64_t allIterations = 0, allCalls = 0;
  /// Changes with each iteration and call.
  int64_t epoch = 0;
  /// Of the function that is followed.
  std::unique_ptr<SizeEvaluator> sizes;
  std::map<std::pair<mlir::Operation *, std::vector<std::vector<int64_t>>>,
           std::unique_ptr<CompositeBody>>
      composites;
  /// The block whose result a value is, maybe through norms.
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> streamEnds;
  /// The block that an op adds up, and those that end with it.
  llvm::DenseMap<mlir::Operation *, std::optional<ResidualBlock>> sums;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ResidualBlock, 1>>
      openSums;
  /// What the function's arguments are.
  llvm::DenseSet<Expr> parameters;
  /// No numbers behind an overflow.
  llvm::DenseSet<Expr> overflowed;
  /// Low numbers that are meant.
  llvm::DenseSet<Expr> masks;
  llvm::DenseSet<mlir::Value> missed;
  llvm::DenseMap<mlir::Value, Expr> seeds;
  /// What an attn.init draws: its seed, attributes and sizes.
  std::map<std::tuple<Expr, const void *, std::vector<int64_t>>, Expr> inits;
  llvm::DenseMap<Expr, llvm::SmallVector<mlir::Operation *, 1>> seedUsers;
  llvm::DenseSet<mlir::Value> undefined;
  std::map<double, const Source *> indexSources;
  std::map<std::pair<const Source *, std::vector<int64_t>>, const Source *>
      slices;
  /// What a reshape made of a draw, so that equal reshapes are one number.
  std::map<std::pair<const Source *, std::vector<int>>, Expr> reshaped;
  /// Where the draws of a collapsed tensor came from.
  llvm::DenseMap<const Source *, std::pair<Expr, std::vector<int>>> origins;
};

/// The square of the largest number of a type.
double getLargestSecond(mlir::Type type);

} // namespace attn::moments

#endif // ATTN_LIB_ANALYSIS_MOMENTS_FOLLOWER_H
