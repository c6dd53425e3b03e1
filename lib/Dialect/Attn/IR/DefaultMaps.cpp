//===- DefaultMaps.cpp - Indexing maps of operands in the usual layout ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

namespace {

/// Derives the maps of [batch..., heads, rows, dim] operands.
class DefaultMaps {
public:
  DefaultMaps(MLIRContext *context, ShapedType query, ShapedType key)
      : context(context), query(query), key(key),
        batchDims(query.getRank() - 2) {}

  AffineMap getQuery() const { return rowsAnd(2); }
  AffineMap getOutput() const { return rowsAnd(3); }
  AffineMap getLse() const { return makeMap(rows()); }

  /// Key and value: the head dimension is divided by the group size.
  FailureOr<AffineMap>
  getKeyOrValue(bool value,
                function_ref<InFlightDiagnostic()> emitError) const {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < batchDims; ++i)
      results.push_back(dim(i));
    if (batchDims > 0) {
      FailureOr<int64_t> group = getGroup(emitError);
      if (failed(group))
        return failure();
      if (*group != 1)
        results.back() = results.back().floorDiv(*group);
    }
    results.push_back(dim(batchDims + 1));
    results.push_back(dim(batchDims + (value ? 3 : 2)));
    return makeMap(results);
  }

  FailureOr<AffineMap>
  getParam(const ParamSpec &spec, Type type,
           function_ref<InFlightDiagnostic()> emitError) const {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      return makeMap({});
    SmallVector<unsigned> dims = getDims(spec.dims);
    unsigned rank = shaped.getRank();
    if (rank == 1 && spec.rankOne)
      if (SmallVector<unsigned> only = getDims({*spec.rankOne}); !only.empty())
        dims = only;
    if (rank > dims.size())
      return emitError() << "param '" << spec.name << "' of rank " << rank
                         << " needs explicit indexing_maps";
    SmallVector<AffineExpr> results;
    for (auto [size, d] :
         llvm::zip(shaped.getShape(), ArrayRef(dims).take_back(rank)))
      results.push_back(size == 1 && getExtent(d) != 1
                            ? getAffineConstantExpr(0, context)
                            : dim(d));
    return makeMap(results);
  }

private:
  AffineExpr dim(unsigned i) const { return getAffineDimExpr(i, context); }

  AffineMap makeMap(ArrayRef<AffineExpr> results) const {
    return AffineMap::get(batchDims + 4, 0, results, context);
  }

  /// Batch dimensions, then rows.
  SmallVector<AffineExpr> rows() const {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i <= batchDims; ++i)
      results.push_back(dim(i));
    return results;
  }

  /// The same, then the dimension `last` places after the rows.
  AffineMap rowsAnd(unsigned last) const {
    SmallVector<AffineExpr> results = rows();
    results.push_back(dim(batchDims + last));
    return makeMap(results);
  }

  /// How many query heads share a key head.
  FailureOr<int64_t>
  getGroup(function_ref<InFlightDiagnostic()> emitError) const {
    int64_t queryHeads = query.getDimSize(batchDims - 1);
    int64_t keyHeads = key.getDimSize(batchDims - 1);
    bool dynamicQuery = ShapedType::isDynamic(queryHeads);
    bool dynamicKey = ShapedType::isDynamic(keyHeads);
    if (dynamicQuery && dynamicKey)
      return 1;
    if (dynamicQuery || dynamicKey || keyHeads == 0)
      return emitError() << "head counts " << query << " and " << key
                         << " do not tell the group size: give indexing_maps";
    if (queryHeads % keyHeads != 0)
      return emitError() << "attention_c4: " << queryHeads
                         << " query heads are not a multiple of " << keyHeads
                         << " key heads";
    return queryHeads / keyHeads;
  }

  /// The iteration dimensions of roles, in order.
  SmallVector<unsigned> getDims(ArrayRef<DimRole> roles) const {
    SmallVector<unsigned> dims;
    bool both = llvm::is_contained(roles, DimRole::Batch) &&
                llvm::is_contained(roles, DimRole::Head);
    for (DimRole role : roles) {
      if (role == DimRole::Row) {
        dims.push_back(batchDims);
      } else if (role == DimRole::Key) {
        dims.push_back(batchDims + 1);
      } else if (role == DimRole::HeadDim) {
        dims.push_back(batchDims + 2);
      } else if (role == DimRole::Head) {
        if (batchDims > 0)
          dims.push_back(batchDims - 1);
      } else if (batchDims > 0) {
        // With a head beside it, or with more than one batch dimension, the
        // batch is all but the last; a single one serves as both.
        unsigned count = both || batchDims > 1 ? batchDims - 1 : 1;
        for (unsigned i = 0; i < count; ++i)
          dims.push_back(i);
      }
    }
    return dims;
  }

  int64_t getExtent(unsigned d) const {
    if (d <= batchDims)
      return query.getDimSize(d);
    return d == batchDims + 1 ? key.getDimSize(batchDims)
                              : query.getDimSize(batchDims + 1);
  }

  MLIRContext *context;
  ShapedType query, key;
  unsigned batchDims;
};

} // namespace

FailureOr<SmallVector<AffineMap>>
attn::getDefaultIndexingMaps(TypeRange inputs, TypeRange params,
                             ArrayRef<ParamSpec> specs, TypeRange outputs,
                             MLIRContext *context,
                             function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<ShapedType> shaped;
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(inputs),
                                            SmallVector<Type>(outputs))) {
    auto ranked = dyn_cast<ShapedType>(type);
    if (!ranked || !ranked.hasRank())
      return emitError() << "attention_c1: query, key, value and outputs must "
                            "be ranked tensors or memrefs, found "
                         << type;
    shaped.push_back(ranked);
  }
  int64_t rank = shaped[0].getRank();
  if (rank < 2 || shaped[1].getRank() != rank || shaped[2].getRank() != rank)
    return emitError() << "query, key and value must have the same rank of at "
                          "least 2, or indexing_maps must be given";
  if (params.size() != specs.size())
    return emitError() << "attention_c7: the policies take " << specs.size()
                       << " params, found " << params.size();

  DefaultMaps maps(context, shaped[0], shaped[1]);
  SmallVector<AffineMap> result = {maps.getQuery()};
  for (bool value : {false, true}) {
    FailureOr<AffineMap> map = maps.getKeyOrValue(value, emitError);
    if (failed(map))
      return failure();
    result.push_back(*map);
  }
  for (auto [spec, type] : llvm::zip_equal(specs, params)) {
    FailureOr<AffineMap> map = maps.getParam(spec, type, emitError);
    if (failed(map))
      return failure();
    result.push_back(*map);
  }
  result.push_back(maps.getOutput());
  // lse and the probes have one number a row.
  for (unsigned i = 1; i < outputs.size(); ++i)
    result.push_back(maps.getLse());
  return result;
}
