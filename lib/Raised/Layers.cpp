//===- Layers.cpp - Which ops are the layers of a model -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// Equal stretches one behind the other.
struct Repeats {
  size_t begin = 0, period = 0, count = 0;
  size_t getEnd() const { return begin + period * count; }
};

/// Finds layers in the rows of a function. Products stay what they are whatever
/// else a first layer computes for all, so they are what is compared.
class LayerFinder {
public:
  LayerFinder(ArrayRef<RaisedRow> rows, bool usesSource);

  RaisedLayers find();

private:
  /// Finds layers among products `begin` to `end`, and before and behind them.
  void split(size_t begin, size_t end);
  std::optional<Repeats> findRepeats(size_t begin, size_t end) const;
  bool isLayer(const Repeats &repeats) const;
  void addLayers(const Repeats &repeats);
  size_t getEndOfRows(size_t product) const {
    return product < products.size() ? products[product] : rows.size();
  }

  ArrayRef<RaisedRow> rows;
  std::vector<size_t> keys;     // of each row; equal rows have one key
  std::vector<size_t> products; // positions of rows
  bool hasAttention = false;
  /// First and behind the last row of each layer.
  std::vector<std::pair<size_t, size_t>> found;
};

} // namespace

static bool isAttentionLike(const RaisedRow &row) {
  return isa<AttentionOp, MultiHeadAttentionOp>(row.op) ||
         hasExponential(row.op);
}

LayerFinder::LayerFinder(ArrayRef<RaisedRow> rows, bool usesSource)
    : rows(rows) {
  llvm::StringMap<size_t> known;
  for (auto [i, row] : llvm::enumerate(rows)) {
    std::string key = row.op->getName().getStringRef().str() + " " + row.type;
    if (usesSource)
      key += " " + getLayerKey(row.frames);
    keys.push_back(known.try_emplace(key, known.size()).first->second);
    if (isProduct(row.op))
      products.push_back(i);
    hasAttention |= isAttentionLike(row);
  }
}

/// One without an attention, where there are some, is a part of a layer: the
/// products of query, key and value.
bool LayerFinder::isLayer(const Repeats &repeats) const {
  auto body = rows.slice(products[repeats.begin],
                         getEndOfRows(repeats.begin + repeats.period) -
                             products[repeats.begin]);
  if (hasAttention)
    return llvm::any_of(body, isAttentionLike);
  return repeats.period > 1 || body.size() > 1;
}

/// What covers most; of those, the shortest stretch.
std::optional<Repeats> LayerFinder::findRepeats(size_t begin,
                                                size_t end) const {
  std::optional<Repeats> best;
  for (size_t period = 1; 2 * period <= end - begin; ++period) {
    size_t equal = 0;
    for (size_t i = begin; i <= end - period; ++i) {
      if (i + period < end && keys[products[i]] == keys[products[i + period]]) {
        ++equal;
        continue;
      }
      Repeats one{i - equal, period, equal / period + 1};
      equal = 0;
      if (one.count > 1 &&
          (!best || one.period * one.count > best->period * best->count) &&
          isLayer(one))
        best = one;
    }
  }
  return best;
}

/// What stands before a layer's first product belongs to it as far as it is the
/// same in all of them, and so does what stands behind its last one.
void LayerFinder::addLayers(const Repeats &repeats) {
  std::vector<size_t> first;
  for (size_t i = 0; i <= repeats.count; ++i)
    first.push_back(getEndOfRows(repeats.begin + i * repeats.period));
  size_t floor = repeats.begin == 0 ? 0 : products[repeats.begin - 1] + 1;
  size_t before = 0;
  auto isSame = [&](size_t steps) {
    for (size_t i = 1; i < repeats.count; ++i)
      if (keys[first[i] - steps] != keys[first[0] - steps])
        return false;
    return true;
  };
  while (first[0] - before > floor &&
         first[1] - before - 1 > products[repeats.begin + repeats.period - 1] &&
         isSame(before + 1))
    ++before;
  // Behind the last product as many rows as in the layer before.
  size_t last = products[repeats.getEnd() - 1];
  size_t lastOfOther = products[repeats.getEnd() - repeats.period - 1];
  size_t tail = first[repeats.count - 1] - before - lastOfOther;
  size_t end = last;
  while (end < first[repeats.count] && end - last < tail &&
         keys[end] == keys[lastOfOther + (end - last)])
    ++end;
  for (size_t i = 0; i < repeats.count; ++i)
    found.push_back({first[i] - before,
                     i + 1 < repeats.count ? first[i + 1] - before : end});
}

