//===- WriteJson.cpp - The report on raising for scripts ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

class JsonWriter {
public:
  JsonWriter(llvm::json::OStream &json, const RaisedModel &model)
      : json(json), model(model) {}

  void write();

private:
  void writeFunction(const RaisedFunction &function);
  void writeLayer(const RaisedFunction &function, const RaisedLayer &layer);
  void writeRow(const RaisedFunction &function, size_t row);
  void writeRemark(const GivenRemark &remark);
  void writeShares(double flops, double bytes, double cycles,
                   const RaisedRows &all);
  void writeCounts(StringRef key, const std::map<std::string, int64_t> &counts);
  void writeFrames(StringRef key, const Frames &frames);

  llvm::json::OStream &json;
  const RaisedModel &model;
};

} // namespace

/// Shares have as many digits as mean something.
static double round(double part, double whole) {
  return whole > 0 ? std::round(1e6 * part / whole) / 1e6 : 0.0;
}

void JsonWriter::writeShares(double flops, double bytes, double cycles,
                             const RaisedRows &all) {
  json.attribute("flops_share", round(flops, all.flops));
  json.attribute("bytes_share", round(bytes, all.bytes));
  json.attribute("time_share", round(cycles, all.cycles));
}

void JsonWriter::writeCounts(StringRef key,
                             const std::map<std::string, int64_t> &counts) {
  json.attributeObject(key, [&] {
    for (const auto &[name, count] : counts)
      json.attribute(name, count);
  });
}

void JsonWriter::writeFrames(StringRef key, const Frames &frames) {
  json.attributeArray(key, [&] {
    for (const Frame &frame : frames)
      json.value(llvm::json::fixUTF8(print(frame, /*full=*/true)));
  });
}

void JsonWriter::writeRemark(const GivenRemark &one) {
  json.object([&] {
    json.attribute("id", one.id);
    json.attribute("text", llvm::json::fixUTF8(one.text));
    writeFrames("location", getFrames(one.loc));
  });
}

void JsonWriter::writeRow(const RaisedFunction &function, size_t index) {
  const RaisedRow &row = function.rows.rows[index];
  const RowReasons &reasons = function.reasons[index];
  json.object([&] {
    json.attribute("op", row.op->getName().getStringRef());
    json.attribute("what", llvm::json::fixUTF8(row.what));
    json.attribute("result", row.type);
    json.attribute("left", row.isLeft);
    if (row.flops)
      json.attribute("flops", *row.flops);
    if (row.bytes)
      json.attribute("bytes", *row.bytes);
    if (row.cycles)
      writeShares(*row.flops, *row.bytes, *row.cycles, function.rows);
    writeFrames("location", row.frames);
    if (reasons.why) {
      json.attributeBegin("why");
      writeRemark(*reasons.why);
      json.attributeEnd();
    }
    json.attributeArray("remarks", [&] {
      for (const GivenRemark &remark : reasons.own)
        writeRemark(remark);
    });
  });
}

void JsonWriter::writeLayer(const RaisedFunction &function,
                            const RaisedLayer &layer) {
  double flops = 0, bytes = 0, cycles = 0;
  for (size_t row = layer.begin; row < layer.end; ++row) {
    flops += function.rows.rows[row].flops.value_or(0);
    bytes += function.rows.rows[row].bytes.value_or(0);
    cycles += function.rows.rows[row].cycles.value_or(0);
  }
  json.object([&] {
    json.attribute("name", layer.name);
    json.attribute("where", llvm::json::fixUTF8(layer.where));
    writeShares(flops, bytes, cycles, function.rows);
    json.attributeArray("ops", [&] {
      for (size_t row = layer.begin; row < layer.end; ++row)
        writeRow(function, row);
    });
  });
}

void JsonWriter::writeFunction(const RaisedFunction &function) {
  json.object([&] {
    json.attribute("name", function.name);
    json.attribute("layers_by", function.layers.by);
    writeCounts("before", function.before);
    writeCounts("raised", function.raised);
    json.attributeObject("left", [&] {
      json.attribute("ops", function.left);
      writeShares(function.leftFlops, function.leftBytes, function.leftCycles,
                  function.rows);
    });
    json.attribute("flops", function.rows.flops);
    json.attribute("bytes", function.rows.bytes);
    if (function.rows.hasGuessed)
      json.attribute("unknown_size", model.input.unknownSize);
    json.attributeArray("layers", [&] {
      for (const RaisedLayer &layer : function.layers.layers)
        writeLayer(function, layer);
    });
  });
}

void JsonWriter::write() {
  json.object([&] {
    json.attribute("target", model.target.name);
    json.attributeArray("functions", [&] {
      for (const RaisedFunction &function : model.functions)
        writeFunction(function);
    });
  });
}

void attn::writeJson(llvm::json::OStream &json, const RaisedModel &model) {
  JsonWriter(json, model).write();
}
