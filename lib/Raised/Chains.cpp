//===- Chains.cpp - Why what is left was not raised -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chains.h"
#include "attn/Remarks/Explained.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace attn;

namespace {

class ChainFinder {
public:
  explicit ChainFinder(ArrayRef<RaisedRow> rows) {
    for (auto [i, row] : llvm::enumerate(rows))
      positions[row.op] = i;
    for (auto [i, row] : llvm::enumerate(rows))
      if (isMember(row)) {
        chains.insert(i);
        seen.clear();
        row.op->walk([&, i = i](Operation *inner) {
          for (Value operand : inner->getOperands())
            join(rows, i, operand);
        });
      }
  }

  /// A number of the chain; none where the row is raised.
  std::optional<size_t> getChain(size_t row) const {
    auto member = chains.findLeader(row);
    return member == chains.member_end() ? std::nullopt
                                         : std::optional<size_t>(*member);
  }

private:
  /// A softmax that was raised alone is a part of an attention that was not,
  /// and so is the value product of a single head, which may be a layer.
  static bool isMember(const RaisedRow &row) {
    return row.isLeft || isa<SoftmaxOp, ActivationOp>(row.op) ||
           isExplained(row.op);
  }

  /// Looks through what does no work for the row that computes `value`.
  void join(ArrayRef<RaisedRow> rows, size_t user, Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return;
    auto position = positions.find(op);
    if (position != positions.end()) {
      if (position->second != user && isMember(rows[position->second]))
        chains.unionSets(position->second, user);
      return;
    }
    if (isa<linalg::LinalgOp>(op) || op->getNumRegions() != 0)
      return;
    for (Value operand : op->getOperands())
      join(rows, user, operand);
  }

  llvm::DenseMap<Operation *, size_t> positions;
  llvm::EquivalenceClasses<size_t> chains;
  llvm::DenseSet<Operation *> seen;
};

} // namespace

std::vector<std::optional<size_t>> attn::findChains(ArrayRef<RaisedRow> rows) {
  ChainFinder finder(rows);
  std::vector<std::optional<size_t>> chains;
  for (size_t row = 0; row < rows.size(); ++row)
    chains.push_back(finder.getChain(row));
  return chains;
}

/// The op that a remark on recognition is about, by the tens of its number.
static StringRef getSubject(const GivenRemark &remark) {
  constexpr StringRef subjects[] = {"attn.attention",  "attn.norm",
                                    "attn.activation", "attn.linear",
                                    "attn.rope",       "attn.softmax"};
  unsigned number = 0;
  StringRef id = remark.id;
  if (!id.consume_front("attn-r1") || id.getAsInteger(10, number) ||
      number / 10 >= std::size(subjects))
    return "";
  return subjects[number / 10];
}

/// Remarks on raised ops. Those of one place belong to its ops in turn: layers
/// that one line of the source makes are at one place.
static void assignRemarks(ArrayRef<RaisedRow> rows,
                          ArrayRef<GivenRemark> remarks,
                          std::vector<RowReasons> &reasons) {
  using Key = std::pair<Location, StringRef>;
  llvm::DenseMap<Key, SmallVector<size_t>> subjects;
  for (auto [i, row] : llvm::enumerate(rows))
    if (!row.isLeft)
      subjects[{getUnmarked(row.op->getLoc()),
                row.op->getName().getStringRef()}]
          .push_back(i);
  llvm::DenseMap<Key, size_t> turns;
  for (const GivenRemark &remark : remarks) {
    auto fitting = subjects.find({getUnmarked(remark.loc), getSubject(remark)});
    if (fitting == subjects.end() ||
        StringRef(remark.text).starts_with("not raised"))
      continue;
    size_t turn = turns[{remark.loc, remark.id}]++;
    size_t last = fitting->second.size() - 1;
    reasons[fitting->second[std::min(turn, last)]].own.push_back(remark);
  }
}

/// What was said of a left-over op itself.
static std::optional<GivenRemark> readExplanation(Operation *op) {
  StringRef said = getExplanation(op);
  if (said.empty())
    return std::nullopt;
  auto [id, text] = said.split(' ');
  return GivenRemark{getUnmarked(op->getLoc()), id.str(), text.str()};
}

std::vector<RowReasons> attn::findReasons(ArrayRef<RaisedRow> rows,
                                          ArrayRef<GivenRemark> remarks) {
  std::vector<RowReasons> reasons(rows.size());
  assignRemarks(rows, remarks, reasons);
  std::vector<std::optional<size_t>> chains = findChains(rows);
  llvm::DenseMap<size_t, size_t> best;
  for (size_t row = 0; row < rows.size(); ++row) {
    std::optional<GivenRemark> said = readExplanation(rows[row].op);
    if (!said || !chains[row])
      continue;
    reasons[row].own.push_back(*said);
    auto [known, isNew] = best.try_emplace(*chains[row], row);
    if (!isNew && said->id < reasons[known->second].own.back().id)
      known->second = row;
  }
  for (size_t row = 0; row < rows.size(); ++row)
    if (rows[row].isLeft && best.contains(*chains[row]))
      reasons[row].why = reasons[best[*chains[row]]].own.back();
  return reasons;
}
