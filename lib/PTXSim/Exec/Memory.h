//===- Memory.h - What every load, store and synchronisation goes through
//---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces that lib/PTXSim/Memory implements. One GlobalMemory serves a run
// and is used by several host threads at once; one MemoryModel serves a
// cluster of CTAs and is used by one host thread.
//
// Addresses. Global and constant: the 64-bit device address, which is also the
// generic one. Shared: 32 bits, (rank of the CTA in its cluster) << 24 |
// offset, for .shared::cta and .shared::cluster alike; offsets start at
// kSharedBase. Windows of the generic space: see below. Local memory and
// parameters never come here, they are private to a thread.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_MEMORY_H
#define ATTN_LIB_PTXSIM_EXEC_MEMORY_H

#include "PTXSim/Exec/Inst.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>

namespace attn::ptx {

struct Warp;
struct Cta;
struct Cluster;
struct Grid;

constexpr uint32_t kSharedBase = 0x400; ///< Offset of the first shared byte.
constexpr uint64_t kSharedWindow = 0x0000'7a00'0000'0000; ///< + shared address
constexpr uint64_t kLocalWindow = 0x0000'7b00'0000'0000;  ///< + stack offset
constexpr uint64_t kParamWindow = 0x0000'7c00'0000'0000;  ///< + param offset
constexpr uint64_t kWindowBytes = uint64_t(1) << 32;
constexpr uint64_t kGlobalBase = 0x0000'7010'0000'0000; ///< First allocation.

enum class MemSpace : uint8_t { Global, Shared };
enum class Proxy : uint8_t { Generic, Async, Tensormap };
enum class Scope : uint8_t { Cta, Cluster, Gpu, Sys };
enum class Order : uint8_t {
  Weak,
  Volatile,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  SeqCst
};

/// One warp-wide access of the generic proxy. `address[lane]` counts for lanes
/// in `mask` only. Vector accesses come as one access of all their bytes.
struct Access {
  Warp &warp;
  uint32_t line;
  uint32_t mask;
  const uint64_t *address;
  uint32_t bytes;     ///< Of one lane: 1 to 32.
  uint32_t alignment; ///< What the address must be a multiple of.
  MemSpace space;
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
};

struct FenceInfo {
  enum class Kind : uint8_t {
    Memory,     ///< fence.sc / acq_rel / acquire / release, membar
    ProxyAsync, ///< fence.proxy.async{.global,.shared::cta,.shared::cluster}
    ProxyAlias, ///< fence.proxy.alias
    ProxyTensormap, ///< fence.proxy.tensormap::generic.acquire/.release
    MBarrierInit    ///< fence.mbarrier_init.release.cluster
  };
  Kind kind = Kind::Memory;
  Order order = Order::SeqCst;
  Scope scope = Scope::Gpu;
  bool global = true, shared = true; ///< Which spaces it covers.
};

/// Device memory of a run: buffers, module variables, constants.
class GlobalMemory {
public:
  virtual ~GlobalMemory() = default;
  /// Reserves an allocation between guard zones. `init` may be shorter than
  /// `bytes`; what it does not cover is poison if `poison`, else zero.
  virtual uint64_t allocate(llvm::StringRef name, uint64_t bytes,
                            uint64_t align, llvm::ArrayRef<uint8_t> init,
                            bool poison, bool readOnly) = 0;
  /// Host copies outside any kernel.
  virtual void write(uint64_t address, llvm::ArrayRef<uint8_t> bytes) = 0;
  virtual void read(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) = 0;
  /// Which bytes hold values: a byte for each, not 0 if so. Those of the range
  /// that do not become poison.
  virtual void setDefined(uint64_t address,
                          llvm::ArrayRef<uint8_t> defined) = 0;
  virtual void getDefined(uint64_t address,
                          llvm::MutableArrayRef<uint8_t> defined) = 0;
  /// After a run: CTAs share bytes, so that their order matters.
  virtual bool needsOrder() const = 0;
  /// Before a run, on one host thread: it checks that order for the bytes that
  /// the run on `first` found.
  virtual void checkOrder(GlobalMemory &first) = 0;
};

/// Clocks that a barrier gathers from those that arrive; opaque to the core.
class SyncObject {
public:
  virtual ~SyncObject() = default;
};

/// Memory as one cluster sees it, with its checks. Every function that returns
/// bool returns false when it reported a finding that ends the run (out of
/// bounds, misaligned); races and poison are reported and execution goes on.
class MemoryModel {
public:
  virtual ~MemoryModel() = default;

  /// Gives a CTA its poisoned shared memory [kSharedBase, kSharedBase+bytes).
  virtual void addCta(Cta &cta, uint32_t sharedBytes) = 0;
  /// Bytes outside the happens-before model, for initialised .shared variables
  /// (not legal PTX for kernels, but harmless) and for tests.
  virtual uint8_t *sharedBytes(Cta &cta) = 0;

  /// `data` holds `bytes` for each lane, lane after lane (32 * bytes).
  virtual bool load(const Access &access, uint8_t *data) = 0;
  virtual bool store(const Access &access, const uint8_t *data) = 0;
  /// Lane by lane in ascending order: `update` reads the cell's bytes and may
  /// overwrite them, all as one indivisible step. A lane for which it returns
  /// false wrote nothing (a failed compare-and-swap).
  virtual bool
  atomic(const Access &access,
         llvm::function_ref<bool(unsigned lane, uint8_t *cell)> update) = 0;

  virtual void fence(Warp &warp, uint32_t mask, uint32_t line,
                     const FenceInfo &info) = 0;
  /// The lanes of `mask` met (bar.warp.sync): each is ordered after the others.
  virtual void warpSync(Warp &warp, uint32_t mask) = 0;

  /// Barriers: arrive() by each party in any order; when the barrier completes
  /// the core calls depart() for each party that waits, then reset().
  virtual std::unique_ptr<SyncObject> createSync() = 0;
  virtual void arrive(SyncObject &sync, Warp &warp, uint32_t mask,
                      Scope scope) = 0;
  virtual void depart(SyncObject &sync, Warp &warp, uint32_t mask,
                      Scope scope) = 0;
  virtual void reset(SyncObject &sync) = 0;
  /// The lanes arrive at the cluster's barrier without handing over what they
  /// know.
  virtual void metRelaxed(Warp &warp, uint32_t mask) {}

  /// The lanes of `mask` end.
  virtual void exited(Warp &warp, uint32_t mask) {}
  /// All warps of the CTA ended; its shared memory is no longer there.
  virtual void ctaEnded(Cta &cta) {}
};

/// lib/PTXSim/Memory provides these two.
std::unique_ptr<GlobalMemory> createGlobalMemory(Grid &grid);
std::unique_ptr<MemoryModel> createMemoryModel(Cluster &cluster,
                                               GlobalMemory &global);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_MEMORY_H
