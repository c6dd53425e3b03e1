//===- TileEmulator.cpp - Stops at tile instructions and goes on ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs in the handler takes no lock and no memory of malloc. Vectors are
// not touched: the kernel has saved them in the frame and restores them.
//
//===----------------------------------------------------------------------===//

#include "attn/Runtime/TileEmulator.h"

#if defined(__x86_64__) && defined(__linux__)
#include "PairInstruction.h"
#include "TileUnit.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cpuid.h>
#include <immintrin.h>

using namespace attn;

namespace {

/// The tiles of a thread, from its first instruction on and for good: it may
/// come back under the next emulator.
struct ThreadTiles {
  TileUnit unit;
  /// The emulator they belong to, by number.
  unsigned emulator;
  ThreadTiles *next;
};

struct FirstFault {
  std::atomic<bool> isClaimed = false;
  std::atomic<bool> isWritten = false;
  FaultText text;
};

} // namespace

// A signal handler has no other way to anything.
static std::atomic<ThreadTiles *> allThreads = nullptr;
static std::atomic<unsigned> currentEmulator = 0;
static FirstFault firstFault;
static struct sigaction previousAction;
static bool emulatesPairs = false;
static bool isConfiguredByProcessor = false;
// Of a fixed place in each thread: the first use of another kind takes memory.
static thread_local ThreadTiles *ownTiles
    __attribute__((tls_model("initial-exec"))) = nullptr;

static ThreadTiles &addThread() {
  void *memory = mmap(nullptr, sizeof(ThreadTiles), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    abort();
  auto *tiles = static_cast<ThreadTiles *>(memory);
  tiles->emulator = currentEmulator;
  tiles->next = allThreads.load();
  while (!allThreads.compare_exchange_weak(tiles->next, tiles))
    ;
  return *tiles;
}

static TileUnit &getOwnUnit() {
  if (!ownTiles)
    ownTiles = &addThread();
  if (ownTiles->emulator != currentEmulator) {
    std::memset(static_cast<void *>(&ownTiles->unit), 0, sizeof(TileUnit));
    ownTiles->emulator = currentEmulator;
  }
  return ownTiles->unit;
}

static void report(TileUnit &unit, const FaultText &text) {
  ++unit.counts.faults;
  if (firstFault.isClaimed.exchange(true))
    return;
  firstFault.text = text;
  firstFault.isWritten.store(true, std::memory_order_release);
}

/// `tdpbf16ps tmm0, tmm1, tmm2 at 0x7f0012345678: `
static void describe(const TileInstruction &instruction, uint64_t address,
                     FaultText &text) {
  text << getTileOpName(instruction.op);
  switch (instruction.op) {
  case TileOp::ProductBF16:
  case TileOp::ProductF16:
    text << " tmm" << instruction.tile << ", tmm" << instruction.first
         << ", tmm" << instruction.second;
    break;
  case TileOp::LoadConfig:
  case TileOp::StoreConfig:
  case TileOp::Release:
    break;
  default:
    text << " tmm" << instruction.tile;
  }
  text << " at ";
  text.putAddress(address) << ": ";
}

static GeneralRegisters readRegisters(const greg_t *saved) {
  static constexpr int order[16] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  GeneralRegisters registers;
  for (unsigned i = 0; i < 16; ++i)
    registers.general[i] = uint64_t(saved[order[i]]);
  registers.address = uint64_t(saved[REG_RIP]);
  return registers;
}

/// What was there before the emulator decides.
static void passOn(int signal, siginfo_t *info, void *context) {
  if (previousAction.sa_flags & SA_SIGINFO) {
    previousAction.sa_sigaction(signal, info, context);
  } else if (previousAction.sa_handler == SIG_DFL ||
             previousAction.sa_handler == SIG_IGN) {
    // The instruction comes again, and then the process ends.
    std::signal(signal, SIG_DFL);
  } else {
    previousAction.sa_handler(signal);
  }
}

static void execute(const TileInstruction &instruction,
                    const GeneralRegisters &registers) {
  TileUnit &unit = getOwnUnit();
  FaultText text, why;
  if (unit.execute(instruction, registers, why))
    return;
  describe(instruction, registers.address, text);
  text << why.getText();
  report(unit, text);
}

static bool isConfiguring(TileOp op) {
  return op == TileOp::LoadConfig || op == TileOp::StoreConfig ||
         op == TileOp::Release;
}

/// Executes the instruction at registers.address, and moves that behind it.
/// False if it is none of those that are emulated.
static bool executeNext(GeneralRegisters &registers, void *vectors) {
  auto *code = reinterpret_cast<const uint8_t *>(registers.address);
  TileInstruction tiles;
  if (decodeTileInstruction(code, tiles)) {
    if (isConfiguredByProcessor) {
      if (isConfiguring(tiles.op))
        return false;
      getOwnUnit().adopt(VectorFrame(vectors).getTileConfiguration());
    }
    execute(tiles, registers);
    registers.address += tiles.length;
    return true;
  }
  PairInstruction pairs;
  if (!emulatesPairs || !decodePairInstruction(code, pairs))
    return false;
  VectorFrame frame(vectors);
  executePairInstruction(pairs, registers, frame);
  registers.address += pairs.length;
  return true;
}

static void onIllegalInstruction(int signal, siginfo_t *info, void *context) {
  mcontext_t &saved = static_cast<ucontext_t *>(context)->uc_mcontext;
  GeneralRegisters registers = readRegisters(saved.gregs);
  int error = errno;
  // One that another process sent has no instruction.
  if (info->si_code <= 0 || !executeNext(registers, saved.fpregs))
    return passOn(signal, info, context);
  // They come in rows, and stopping takes longer than anything here.
  while (executeNext(registers, saved.fpregs))
    ;
  saved.gregs[REG_RIP] = greg_t(registers.address);
  errno = error;
}

/// It is where the system switches tiles.
bool TileEmulator::configuresItself() {
  unsigned eax, ebx, ecx, edx;
  constexpr unsigned kOSXSAVE = 1u << 27, kAMXTile = 1u << 24, kState = 0x60000;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & kOSXSAVE) ||
      !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(edx & kAMXTile))
    return false;
  asm("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return (eax & kState) == kState;
}

