//===- PTXSim.h - Run PTX kernels on the CPU and report what is wrong
//-------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole public interface of the simulator: load PTX text, describe a
// launch, run it under one schedule, read the report. A run changes nothing
// but the bytes of the launch's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_PTXSIM_PTXSIM_H
#define ATTN_PTXSIM_PTXSIM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace attn::ptx {

namespace ir {
struct Module;
} // namespace ir

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// One parameter of a kernel as its declaration says.
struct KernelParameter {
  std::string name;
  std::string type; ///< As written: "u64", "f32", "b8" (an array), ...
  uint64_t bytes = 0;
  uint64_t offset = 0; ///< In the kernel's parameter block.
  uint64_t align = 1;
};

/// Parsed PTX. Immutable, cheap to copy, may be run from several threads.
class Module {
public:
  /// Errors name the line and the token: "12: unknown instruction 'foo'".
  static llvm::Expected<Module> parse(llvm::StringRef text);

  std::vector<std::string> kernels() const;
  /// Empty when there is no such kernel.
  std::vector<KernelParameter> parameters(llvm::StringRef kernel) const;
  std::string target() const; ///< "sm_90a"

  const ir::Module &ir() const { return *impl; }

private:
  std::shared_ptr<const ir::Module> impl;
};

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// What cuTensorMapEncodeTiled is told; innermost dimension first.
struct TensorMap {
  enum class Type : uint8_t {
    U8,
    U16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
    BF16,
    F32FTZ,
    TF32,
    TF32FTZ
  };
  enum class Swizzle : uint8_t { None, B32, B64, B128 };
  enum class Interleave : uint8_t { None, B16, B32 };

  Type type = Type::F32;
  uint32_t rank = 1;
  /// Index in Launch::buffers and where in it the tensor starts.
  size_t buffer = 0;
  uint64_t byteOffset = 0;
  std::array<uint64_t, 5> dims{};
  std::array<uint64_t, 4> strides{}; ///< Bytes, of dimensions 1 to rank-1.
  std::array<uint32_t, 5> box{};
  std::array<uint32_t, 5> elementStrides{1, 1, 1, 1, 1};
  Swizzle swizzle = Swizzle::None;
  Interleave interleave = Interleave::None;
  bool oobNaN = false; ///< Fill outside the tensor with NaN instead of zero.
};

/// Memory that kernels reach through a pointer. It lies at a 256-byte aligned
/// device address between guard zones; `data` is copied in and written back.
struct Buffer {
  std::string name;
  void *data = nullptr;
  size_t bytes = 0;
  bool initialised = true; ///< false: every byte is poison until written.
  bool readOnly = false;   ///< A write is a finding.
  /// A byte for each byte: not 0 where it holds a value, before the run and
  /// after it. With it `initialised` says nothing. What launches share keeps
  /// its poison from one to the next.
  uint8_t *defined = nullptr;
};

/// One kernel argument, matched with the parameter at the same position.
struct Argument {
  enum class Kind : uint8_t { Bytes, Buffer, TensorMap };
  Kind kind = Kind::Bytes;
  std::vector<uint8_t> bytes; ///< Kind::Bytes: by value; must have its size.
  size_t buffer = 0;          ///< Kind::Buffer: index in Launch::buffers.
  uint64_t byteOffset = 0;    ///< Kind::Buffer: added to its address.
  TensorMap map;              ///< Kind::TensorMap: a 128-byte parameter.
  /// Kind::Bytes, a struct by value: what lies in it at `offset` is the device
  /// address of a buffer or a tensor map (at a multiple of 64).
  struct Field {
    uint64_t offset = 0;
    Kind kind = Kind::Buffer;
    size_t buffer = 0;
    uint64_t byteOffset = 0;
    TensorMap map;
  };
  std::vector<Field> fields;

  template <typename T> static Argument scalar(T value) {
    Argument result;
    const auto *begin = reinterpret_cast<const uint8_t *>(&value);
    result.bytes.assign(begin, begin + sizeof(T));
    return result;
  }
  static Argument pointer(size_t buffer, uint64_t byteOffset = 0) {
    Argument result;
    result.kind = Kind::Buffer;
    result.buffer = buffer;
    result.byteOffset = byteOffset;
    return result;
  }
  static Argument tensorMap(const TensorMap &map) {
    Argument result;
    result.kind = Kind::TensorMap;
    result.map = map;
    return result;
  }
};

struct Launch {
  std::string kernel; ///< May be empty when the module has one kernel.
  Dim3 grid, block;
  Dim3 cluster; ///< 1,1,1: what .reqnctapercluster says, or none.
  uint64_t dynamicShared = 0;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// When asynchronous operations complete and in which order warps run.
struct Schedule {
  enum class Kind : uint8_t { Seeded, Earliest, Latest };
  Kind kind = Kind::Seeded;
  uint64_t seed = 0;

