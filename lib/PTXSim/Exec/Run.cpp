//===- Run.cpp - One launch, from checked arguments to the report
//-----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Interpreter.h"
#include "PTXSim/Exec/LaunchChecks.h"
#include "PTXSim/Parse/Parser.h"

#include <mutex>
#include <thread>

using namespace llvm;

namespace attn::ptx {

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

Expected<Module> Module::parse(StringRef text) {
  Expected<ir::Module> parsed = Parser(text).run();
  if (!parsed)
    return parsed.takeError();
  Module result;
  result.impl = std::make_shared<const ir::Module>(std::move(*parsed));
  return result;
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (auto &function : impl->functions)
    if (function->isKernel && !function->isDeclaration)
      names.push_back(function->name.str());
  return names;
}

std::vector<KernelParameter> Module::parameters(StringRef kernel) const {
  const ir::Function *function = impl->findFunction(kernel);
  return function && function->isKernel ? layoutParameters(*function)
                                        : std::vector<KernelParameter>();
}

std::string Module::target() const { return impl->target; }

//===----------------------------------------------------------------------===//
// Running clusters
//===----------------------------------------------------------------------===//

namespace {
using Clock = std::chrono::steady_clock;

/// What is kept of a cluster when it is done.
struct Outcome {
  std::vector<Finding> findings, notes;
  Counts counts;
};

class GridRun {
public:
  GridRun(Grid &grid, uint64_t clusters)
      : grid(grid), clusters(clusters),
        opcodes(grid.program->opcodeNames.size()),
        deadline(Clock::now() +
                 std::chrono::seconds(grid.options->maxSeconds)) {}

  void run() {
    if (grid.program->communicates)
      runInTurn();
    else
      runInParallel();
  }
  Report report();
  /// Every cluster came to its end.
  bool completed() const { return finished == clusters; }

private:
  void keep(ClusterRun &run, uint64_t index);
  void merge(uint64_t index, Outcome &outcome);
  void addFindings(std::vector<Finding> &sum,
                   std::vector<Finding> &findings) const;
  /// Later clusters no longer matter: what is reported are the findings up to
  /// the first cluster that failed.
  void failedAt(uint64_t index) {
    uint64_t seen = firstFailure;
    while (index < seen && !firstFailure.compare_exchange_weak(seen, index)) {
    }
  }
  void runCluster(uint64_t index);
  void runInParallel();
  void runInTurn();

