//===- CrashGuard.cpp - How a tool ends when it cannot go on --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/CrashGuard.h"
#include "attn/Support/ExitCode.h"
#include "attn/Support/MachineMemory.h"
#include "attn/Support/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace attn;
using llvm::StringRef;

namespace {

/// All that is said after a fault, made before it: there is no memory to be had
/// in a signal handler.
struct CrashState {
  std::string tool;
  /// The copy of the input, and the text that goes with it.
  std::string inputPath, reportPath;
  std::string report;
  std::shared_ptr<llvm::MemoryBuffer> input;
};

/// The most that a stack on the main thread grows to. Linux leaves it 128 MiB
/// even where addresses are not random.
constexpr rlim_t kStackBytes = rlim_t(100) << 20;
/// A report that does not come to its end is cut off.
constexpr unsigned kReportSeconds = 10;

} // namespace

// A signal handler has no other way to anything.
static CrashState *state = nullptr;
static std::atomic<const char *> phase = nullptr;
static std::atomic<bool> isEnding = false;

void attn::setCrashInput(std::shared_ptr<llvm::MemoryBuffer> input) {
  if (state)
    state->input = std::move(input);
}

void attn::setCrashPhase(const char *name) { phase = name; }

/// Nothing of this may take memory: what is left of it is not known.
static void put(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t count = ::write(file, text.data(), text.size());
    if (count <= 0)
      return;
    text = text.drop_front(count);
  }
}

static int create(const std::string &path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void putPhase(int file) {
  if (const char *name = phase) {
    put(file, " in '");
    put(file, name);
    put(file, "'");
  }
}

/// Says what happened and asks for a report; `what` and `detail` make a line.
static void report(StringRef what, StringRef detail) {
  put(STDERR_FILENO, state->tool);
  put(STDERR_FILENO, ": internal error: ");
  put(STDERR_FILENO, what);
  put(STDERR_FILENO, detail);
  putPhase(STDERR_FILENO);
  int file = create(state->reportPath);
  if (file < 0) {
    put(STDERR_FILENO, "\nPlease report it to the attn-mlir project, with the "
                       "input and the command line.\n");
    return;
  }
  put(STDERR_FILENO, "\nPlease report it to the attn-mlir project, with "
                     "reproducer: ");
  put(STDERR_FILENO, state->reportPath);
  int copy = state->input ? create(state->inputPath) : -1;
  if (copy >= 0) {
    put(copy, state->input->getBuffer());
    ::close(copy);
    put(STDERR_FILENO, " and a copy of the input: ");
    put(STDERR_FILENO, state->inputPath);
  }
  put(STDERR_FILENO, "\n");
  put(file, state->report);
  put(file, "what: ");
  put(file, what);
  put(file, detail);
  putPhase(file);
  put(file, "\nstack:\n");
  // Walking the stack may fail in turn, so it comes last.
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/false, /*unbuffered=*/true);
  llvm::sys::PrintStackTrace(stream);
}

/// Leaves without the destructors, which may rely on what is broken, but
/// removes temporary files.
[[noreturn]] static void leave(ExitCode code) {
  llvm::sys::RunInterruptHandlers();
  ::_exit(code);
}

[[noreturn]] static void leaveAtOnce(int) { ::_exit(kInternalError); }

static StringRef describe(int signal) {
  switch (signal) {
  case SIGSEGV:
    return "a wrong memory access or a full stack (SIGSEGV)";
  case SIGBUS:
    return "a wrong memory access (SIGBUS)";
  case SIGABRT:
    return "the program gave up (SIGABRT)";
  case SIGILL:
    return "a wrong instruction (SIGILL)";
  case SIGFPE:
    return "a division by zero (SIGFPE)";
  default:
    return "an unexpected signal";
  }
}

/// Only the first fault is reported; others come from the report itself, or
/// from threads that ran on meanwhile.
static void begin() {
  if (isEnding.exchange(true))
    leaveAtOnce(0);
  ::signal(SIGALRM, leaveAtOnce);
  ::alarm(kReportSeconds);
}

