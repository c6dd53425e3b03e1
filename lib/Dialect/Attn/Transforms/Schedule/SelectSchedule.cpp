//===- SelectSchedule.cpp - Each op chooses its route ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

Route attn::scheduleOp(Operation *op, const TargetDescription &target) {
  if (op->getNumResults() == 0)
    return {{}, {Remark(RemarkId::OperandsNotTensors)}};
  if (auto attention = dyn_cast<AttentionOp>(op))
    if (LengthAttr length = attention.getScale().getLength();
        length && length.getKind() == LengthKind::Seen)
      return {{}, {Remark(RemarkId::SeenNotCounted)}};
  Route route = cast<RouteOpInterface>(op).selectRoute(target);
  if (route.schedule)
    cast<ScheduledOpInterface>(op).setScheduleAttr(route.schedule);
  return route;
}

namespace {

struct SelectSchedulePass
    : attn::impl::SelectSchedulePassBase<SelectSchedulePass> {
  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    getOperation().walk([&](RouteOpInterface op) {
      if (cast<ScheduledOpInterface>(op.getOperation()).getScheduleAttr())
        return;
      for (const Remark &remark : scheduleOp(op, target).remarks)
        remark.emit(op.getLoc());
    });
  }
};

} // namespace
