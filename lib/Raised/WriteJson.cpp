//===- WriteJson.cpp - The report on raising for scripts ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "attn/Analysis/Report.h"
#include <cmath>

using namespace mlir;
using namespace attn;

/// Shares have as many digits as mean something.
static double round(double part, double whole) {
  return whole > 0 ? std::round(1e6 * part / whole) / 1e6 : 0.0;
}

static void writeShares(llvm::json::OStream &json, const RaisedCost &part,
                        const RaisedCost &all) {
  writeNumbers(json, {{"flops_share", round(part.flops, all.flops)},
                      {"bytes_share", round(part.bytes, all.bytes)},
                      {"time_share", round(part.cycles, all.cycles)}});
}

static void writeCounts(llvm::json::OStream &json, StringRef key,
                        const std::map<std::string, int64_t> &counts) {
  json.attributeObject(key, [&] {
    for (const auto &[name, count] : counts)
      json.attribute(name, count);
  });
}

static void writeFrames(llvm::json::OStream &json, const Frames &frames) {
  json.attributeArray("location", [&] {
    for (const Frame &frame : frames)
      json.value(llvm::json::fixUTF8(print(frame, /*full=*/true)));
  });
}

static void writeRemark(llvm::json::OStream &json, const GivenRemark &one) {
  json.attribute("id", one.id);
  json.attribute("text", llvm::json::fixUTF8(one.text));
  writeFrames(json, getFrames(one.loc));
}

static void writeRow(llvm::json::OStream &json, const RaisedRow &row,
                     const RowReasons &reasons, const RaisedCost &all) {
  json.attribute("op", row.op->getName().getStringRef());
  json.attribute("what", llvm::json::fixUTF8(row.what));
  json.attribute("result", row.type);
  json.attribute("left", row.isLeft);
  if (row.flops)
    json.attribute("flops", *row.flops);
  if (row.bytes)
    json.attribute("bytes", *row.bytes);
  if (row.cycles)
    writeShares(json, RaisedCost(row), all);
  writeFrames(json, row.frames);
  if (reasons.why)
    json.attributeObject("why", [&] { writeRemark(json, *reasons.why); });
  writeObjects(json, "remarks", reasons.own,
               [&](const GivenRemark &remark) { writeRemark(json, remark); });
}

static void writeLayer(llvm::json::OStream &json,
                       const RaisedFunction &function,
                       const RaisedLayer &layer) {
  const RaisedCost &all = function.rows.cost;
  auto rows = llvm::seq(layer.begin, layer.end);
  json.attribute("name", layer.name);
  json.attribute("where", llvm::json::fixUTF8(layer.where));
  writeShares(json, RaisedCost(function.getRows(layer)), all);
  writeObjects(json, "ops", rows, [&](size_t row) {
    writeRow(json, function.rows.rows[row], function.reasons[row], all);
  });
}

static void writeFunction(llvm::json::OStream &json,
                          const RaisedFunction &function, int64_t unknownSize) {
  const RaisedCost &all = function.rows.cost;
  json.attribute("name", function.name);
  json.attribute("layers_by", function.layers.by);
  writeCounts(json, "before", function.before);
  writeCounts(json, "raised", function.raised);
  json.attributeObject("left", [&] {
    json.attribute("ops", function.left);
    writeShares(json, function.leftCost, all);
  });
  writeNumbers(json, {{"flops", all.flops}, {"bytes", all.bytes}});
  if (function.rows.hasGuessed)
    json.attribute("unknown_size", unknownSize);
  writeObjects(
      json, "layers", function.layers.layers,
      [&](const RaisedLayer &layer) { writeLayer(json, function, layer); });
}

void attn::writeJson(llvm::json::OStream &json, const RaisedModel &model) {
  json.object([&] {
    json.attribute("target", model.target.name);
    writeObjects(json, "functions", model.functions,
                 [&](const RaisedFunction &function) {
                   writeFunction(json, function, model.input.unknownSize);
                 });
  });
}
