//===- Library.cpp - What this library is ---------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn/Support/Version.h"
#include "attn/Target/CPU/Dispatch.h"
#include "attn/Target/TargetNames.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

using namespace attn;
using namespace attn::capi;
namespace json = llvm::json;

uint32_t attn_api_version(void) { return ATTN_C_API_VERSION; }

const char *attn_version_text(void) {
  static const std::string text = getVersionText();
  return text.c_str();
}

static void writeStrings(json::OStream &os, llvm::StringRef key,
                         llvm::ArrayRef<std::string> values) {
  os.attributeArray(key, [&] {
    for (const std::string &value : values)
      os.value(value);
  });
}

static std::string describeLibrary() {
  TargetDescription host = getHostTargetDescription();
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream);
  os.object([&] {
    os.attribute("version", getVersion());
    os.attribute("api", ATTN_C_API_VERSION);
    os.attribute("llvm", LLVM_VERSION_STRING);
    writeStrings(os, "targets", getTargetNames());
    os.attributeObject("host", [&] {
      os.attribute("cpu", llvm::sys::getHostCPUName());
      os.attribute("triple", host.triple);
      os.attribute("isa", getBestGenericTarget(host));
      writeStrings(os, "features", host.features);
    });
  });
  os.flush();
  return text;
}

attn_code attn_describe_library(attn_buffer **description) {
  if (!description)
    return ATTN_BAD_INPUT;
  *description = nullptr;
  attn_compiler compiler;
  return run(compiler, [&](Session &) {
    *description = makeBuffer(describeLibrary());
    return llvm::Error::success();
  });
}