TileEmulator::TileEmulator() {
  firstFault.isClaimed = false;
  firstFault.isWritten = false;
  firstFault.text = FaultText();
  ++currentEmulator;
  emulatesPairs = !__builtin_cpu_supports("avx512bf16");
  isConfiguredByProcessor = configuresItself();
  struct sigaction action = {};
  action.sa_sigaction = onIllegalInstruction;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGILL, &action, &previousAction);
}

TileEmulator::~TileEmulator() { sigaction(SIGILL, &previousAction, nullptr); }

bool TileEmulator::canEmulate() { return canMultiplyTiles(); }

/// What the calling thread's tiles are, on a processor that has some.
__attribute__((target("amx-tile"))) static TileConfiguration
readConfiguration() {
  TileConfiguration configuration;
  _tile_storeconfig(&configuration);
  return configuration;
}

__attribute__((target("amx-tile"))) static void releaseTiles() {
  _tile_release();
}

void TileEmulator::expectReleased(const char *what) {
  TileUnit &unit = getOwnUnit();
  if (isConfiguredByProcessor) {
    TileConfiguration own = readConfiguration();
    unit.adopt(&own);
    releaseTiles();
  }
  if (!unit.isConfigured())
    return;
  FaultText text;
  text << "the tiles are configured at the end of " << what
       << ": tilerelease is missing";
  report(unit, text);
  unit.release();
}

TileCounts TileEmulator::getCounts() const {
  TileCounts sum;
  for (ThreadTiles *tiles = allThreads; tiles; tiles = tiles->next) {
    if (tiles->emulator != currentEmulator)
      continue;
    const TileCounts &counts = tiles->unit.counts;
    sum.configurations += counts.configurations;
    sum.releases += counts.releases;
    sum.zeros += counts.zeros;
    sum.loads += counts.loads;
    sum.products += counts.products;
    sum.stores += counts.stores;
    sum.faults += counts.faults;
  }
  return sum;
}

std::string TileEmulator::getFault() const {
  return firstFault.isWritten.load(std::memory_order_acquire)
             ? firstFault.text.getText()
             : "";
}
#else
using namespace attn;
TileEmulator::TileEmulator() = default;
TileEmulator::~TileEmulator() = default;
bool TileEmulator::canEmulate() { return false; }
bool TileEmulator::configuresItself() { return false; }
void TileEmulator::expectReleased(const char *) {}
TileCounts TileEmulator::getCounts() const { return {}; }
std::string TileEmulator::getFault() const { return {}; }
#endif
