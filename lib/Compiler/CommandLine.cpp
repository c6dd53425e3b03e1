//===- CommandLine.cpp - What the tools' command lines share --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/CommandLine.h"
#include "attn/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <vector>

using llvm::createStringError;
using llvm::StringRef;
namespace cl = llvm::cl;

void attn::removeForeignFlags() {
  std::vector<cl::Option *> foreign;
  for (const auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.second->ArgStr;
    if (!name.starts_with("help") && name != "version")
      foreign.push_back(entry.second);
  }
  for (cl::Option *option : foreign)
    option->removeArgument();
}

void attn::setVersionPrinter() {
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << getVersionText() << "\n"; });
}

llvm::Error attn::parseFlags(int argc, char **argv, StringRef overview) {
  setVersionPrinter();
  std::string text;
  llvm::raw_string_ostream messages(text);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &messages))
    return llvm::Error::success();
  // The parser writes some complaints to stderr by itself.
  if (text.empty())
    return createStringError("the command line is wrong; --help lists the "
                             "options");
  StringRef tool = llvm::sys::path::filename(argv[0]);
  std::string message;
  for (StringRef line : llvm::split(StringRef(text).trim(), '\n')) {
    if (line.consume_front(tool))
      line.consume_front(": ");
    message += (message.empty() ? "" : "\n  ") + line.str();
  }
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

/// Where a file lies or will, without links and dots in its folder's path.
static std::string getPlace(StringRef path) {
  StringRef parent = llvm::sys::path::parent_path(path);
  llvm::SmallString<256> place;
  if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, place))
    return path.str();
  llvm::sys::path::append(place, llvm::sys::path::filename(path));
  return place.str().str();
}

llvm::Error attn::checkDistinct(StringRef flag, StringRef path,
                                llvm::ArrayRef<std::string> others) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  if (path.empty() || path == "-" ||
      (!fs::status(path, status) &&
       status.type() != fs::file_type::regular_file))
    return llvm::Error::success();
  for (const std::string &other : others)
    if (!other.empty() &&
        (getPlace(path) == getPlace(other) || fs::equivalent(path, other)))
      return createStringError(flag + path + ": would take the place of '" +
                               other +
                               "', which is read or written, too; choose "
                               "another name");
  return llvm::Error::success();
}