void LayerFinder::split(size_t begin, size_t end) {
  std::optional<Repeats> repeats = findRepeats(begin, end);
  if (!repeats)
    return;
  split(begin, repeats->begin);
  addLayers(*repeats);
  split(repeats->getEnd(), end);
}

/// The frames that all products of a layer have in common, and the attention.
static std::string describeCaller(ArrayRef<RaisedRow> rows) {
  std::optional<Frames> shared;
  for (const RaisedRow &row : rows)
    if (isProduct(row.op) || isAttentionLike(row))
      shared = shared ? getShared(*shared, row.frames) : row.frames;
  return shared ? describe(*shared) : "";
}

/// Layers with what lies before, between and behind them.
static std::vector<RaisedLayer>
nameLayers(ArrayRef<RaisedRow> rows, ArrayRef<std::pair<size_t, size_t>> found,
           StringRef word) {
  std::vector<RaisedLayer> layers;
  auto add = [&](std::string name, size_t begin, size_t end) {
    if (begin < end)
      layers.push_back({std::move(name),
                        describeCaller(rows.slice(begin, end - begin)), begin,
                        end});
  };
  size_t at = 0;
  for (auto [i, layer] : llvm::enumerate(found)) {
    add(i == 0 ? "before" : "between", at, layer.first);
    add((word + " " + Twine(i + 1) + " of " + Twine(found.size())).str(),
        layer.first, layer.second);
    at = layer.second;
  }
  add(found.empty() ? "all" : "behind", at, rows.size());
  return layers;
}

RaisedLayers LayerFinder::find() {
  split(0, products.size());
  return {nameLayers(rows, found, "layer"), ""};
}

namespace {

/// Finds the row where what feeds an attention begins: the products before it,
/// and the norm before those.
class StartFinder {
public:
  explicit StartFinder(ArrayRef<RaisedRow> rows) {
    for (auto [i, row] : llvm::enumerate(rows))
      positions[row.op] = i;
  }

  size_t find(const RaisedRow &attention, size_t itsFloor) {
    floor = itsFloor;
    start = positions[attention.op];
    for (Value operand : attention.op->getOperands())
      visit(operand, /*isBehindProduct=*/false);
    return start;
  }

private:
  void visit(Value value, bool isBehindProduct) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return;
    auto position = positions.find(op);
    bool isRow = position != positions.end();
    if (isRow &&
        (position->second < floor || (isBehindProduct && !isa<NormOp>(op))))
      return;
    if (isRow)
      start = std::min(start, position->second);
    if (isa<NormOp>(op) && isBehindProduct)
      return;
    for (Value operand : op->getOperands())
      visit(operand, isBehindProduct || isProduct(op));
  }

  llvm::DenseMap<Operation *, size_t> positions;
  llvm::DenseSet<Operation *> seen;
  size_t floor = 0, start = 0;
};

} // namespace

static std::vector<RaisedLayer> splitByAttention(ArrayRef<RaisedRow> rows) {
  SmallVector<size_t> starts;
  StartFinder finder(rows);
  size_t floor = 0;
  for (auto [i, row] : llvm::enumerate(rows))
    if (isa<AttentionOp, MultiHeadAttentionOp>(row.op)) {
      starts.push_back(finder.find(row, floor));
      floor = i + 1;
    }
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t i = 0; i < starts.size(); ++i)
    parts.push_back(
        {starts[i], i + 1 < starts.size() ? starts[i + 1] : rows.size()});
  return nameLayers(rows, parts.size() > 1 ? parts : decltype(parts)(), "part");
}

RaisedLayers attn::findLayers(ArrayRef<RaisedRow> rows) {
  for (bool usesSource : {true, false})
    if (RaisedLayers found = LayerFinder(rows, usesSource).find();
        found.layers.size() > 1) {
      found.by = usesSource ? "source" : "structure";
      return found;
    }
  std::vector<RaisedLayer> parts = splitByAttention(rows);
  return {parts, parts.size() > 1 ? "order" : "nothing"};
}