  static Schedule seeded(uint64_t seed) { return {Kind::Seeded, seed}; }
  static Schedule earliest() { return {Kind::Earliest, 0}; }
  static Schedule latest() { return {Kind::Latest, 0}; }
};

struct Options {
  Schedule schedule;
  unsigned threads = 1;      ///< Host threads; 0: all. Never changes a result.
  uint64_t maxSeconds = 60;  ///< Then the run ends as Timeout.
  uint64_t maxFindings = 32; ///< Distinct (kind, line) pairs kept.
  uint64_t maxInstructions = ~0ull; ///< Warp instructions in one CTA.
  bool checkRaces = true;           ///< Happens-before tracking.
  bool strict = false;              ///< Report::notes become findings.
  bool profile = false;             ///< Counts, bank conflicts, coalescing.
};

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

enum class FindingKind : uint8_t {
  Race,              ///< Two unordered accesses, one a write.
  MissingProxyFence, ///< Ordered, but across proxies without a fence.
  InFlight,          ///< Bytes or registers of an unfinished async operation.
  Uninitialised,     ///< A read of poison.
  OutOfBounds,       ///< Outside every allocation, or outside the right one.
  Misaligned,
  ReadOnly,         ///< A write to constant or read-only memory.
  DivergentAligned, ///< An .aligned instruction without all lanes.
  BarrierMisuse,    ///< Wrong counts, ids, sizes; arrival overflow, ...
  AsyncMisuse,      ///< Group and protocol errors of async operations.
  BadDescriptor,    ///< wgmma descriptor or tensor map not legal or matching.
  RegisterMisuse,   ///< setmaxnreg and the like.
  Trap,             ///< trap, or brkpt.
  Deadlock,         ///< Nothing can run any more, spinning included.
  Timeout,          ///< Options::maxSeconds or maxInstructions.
  Unsupported,      ///< An instruction or a form outside the list.
  Fault,            ///< Anything else a GPU would stop for.
};
llvm::StringRef toString(FindingKind kind);

/// State of one barrier when a deadlock or misuse was found.
struct BarrierState {
  std::string name;  ///< "named barrier 1 of CTA (0,0,0)", "mbarrier 0x400".
  std::string state; ///< "phase 0, pending arrivals 1 of 1, tx 0 bytes".
};

struct Finding {
  FindingKind kind = FindingKind::Fault;
  uint32_t line = 0;      ///< PTX line of the instruction; 0: none.
  uint32_t otherLine = 0; ///< The other access of a race; 0: none.
  std::string message;    ///< One or more full sentences.
  Dim3 cta{0, 0, 0};
  uint32_t warp = 0, lane = 0;
  uint64_t count = 1; ///< How often the same (kind, line, otherLine) occurred.
  std::vector<BarrierState> barriers;
};

/// Counts of one PTX line, filled with Options::profile.
struct LineProfile {
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
  uint64_t sharedAccesses = 0;   ///< Warp-wide shared-memory requests ...
  uint64_t sharedWavefronts = 0; ///< ... and the passes they took.
  uint64_t sharedIdealWavefronts = 0;
  uint64_t globalAccesses = 0; ///< Warp-wide global-memory requests ...
  uint64_t globalSectors = 0;  ///< ... and 32-byte sectors they touched.
  uint64_t globalIdealSectors = 0;

  LineProfile &operator+=(const LineProfile &other) {
    warpInstructions += other.warpInstructions;
    laneInstructions += other.laneInstructions;
    sharedAccesses += other.sharedAccesses;
    sharedWavefronts += other.sharedWavefronts;
    sharedIdealWavefronts += other.sharedIdealWavefronts;
    globalAccesses += other.globalAccesses;
    globalSectors += other.globalSectors;
    globalIdealSectors += other.globalIdealSectors;
    return *this;
  }
};

struct Report {
  std::vector<Finding> findings; ///< In an order threads do not change.
  /// What the PTX ISA asks for, but compilers leave out because no GPU so far
  /// needs it.
  std::vector<Finding> notes;
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
  std::map<std::string, uint64_t> opcodes; ///< Warp instructions by opcode.
  std::map<uint32_t, LineProfile> lines;
  double seconds = 0;

  bool clean() const { return findings.empty(); }
  void print(llvm::raw_ostream &os) const;
};

/// Runs one launch. An Error is bad input (no such kernel, argument count or
/// size, launch limits, tensor map); what the kernel does wrong is in the
/// Report. Buffers are written back in both clean and faulty runs.
llvm::Expected<Report> run(const Module &module, const Launch &launch,
                           const Options &options = {});

} // namespace attn::ptx

#endif // ATTN_PTXSIM_PTXSIM_H
