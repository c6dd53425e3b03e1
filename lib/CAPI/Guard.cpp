//===- Guard.cpp - Calls of the compiler that always return ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process when it meets what it holds to be impossible or when
// there is no memory. A library must not, so its handlers of both jump back to
// where the call began. Destructors on the way do not run: what the call had
// made by then leaks, and a module that it worked on is never touched again.
// Signals stay the host's: a fault of memory is one of the process.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Internal.h"
#include "attn/Compiler/Errors.h"
#include "attn/InitAll.h"
#include "llvm/Support/ErrorHandling.h"
#include <cfenv>
#include <clocale>
#include <csetjmp>
#include <csignal>
#include <pthread.h>

using namespace attn;
using namespace attn::capi;

/// Of memory that the system only gives as it is used. The parser takes input
/// that is nested kMaxNesting deep.
static constexpr size_t kStackBytes = size_t(128) << 20;

namespace {

/// Where to go on after a fault, and what it was. There may be no memory for a
/// text that is longer.
struct Recovery {
  std::jmp_buf target;
  attn_code code = ATTN_INTERNAL;
  char text[1024] = "";
};

} // namespace

static thread_local Recovery *recovery = nullptr;

[[noreturn]] static void recover(attn_code code, const char *text) {
  Recovery &found = *recovery;
  found.code = code;
  std::strncpy(found.text, text, sizeof(found.text) - 1);
  std::longjmp(found.target, 1);
}

/// Without a guard LLVM goes on to end the process.
static void onFatalError(void *, const char *reason, bool) {
  if (recovery)
    recover(ATTN_INTERNAL, reason);
}

static void onBadAlloc(void *, const char *, bool) { recoverFromBadAlloc(); }

void attn::capi::recoverFromBadAlloc() {
  if (recovery)
    recover(ATTN_NO_MEMORY, "there is no memory left for this compilation");
}

/// What is one for all compilers, and not seen by anyone else: this library has
/// an LLVM of its own.
static locale_t initialize() {
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  registerPasses();
  return ::newlocale(LC_ALL_MASK, "C", nullptr);
}

static locale_t getPlainLocale() {
  static locale_t locale = initialize();
  return locale;
}

/// The host's signals are for the host's threads; those of faults cannot wait.
static sigset_t getForeignSignals() {
  sigset_t signals;
  sigfillset(&signals);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&signals, fault);
  return signals;
}

using Body = llvm::function_ref<void()>;

static void *enterThread(void *body) {
  // A host may flush denormals or write commas in numbers.
  std::fesetenv(FE_DFL_ENV);
  ::uselocale(getPlainLocale());
  (*static_cast<Body *>(body))();
  return nullptr;
}

/// Runs `body` on a thread of its own. False where there is no room for one.
static bool runOnThread(Body body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  sigset_t foreign = getForeignSignals(), before;
  pthread_t thread;
  bool runs = pthread_attr_setstacksize(&attributes, kStackBytes) == 0;
  pthread_sigmask(SIG_SETMASK, &foreign, &before);
  runs = runs && pthread_create(&thread, &attributes, enterThread, &body) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (runs)
    pthread_join(thread, nullptr);
  return runs;
}

/// The same on the thread of the caller.
static bool runHere(Body body) {
  std::fenv_t mode;
  std::fegetenv(&mode);
  locale_t before = ::uselocale(getPlainLocale());
  std::fesetenv(FE_DFL_ENV);
  body();
  std::fesetenv(&mode);
  ::uselocale(before);
  return true;
}

/// Runs `body` and returns true, or false after a fault.
static bool runRecovering(Body body, Recovery &target) {
  recovery = &target;
  bool isGood = setjmp(target.target) == 0;
  if (isGood)
    body();
  recovery = nullptr;
  return isGood;
}

/// The code and text that an error is for a host.
static attn_code conclude(Session &session, llvm::Error error) {
  attn_compiler &compiler = session.getCompiler();
  if (!error)
    return ATTN_GOOD;
  attn_code code = ATTN_BAD_INPUT;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<InternalError>())
      code = ATTN_INTERNAL;
    else if (info.convertToErrorCode() == std::errc::not_enough_memory)
      code = ATTN_NO_MEMORY;
    compiler.error = info.message();
  });
  // What else went wrong then is a consequence.
  if (compiler.isCancelled.exchange(false)) {
    compiler.error = "cancelled";
    return ATTN_CANCELLED;
  }
  std::string details = session.takeErrors();
  if (!details.empty())
    compiler.error += "\n" + details;
  return code;
}

static attn_code runGuarded(attn_compiler &compiler,
                            llvm::function_ref<bool(Body)> runBody,
                            llvm::function_ref<llvm::Error(Session &)> body) {
  getPlainLocale();
  compiler.error.clear();
  if (compiler.isCancelled.exchange(false)) {
    compiler.error = "cancelled";
    return ATTN_CANCELLED;
  }
  Recovery target;
  // After a fault nothing of the session can be taken apart.
  auto session = std::make_unique<Session>(compiler);
  attn_code code = ATTN_GOOD;
  bool isGood = true;
  bool runs = runBody([&] {
    isGood = runRecovering([&] { code = conclude(*session, body(*session)); },
                           target);
  });
  if (!runs) {
    compiler.error = "there is no memory for a thread";
    return ATTN_NO_MEMORY;
  }
  if (isGood)
    return code;
  session.release()->abandon();
  compiler.error = target.text;
  return target.code;
}

attn_code attn::capi::run(attn_compiler &compiler,
                          llvm::function_ref<llvm::Error(Session &)> body) {
  return catchBadAlloc([&] { return runGuarded(compiler, runOnThread, body); });
}

attn_code
attn::capi::runShort(attn_compiler &compiler,
                     llvm::function_ref<llvm::Error(Session &)> body) {
  return catchBadAlloc([&] { return runGuarded(compiler, runHere, body); });
}

attn_code attn::capi::runAlone(llvm::function_ref<attn_code()> body) {
  return catchBadAlloc([&] {
    getPlainLocale();
    Recovery target;
    attn_code code = ATTN_GOOD;
    bool isGood = true;
    runHere([&] { isGood = runRecovering([&] { code = body(); }, target); });
    return isGood ? code : target.code;
  });
}

void attn::capi::runOnLargeStack(Body body) {
  Recovery target;
  if (!runOnThread([&] { runRecovering(body, target); }))
    body();
}

attn_code attn::capi::refuse(attn_compiler *compiler, const llvm::Twine &why) {
  return catchBadAlloc([&] {
    if (compiler)
      compiler->error = why.str();
    return ATTN_BAD_INPUT;
  });
}
