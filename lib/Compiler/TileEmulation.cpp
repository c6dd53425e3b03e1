//===- TileEmulation.cpp - Code with tiles on any AVX-512 machine ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/TileEmulation.h"
#include "attn-runtime/attn_runtime.h"
#include "attn/Compiler/Backend.h"
#include "attn/Target/TargetDescription.h"
#include "attn/Target/TargetNames.h"
#include "attn/Target/TilePermission.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The host of a kernel, with an eye on who leaves tiles configured: the end of
/// a body of a parallel loop is the end of what its thread does.
class WatchedHost {
public:
  WatchedHost(attn_context &context, TileEmulator &emulator)
      : context(context), watched(context), emulator(emulator) {
    watched.host = this;
    watched.alloc = context.alloc ? allocate : nullptr;
    watched.free = context.free ? release : nullptr;
    watched.parallel_for = loop;
  }
  ~WatchedHost() {
    std::memcpy(context.error, watched.error, sizeof(context.error));
  }

  attn_context *getContext() { return &watched; }

private:
  struct Body {
    void (*function)(void *data, int64_t i);
    void *data;
    TileEmulator &emulator;
  };

  static attn_context &getOwn(void *host) {
    return static_cast<WatchedHost *>(host)->context;
  }
  static void *allocate(void *host, size_t bytes, size_t align) {
    return getOwn(host).alloc(getOwn(host).host, bytes, align);
  }
  static void release(void *host, void *ptr) {
    getOwn(host).free(getOwn(host).host, ptr);
  }
  static void run(void *data, int64_t i) {
    auto *body = static_cast<Body *>(data);
    body->function(body->data, i);
    body->emulator.expectReleased("a body of a parallel loop");
  }
  static void loop(void *host, void (*function)(void *, int64_t), void *data,
                   int64_t n) {
    attn_context &own = getOwn(host);
    Body body{function, data, static_cast<WatchedHost *>(host)->emulator};
    if (own.parallel_for)
      return own.parallel_for(own.host, run, &body, n);
    for (int64_t i = 0; i < n; ++i)
      run(&body, i);
  }

  attn_context &context;
  attn_context watched;
  TileEmulator &emulator;
};

class WatchedCode : public LoadedCode {
public:
  WatchedCode(std::unique_ptr<LoadedCode> code, TileEmulator &emulator)
      : code(std::move(code)), emulator(emulator) {}

  Expected<Invoker> lookup(StringRef entry) override;
  StringRef getObject() const override { return code->getObject(); }

private:
  std::unique_ptr<LoadedCode> code;
  TileEmulator &emulator;
};

} // namespace

Expected<LoadedCode::Invoker> WatchedCode::lookup(StringRef entry) {
  Expected<Invoker> found = code->lookup(entry);
  if (!found)
    return found.takeError();
  return Invoker([run = *found, &emulator = emulator](void **arguments) {
    auto *context = static_cast<attn_context *>(arguments[0]);
    WatchedHost host(*context, emulator);
    arguments[0] = host.getContext();
    int32_t status = run(arguments);
    arguments[0] = context;
    emulator.expectReleased("a call");
    return status;
  });
}

Expected<std::unique_ptr<TileEmulation>>
TileEmulation::create(const TargetDescription &target) {
  if (llvm::none_of(target.features, isTileFeature))
    return createStringError("--emulator=" + kName + ": target '" +
                             target.name +
                             "' has no tiles; --target=cpu:x86-64-v4-amx has");
  auto emulation = std::make_unique<TileEmulation>();
  // A processor whose tiles have some of the products only stops at all of
  // them, as long as nobody has asked to use its tiles.
  bool lacksTiles = llvm::any_of(target.features, [](StringRef feature) {
    return isTileFeature(feature) && !hasProcessorFeature(feature);
  });
  if (lacksTiles)
    refuseTilePermission();
  if (llvm::Error error = checkHostSupports(target))
    llvm::consumeError(std::move(error));
  else
    return emulation;
  TargetDescription others = target;
  llvm::erase_if(others.features, isEmulatedFeature);
  if (llvm::Error error = checkHostSupports(others))
    return std::move(error);
  if (!refuseTilePermission() || !TileEmulator::canEmulate())
    return createStringError("--emulator=" + kName +
                             ": this machine has tiles, so that their "
                             "instructions cannot be emulated, but does not "
                             "let this process use all of '" +
                             target.name + "'");
  emulation->emulator = std::make_unique<TileEmulator>();
  return emulation;
}

EntryLoader TileEmulation::getLoader() {
  if (!emulator)
    return EntryLoader();
  return
      [&emulator = *emulator](StringRef object, llvm::ArrayRef<CompiledEntry>)
          -> Expected<std::unique_ptr<LoadedCode>> {
        auto code = loadHostObject(object);
        if (!code)
          return code.takeError();
        return std::make_unique<WatchedCode>(std::move(*code), emulator);
      };
}

TileCounts TileEmulation::getCounts() const {
  return emulator ? emulator->getCounts() : TileCounts();
}

std::string TileEmulation::getFault() const {
  return emulator ? emulator->getFault() : std::string();
}
