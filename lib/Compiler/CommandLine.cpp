//===- CommandLine.cpp - What the tools' command lines share --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <vector>

using llvm::createStringError;
using llvm::StringRef;
namespace cl = llvm::cl;

void attn::removeForeignFlags() {
  std::vector<cl::Option *> foreign;
  for (const auto &entry : cl::getRegisteredOptions())
    if (!llvm::is_contained(entry.second->Categories,
                            &cl::getGeneralCategory()) ||
        !entry.second->ArgStr.starts_with("help"))
      foreign.push_back(entry.second);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

llvm::Error attn::parseFlags(int argc, char **argv, StringRef overview) {
  std::string text;
  llvm::raw_string_ostream messages(text);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &messages))
    return llvm::Error::success();
  StringRef message = StringRef(text).trim();
  message.consume_front(StringRef(argv[0]));
  message.consume_front(": ");
  return createStringError(message);
}

llvm::Error attn::checkWritable(StringRef flag, StringRef path) {
  if (path.empty())
    return llvm::Error::success();
  StringRef parent = llvm::sys::path::parent_path(path);
  if (llvm::sys::fs::is_directory(path))
    return createStringError(flag + "=" + path + ": is a directory");
  if (!parent.empty() && !llvm::sys::fs::is_directory(parent))
    return createStringError(flag + "=" + path + ": '" + parent +
                             "' is not a directory");
  return llvm::Error::success();
}