static void putNumber(int file, uint64_t number) {
  char digits[20];
  char *begin = std::end(digits);
  do
    *--begin = char('0' + number % 10);
  while (number /= 10);
  put(file, StringRef(begin, std::end(digits) - begin));
}

static void onBadAlloc(void *, const char *, bool) {
  begin();
  put(STDERR_FILENO, state->tool);
  put(STDERR_FILENO, ": error: out of memory");
  putPhase(STDERR_FILENO);
  put(STDERR_FILENO, ": more than ");
  // What was asked for is said neither to LLVM's handler nor to C++'s.
  putNumber(STDERR_FILENO, getMemoryInUse());
  put(STDERR_FILENO, " bytes are needed, and there are ");
  putNumber(STDERR_FILENO, getMemoryLimit());
  put(STDERR_FILENO, "\n");
  leave(kBadInput);
}

/// MLIR writes where malloc gave nothing (Operation::create), so a write near
/// null may mean that no memory is left. Then not even as much is to be had as
/// malloc asks for at a time.
static bool isOutOfMemory(int signal, const siginfo_t *info) {
  constexpr uintptr_t nearNull = 1 << 16;
  constexpr size_t probe = 1 << 20;
  if (signal != SIGSEGV ||
      reinterpret_cast<uintptr_t>(info->si_addr) >= nearNull)
    return false;
  void *memory = ::mmap(nullptr, probe, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return true;
  ::munmap(memory, probe);
  return false;
}

static void onSignal(int signal, siginfo_t *info, void *) {
  if (isOutOfMemory(signal, info))
    onBadAlloc(nullptr, nullptr, false);
  begin();
  report(describe(signal), "");
  leave(kInternalError);
}

static void onFatalError(void *, const char *reason, bool isInternal) {
  begin();
  if (isInternal) {
    report("LLVM: ", reason);
    leave(kInternalError);
  }
  put(STDERR_FILENO, state->tool);
  put(STDERR_FILENO, ": error: ");
  put(STDERR_FILENO, reason);
  put(STDERR_FILENO, "\n");
  leave(kBadInput);
}

/// The main thread's stack grows as far as the limit says at that moment.
static void raiseStackLimit() {
  rlimit limit;
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes)
    return;
  limit.rlim_cur = std::min(limit.rlim_max, kStackBytes);
  ::setrlimit(RLIMIT_STACK, &limit);
}

static void installSignalHandlers() {
  // Without a stack of its own a handler cannot run after an overflow.
  alignas(16) static char memory[1 << 18];
  stack_t stack = {};
  stack.ss_size = sizeof(memory);
  stack.ss_sp = memory;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
    ::sigaction(signal, &action, nullptr);
}

static std::string makeReport(int argc, char **argv) {
  std::string text = getVersionText() + "\ncommand:";
  for (int i = 0; i < argc; ++i) {
    text += ' ';
    llvm::raw_string_ostream os(text);
    llvm::sys::printArg(os, argv[i], /*Quote=*/false);
  }
  return text + "\n";
}

std::string attn::makeReproducerPath(StringRef tool, StringRef phase,
                                     StringRef folder) {
  llvm::SmallString<128> path;
  std::string prefix = (tool + "-" + phase).str();
  if (!folder.empty()) {
    llvm::sys::fs::createUniquePath(folder + "/" + prefix + "-%%%%%%.mlir",
                                    path, /*MakeAbsolute=*/false);
    return path.str().str();
  }
  if (llvm::sys::fs::getPotentiallyUniqueTempFileName(prefix, "mlir", path))
    return prefix + "-reproducer.mlir";
  return path.str().str();
}

CrashGuard::CrashGuard(StringRef tool, int &argc, char **&argv)
    : init(argc, argv) {
  // Never deleted: what comes after main may fail as well.
  state = new CrashState;
  state->tool = tool.str();
  state->inputPath = makeReproducerPath(tool, "crash");
  state->reportPath = StringRef(state->inputPath).drop_back(4).str() + "txt";
  state->report = makeReport(argc, argv);
  // A symbolizer takes seconds, and the addresses say as much later.
  ::setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*replace=*/0);
  raiseStackLimit();
  installSignalHandlers();
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
}
