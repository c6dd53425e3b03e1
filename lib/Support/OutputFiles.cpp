//===- OutputFiles.cpp - Files that appear complete or not at all ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/OutputFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace attn;
using llvm::createStringError;
namespace fs = llvm::sys::fs;

SignalHold::SignalHold() {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &previous);
  // A limit on the size of files is an error like a full disk, not the end.
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &previousSizeLimit);
}

SignalHold::~SignalHold() {
  sigaction(SIGXFSZ, &previousSizeLimit, nullptr);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

/// Removes the temporary files that are left, whatever happened.
static void discard(std::vector<fs::TempFile> &temporaries) {
  for (fs::TempFile &file : temporaries)
    llvm::consumeError(file.discard());
}

/// Brings the contents to the disk: a name must not come before what it names.
static llvm::Error write(fs::TempFile &file, llvm::StringRef contents) {
  llvm::raw_fd_ostream stream(file.FD, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  if (!code && ::fsync(file.FD) != 0)
    code = std::error_code(errno, std::generic_category());
  return llvm::errorCodeToError(code);
}

/// TempFile::keep would copy where it cannot rename, and a copy can be seen
/// half done. Both names are in one folder, so there is no need for it.
static llvm::Error moveTo(fs::TempFile &file, llvm::StringRef path) {
  if (std::error_code code = fs::rename(file.TmpName, path))
    return llvm::errorCodeToError(code);
  return file.keep();
}

/// Whether there is something else than a file of this name: a device, a pipe,
/// or what the process has open already.
static bool isStream(llvm::StringRef path) {
  fs::file_status status;
  if (fs::status(path, status))
    return false;
  return status.type() != fs::file_type::regular_file ||
         path.starts_with("/dev/") || path.starts_with("/proc/");
}

/// Nothing may take the place of a device or a pipe.
static llvm::Error writeStream(llvm::StringRef path, llvm::StringRef contents) {
  int descriptor;
  if (std::error_code code =
          fs::openFileForWrite(path, descriptor, fs::CD_OpenExisting))
    return llvm::errorCodeToError(code);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

/// Where a file of this name lies: a link stays one.
static std::string followLinks(llvm::StringRef path) {
  llvm::SmallString<256> target;
  if (fs::is_symlink_file(path) && !fs::real_path(path, target))
    return target.str().str();
  return path.str();
}

/// Brings the names in a file's folder to the disk. Some file systems cannot,
/// and then there is nothing to do about it.
static void syncFolder(llvm::StringRef path) {
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  std::string folder = parent.empty() ? "." : parent.str();
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  ::fsync(descriptor);
  ::close(descriptor);
}

llvm::Error OutputFiles::commit() {
  for (const File &file : files)
    if (fs::is_directory(file.path))
      return createStringError(file.path + ": is a directory");
  // Who reads a pipe may keep us waiting, which must be possible to interrupt.
  for (const File &file : files)
    if (isStream(file.path))
      if (llvm::Error error = writeStream(file.path, file.contents))
        return createStringError(file.path + ": " +
                                 llvm::toString(std::move(error)));
  llvm::erase_if(files, [](const File &file) { return isStream(file.path); });
  for (File &file : files)
    file.path = followLinks(file.path);
  // An interruption waits for these few milliseconds; were the process killed
  // between two names, each file would still be whole.
  SignalHold hold;
  std::vector<fs::TempFile> temporaries;
  auto fail = [&](const File &file, llvm::Error error) {
    discard(temporaries);
    return createStringError(file.path + ": " +
                             llvm::toString(std::move(error)));
  };
  for (const File &file : files) {
    auto temporary = fs::TempFile::create(file.path + ".tmp-%%%%%%%%");
    if (!temporary)
      return fail(file, temporary.takeError());
    temporaries.push_back(std::move(*temporary));
    if (llvm::Error error = write(temporaries.back(), file.contents))
      return fail(file, std::move(error));
  }
  for (size_t i = 0; i < files.size(); ++i)
    if (llvm::Error error = moveTo(temporaries[i], files[i].path))
      return fail(files[i], std::move(error));
  for (const File &file : files)
    syncFolder(file.path);
  return llvm::Error::success();
}

llvm::Error attn::writeOutput(llvm::StringRef path, std::string contents) {
  if (path != "-") {
    OutputFiles files;
    files.add(path.str(), std::move(contents));
    return files.commit();
  }
  llvm::outs() << contents;
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  return code ? createStringError(code, "standard output: " + code.message())
              : llvm::Error::success();
}
