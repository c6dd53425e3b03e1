//===- HostCheck.cpp - Whose MLIR a plugin works with ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker lists files in the order in which they were loaded: what
// the program came with, then the plugin, then what only the plugin needs. An
// MLIR behind the plugin is one that the program does not know.
//
//===----------------------------------------------------------------------===//

#include "HostCheck.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <link.h>
#include <vector>

using llvm::StringRef;

namespace {

struct LoadedFile {
  std::string path;
  bool isPlugin = false;
  /// Has the MLIR that calls of the plugin reach.
  bool hasOurMLIR = false;
};

} // namespace

static bool contains(const dl_phdr_info &file, const void *address) {
  auto wanted = reinterpret_cast<ElfW(Addr)>(address);
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = file.dlpi_phdr[i];
    ElfW(Addr) begin = file.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && wanted >= begin &&
        wanted - begin < segment.p_memsz)
      return true;
  }
  return false;
}

/// A function of MLIR's library, as calls of this plugin find it.
static const void *getMLIRAddress() {
  using Register = void (*)(const mlir::PassAllocatorFunction &);
  Register function = &mlir::registerPass;
  return reinterpret_cast<const void *>(function);
}

static std::vector<LoadedFile> listFiles() {
  std::vector<LoadedFile> files;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *list) {
        LoadedFile file;
        file.path = info->dlpi_name;
        file.isPlugin =
            contains(*info, reinterpret_cast<const void *>(&listFiles));
        file.hasOurMLIR = contains(*info, getMLIRAddress());
        static_cast<std::vector<LoadedFile> *>(list)->push_back(file);
        return 0;
      },
      &files);
  return files;
}

llvm::Error attn::plugin::checkHost() {
  std::string others;
  for (const LoadedFile &file : listFiles()) {
    if (file.hasOurMLIR)
      return llvm::Error::success();
    StringRef name = llvm::sys::path::filename(file.path);
    if (name.starts_with("libMLIR.so"))
      others = " (" + name.str() + ")";
    if (file.isPlugin)
      break;
  }
  return llvm::createStringError(
      "this plugin needs a program with libMLIR.so of LLVM " LLVM_VERSION_STRING
      ", and this program has an MLIR of its own%s: use the mlir-opt that came "
      "with that library (Debian: mlir-opt-%d)",
      others.c_str(), LLVM_VERSION_MAJOR);
}