  Grid &grid;
  uint64_t clusters;
  /// Sums over the clusters up to `merged`, and those that ended before their
  /// turn: sums in the order of clusters are the same for all host threads.
  std::mutex lock;
  uint64_t merged = 0;
  std::map<uint64_t, Outcome> waiting;
  Report sum;
  std::vector<uint64_t> opcodes;
  Clock::time_point deadline;
  std::atomic<uint64_t> next{0}, firstFailure{~0ull}, finished{0};
  std::atomic<bool> timeout{false};
};

void GridRun::runCluster(uint64_t index) {
  ClusterRun run(grid, index);
  ClusterState state;
  do
    state = run.run(~0ull >> 1, timeout, deadline);
  while ((state == ClusterState::Running && !timeout) ||
         (state == ClusterState::Stuck && run.breakMeeting()));
  if (state == ClusterState::Stuck)
    run.reportDeadlock();
  else if (state == ClusterState::Running)
    run.reportTimeout(grid.options->maxSeconds);
  if (state != ClusterState::Done)
    failedAt(index);
  else
    ++finished;
  keep(run, index);
}

void GridRun::runInParallel() {
  unsigned threads = grid.options->threads;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  threads = unsigned(std::min<uint64_t>(threads, clusters));
  auto work = [&] {
    for (uint64_t index = next++; index < clusters; index = next++)
      if (index < firstFailure && !timeout)
        runCluster(index);
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

/// CTAs that communicate run interleaved on one thread, a window of them at a
/// time as on a GPU with that many places.
void GridRun::runInTurn() {
  constexpr uint64_t window = 256, slice = 2000;
  std::vector<std::pair<uint64_t, std::unique_ptr<ClusterRun>>> resident;
  uint64_t started = 0;
  while (started < clusters || !resident.empty()) {
    while (started < clusters && resident.size() < window) {
      resident.push_back(
          {started, std::make_unique<ClusterRun>(grid, started)});
      ++started;
    }
    bool allStuck = true;
    for (size_t i = 0; i < resident.size();) {
      auto &[index, run] = resident[i];
      uint64_t before = run->cluster->progress;
      ClusterState state = run->run(slice, timeout, deadline);
      bool moved = run->cluster->progress != before;
      allStuck &= state == ClusterState::Stuck && !moved;
      if (moved)
        for (auto &other : resident)
          if (other.second != run)
            other.second->wake();
      if (timeout) {
        run->reportTimeout(grid.options->maxSeconds);
        failedAt(index);
        keep(*run, index);
        return;
      }
      if (state == ClusterState::Faulted)
        failedAt(index);
      finished += state == ClusterState::Done;
      if (state == ClusterState::Done || state == ClusterState::Faulted) {
        keep(*run, index);
        resident.erase(resident.begin() + i);
        if (state == ClusterState::Faulted)
          return;
        continue;
      }
      ++i;
    }
    if (allStuck && !resident.empty() && llvm::none_of(resident, [](auto &run) {
          return run.second->breakMeeting();
        })) {
      for (auto &[index, run] : resident) {
        run->reportDeadlock();
        keep(*run, index);
      }
      return;
    }
  }
}

void GridRun::keep(ClusterRun &run, uint64_t index) {
  std::lock_guard<std::mutex> guard(lock);
  waiting[index] = {std::move(run.cluster->diagnostics.findings),
                    std::move(run.cluster->diagnostics.notes),
                    std::move(run.counts)};
  while (!waiting.empty() && waiting.begin()->first == merged) {
    merge(merged++, waiting.begin()->second);
    waiting.erase(waiting.begin());
  }
}

void GridRun::addFindings(std::vector<Finding> &sum,
                          std::vector<Finding> &findings) const {
  for (Finding &finding : findings) {
    auto known = llvm::find_if(sum, [&](const Finding &other) {
      return other.kind == finding.kind && other.line == finding.line &&
             other.otherLine == finding.otherLine;
    });
    if (known != sum.end())
      known->count += finding.count;
    else if (sum.size() < grid.options->maxFindings)
      sum.push_back(std::move(finding));
  }
}

void GridRun::merge(uint64_t index, Outcome &outcome) {
  if (index > firstFailure && !grid.program->communicates)
    return;
  addFindings(sum.findings, outcome.findings);
  addFindings(sum.notes, outcome.notes);
  sum.warpInstructions += outcome.counts.warpInstructions;
  sum.laneInstructions += outcome.counts.laneInstructions;
  for (size_t i = 0; i != outcome.counts.opcodes.size(); ++i)
    opcodes[i] += outcome.counts.opcodes[i];
  for (auto &[line, profile] : outcome.counts.lines)
    sum.lines[line] += profile;
}

Report GridRun::report() {
  for (auto &[index, outcome] : waiting)
    merge(index, outcome);
  waiting.clear();
  for (size_t i = 0; i != opcodes.size(); ++i)
    if (opcodes[i])
      sum.opcodes[grid.program->opcodeNames[i]] += opcodes[i];
  return std::move(sum);
}

/// One run of the kernel. `first`: an earlier one found that CTAs share memory,
/// and this one checks their order.
struct Attempt {
  Attempt(const Launch &launch, const Options &options) : options(options) {
    grid.launch = &launch;
    grid.options = &this->options;
  }
  Error prepare(const Module &module, const ir::Function &kernel);
  void writeBack();

  Options options;
  Grid grid;
  std::unique_ptr<Program> program;
};

Error Attempt::prepare(const Module &module, const ir::Function &kernel) {
  const Launch &launch = *grid.launch;
  grid.clusterShape = clusterShape(kernel, launch);
  grid.memory = createGlobalMemory(grid);
  for (const Buffer &buffer : launch.buffers) {
    bool hasValues = buffer.initialised || buffer.defined;
    ArrayRef<uint8_t> init(static_cast<const uint8_t *>(buffer.data),
                           hasValues ? buffer.bytes : 0);
    grid.bufferAddresses.push_back(grid.memory->allocate(
        buffer.name, buffer.bytes, 256, init, !hasValues, buffer.readOnly));
    if (buffer.defined)
      grid.memory->setDefined(grid.bufferAddresses.back(),
                              {buffer.defined, buffer.bytes});
  }
  if (Error error = packParameters(kernel, grid))
    return error;
  auto decoded =
      decodeProgram(module.ir(), kernel, launch,
                    uint32_t(grid.clusterShape.count()), *grid.memory);
  if (!decoded)
    return decoded.takeError();
  program = std::move(*decoded);
  grid.program = program.get();
  grid.sharedBytes = uint32_t(std::max<uint64_t>(
      program->staticSharedEnd - kSharedBase,
      program->dynamicSharedBegin - kSharedBase + launch.dynamicShared));
  return Error::success();
}

void Attempt::writeBack() {
  for (auto [buffer, address] :
       llvm::zip(grid.launch->buffers, grid.bufferAddresses)) {
    if (buffer.readOnly)
      continue;
    grid.memory->read(address,
                      {static_cast<uint8_t *>(buffer.data), buffer.bytes});
    if (buffer.defined)
      grid.memory->getDefined(address, {buffer.defined, buffer.bytes});
  }
}
} // namespace

/// Most kernels need one run. Where CTAs share memory, the second follows the
/// same schedule and has the bytes in question to look at.
Expected<Report> run(const Module &module, const Launch &launch,
                     const Options &options) {
  auto start = Clock::now();
  Expected<const ir::Function *> kernel = checkLaunch(module, launch);
  if (!kernel)
    return kernel.takeError();
  auto attempt = std::make_unique<Attempt>(launch, options);
  if (Error error = attempt->prepare(module, **kernel))
    return std::move(error);
  uint64_t clusters = launch.grid.count() / attempt->grid.clusterShape.count();
  auto gridRun = std::make_unique<GridRun>(attempt->grid, clusters);
  gridRun->run();
  if (gridRun->completed() && attempt->grid.memory->needsOrder()) {
    auto second = std::make_unique<Attempt>(launch, options);
    second->options.threads = 1;
    second->options.maxSeconds = ~0ull >> 32;
    if (Error error = second->prepare(module, **kernel))
      return std::move(error);
    second->grid.memory->checkOrder(*attempt->grid.memory);
    attempt = std::move(second);
    gridRun = std::make_unique<GridRun>(attempt->grid, clusters);
    gridRun->run();
  }
  attempt->writeBack();
  Report report = gridRun->report();
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

} // namespace attn::ptx
