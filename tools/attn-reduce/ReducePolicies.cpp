//===- ReducePolicies.cpp - Attributes of attn ops that go ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::reduce;

namespace {

/// A choice of an op: nothing where the op has nothing to give up there.
using Choice = std::function<LogicalResult()>;
using Choices = std::vector<Choice>;

} // namespace

/// The params of a policy that goes, and their maps.
static void eraseParams(AttentionOp op, ParamRange range) {
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  auto *first = maps.begin() + op.getShapedInputs().size() + range.first;
  maps.erase(first, first + range.count);
  op.getParamsMutable().erase(range.first, range.count);
  op.setIndexingMapsAttr(ArrayAttr::get(op.getContext(), maps));
}

static ArrayAttr without(ArrayAttr array, unsigned index) {
  SmallVector<Attribute> values(array.getValue());
  values.erase(values.begin() + index);
  return ArrayAttr::get(array.getContext(), values);
}

static void addScoreChoices(AttentionOp op, Choices &choices) {
  MLIRContext *context = op.getContext();
  if (op.getSoftcapAttr())
    choices.push_back([=]() mutable {
      op.removeSoftcapAttr();
      return success();
    });
  for (unsigned bias = 0; bias < op.getBiases().size(); ++bias)
    choices.push_back([=]() mutable {
      eraseParams(op, op.getBiasParams(bias));
      op.setBiasesAttr(without(op.getBiases(), bias));
      return success();
    });
  for (unsigned mask = 0; mask < op.getMasks().size(); ++mask)
    choices.push_back([=]() mutable {
      eraseParams(op, op.getMaskParams(mask));
      op.setMasksAttr(without(op.getMasks(), mask));
      return success();
    });
  if (!isa<NoScaleAttr>(op.getScale()))
    choices.push_back([=]() mutable {
      eraseParams(op, op.getScaleParams());
      op.setScaleAttr(NoScaleAttr::get(context));
      return success();
    });
  if (!isa<SoftmaxNormAttr>(op.getNormalizer()))
    choices.push_back([=]() mutable {
      eraseParams(op, op.getNormalizerParams());
      op.setNormalizerAttr(SoftmaxNormAttr::get(context));
      return success();
    });
  if (op.isCosine())
    choices.push_back([=]() mutable {
      op.setSimilarityAttr(DotAttr::get(context));
      return success();
    });
}

/// Positions that no policy asks for need no alignment.
static void addAlignChoice(AttentionOp op, Choices &choices) {
  if (op.getAlignAttr())
    choices.push_back([=]() mutable {
      op.removeAlignAttr();
      return success();
    });
}

static void addRowChoices(AttentionOp op, Choices &choices) {
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
    for (unsigned i = 0; i < op.getRowChanges(rows).size(); ++i)
      choices.push_back([=]() mutable {
        eraseParams(op, op.getRowChangeParams(rows, i));
        bool isQuery = rows == LoadedRows::Query;
        ArrayAttr left =
            without(isQuery ? op.getLoadQueryAttr() : op.getLoadKeyAttr(), i);
        if (left.empty())
          left = nullptr;
        isQuery ? op.setLoadQueryAttr(left) : op.setLoadKeyAttr(left);
        return success();
      });
}

/// Attributes that any attn op is legal without.
static void addOptionalChoices(Operation *op, Choices &choices) {
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    StringRef name = attribute.getName();
    if (name == "schedule" || name == "unit_moment" || name == "centered" ||
        name.starts_with("attn."))
      choices.push_back([=] {
        op->removeAttr(attribute.getName());
        return success();
      });
  }
}

static Choices collectChoices(ModuleOp module) {
  Choices choices;
  module.walk([&](Operation *op) {
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      addScoreChoices(attention, choices);
      addRowChoices(attention, choices);
      addAlignChoice(attention, choices);
    }
    if (auto activation = dyn_cast<ActivationOp>(op))
      if (activation.getFunction() != Function::Relu)
        choices.push_back([=]() mutable {
          activation.setFunction(Function::Relu);
          return success();
        });
    addOptionalChoices(op, choices);
  });
  return choices;
}

namespace {

class SimplifyPolicies : public Reduction {
public:
  StringRef getName() const override { return "policies"; }
  unsigned count(ModuleOp module) override {
    return collectChoices(module).size();
  }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    return collectChoices(module)[choice]();
  }
};

} // namespace

void attn::reduce::addPolicyReductions(Reductions &reductions) {
  reductions.push_back(std::make_unique<SimplifyPolicies>());
}
