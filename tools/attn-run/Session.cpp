//===- Session.cpp - One run of attn-run ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Arguments.h"
#include "Dumper.h"
#include "Report.h"
#include "attn/Compiler/CompiledProgram.h"
#include "attn/Compiler/Emulation.h"
#include "attn/Compiler/TileEmulation.h"
#include "attn/InitAll.h"
#include "attn/Support/NumpyFile.h"
#include "attn/Support/Stopwatch.h"
#include "mlir/IR/MLIRContext.h"

using namespace attn;
using namespace attn::run;
using llvm::Expected;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerBackendTranslations(registry);
  return registry;
}

/// The arrays of --expect, or none without it.
static Expected<std::vector<HostArray>> readExpected(const Options &options,
                                                     const Program &program) {
  if (options.expect.empty())
    return std::vector<HostArray>();
  return readArrays({options.expect}, "out", program.outputs);
}

/// Compiles, and writes what each phase made where that was asked for.
static Expected<CompiledProgram> compile(Program &program,
                                         llvm::ArrayRef<HostArray> arguments,
                                         const Options &options, Phases &phases,
                                         Dumper &dumper, PhaseTexts &texts,
                                         const EntryLoader &loader) {
  LoweringOptions lowering;
  lowering.target = options.target;
  lowering.portable = options.portable;
  lowering.innerChecks = options.innerChecks;
  lowering.threads = options.threads;
  lowering.profile = options.profile && !options.simulateSeeds;
  lowering.tool = "attn-run";
  lowering.beforePhase = [&](const char *name) { phases.enter(name); };
  lowering.afterPhase = [&](llvm::StringRef phase, mlir::ModuleOp module) {
    texts.add(phase, module);
    return dumper.dump(phase, module);
  };
  DumpText dump;
  if (dumper.isOn())
    dump = [&](llvm::StringRef step, llvm::StringRef extension,
               llvm::function_ref<void(llvm::raw_ostream &)> print) {
      return dumper.write(step, extension, print);
    };
  return compileProgram(program, arguments, lowering, dump, loader);
}

/// How compiled code becomes callable: by default in this process. `tiles` is
/// made where the loader needs it.
static Expected<EntryLoader> makeLoader(const Options &options,
                                        const TargetDescription &target,
                                        std::unique_ptr<TileEmulation> &tiles) {
  if (options.emulator == TileEmulation::kName) {
    auto made = TileEmulation::create(target);
    if (!made)
      return made.takeError();
    tiles = std::move(*made);
    return tiles->getLoader();
  }
  if (!options.emulator.empty())
    return createEmulatedLoader(target, options.emulator, options.threads);
  if (llvm::Error error = getBackend(target).checkHost(target))
    return std::move(error);
  return EntryLoader();
}

static double countBytes(llvm::ArrayRef<HostArray> arrays) {
  double bytes = 0;
  for (const HostArray &array : arrays)
    bytes += array.getNumBytes();
  return bytes;
}

/// The files that were asked for.
static llvm::Error writeFiles(const Options &options, const Report &report,
                              const PhaseTexts &texts,
                              std::vector<HostArray> &results) {
  if (!options.report.empty())
    if (llvm::Error error = writePage(report, texts, options))
      return error;
  if (!options.json.empty())
    if (llvm::Error error = writeJSON(report, options))
      return error;
  if (options.output.empty())
    return llvm::Error::success();
  std::vector<NamedArray> named;
  for (auto [index, result] : llvm::enumerate(results))
    named.push_back({"out" + std::to_string(index), std::move(result)});
  return writeNpz(options.output, named);
}

/// Runs the program once, or in the simulator once for each schedule.
static Expected<std::unique_ptr<Execution>>
execute(const CompiledProgram &compiled, const Program &program,
        std::vector<HostArray> &arguments, ExecutionDevice &device,
        const Options &options, Report &report) {
  if (options.simulateSeeds)
    return simulate(compiled, program, arguments, device,
                    *options.simulateSeeds, report.simulation.emplace());
  return Execution::runOnce(compiled, program, arguments, device);
}

/// --interpret: the program after passes, in the reference as the program is.
static Expected<bool> compareInterpreted(const Options &options,
                                         Program &program,
                                         llvm::ArrayRef<HostArray> arguments) {
  Report report;
  report.entry = program.entry.getSymName().str();
  report.target = "interpreted";
  Expected<Program> other = loadProgram(options.interpret, report.entry,
                                        *program.module->getContext());
  if (!other)
    return other.takeError();
  Expected<Verifier> verifier =
      Verifier::create(program.entry, arguments, options.check);
  if (!verifier)
    return verifier.takeError();
  auto comparisons = verifier->compare(other->entry);
  if (!comparisons)
    return comparisons.takeError();
  report.comparisons = std::move(*comparisons);
  printReport(report, options, llvm::outs());
  return report.isGood();
}

/// What results are compared with, or nothing where they are not.
static Expected<std::optional<Verifier>>
createVerifier(const Options &options, mlir::func::FuncOp entry,
               llvm::ArrayRef<HostArray> arguments, Phases &phases) {
  if (!options.check && options.expect.empty())
    return std::optional<Verifier>();
  phases.enter("reference");
  auto verifier = Verifier::create(entry, arguments, options.check);
  if (!verifier)
    return verifier.takeError();
  return std::optional<Verifier>(std::move(*verifier));
}

static llvm::Error compareResults(const Options &options,
                                  std::optional<Verifier> &verifier,
                                  llvm::ArrayRef<HostArray> results,
                                  llvm::ArrayRef<HostArray> expected,
                                  Phases &phases, Report &report) {
  if (!verifier)
    return llvm::Error::success();
  phases.enter("compare");
  auto comparisons = verifier->compare(results, expected, options.check);
  if (!comparisons)
    return comparisons.takeError();
  report.comparisons = std::move(*comparisons);
  return llvm::Error::success();
}

/// Times the kernel and its steps, as far as that was asked for.
static llvm::Error measureRun(const Options &options,
                              const TargetDescription &target,
                              const CompiledProgram &compiled,
                              Execution &execution,
                              llvm::ArrayRef<HostArray> arguments,
                              Phases &phases, Report &report) {
  if (options.benchSeconds) {
    phases.enter("bench");
    Expected<Measurement> measurement =
        target.gpu ? measureOnGPU(execution, *options.benchSeconds)
                   : measure(execution, arguments, target, options.threads,
                             *options.benchSeconds);
    if (!measurement)
      return measurement.takeError();
    report.measurement = *measurement;
  }
  if (compiled.stepCounts) {
    phases.enter("profile");
    constexpr double minSeconds = 0.3;
    auto profile = profileSteps(execution, compiled, minSeconds);
    if (!profile)
      return profile.takeError();
    report.profile = std::move(*profile);
  }
  return llvm::Error::success();
}

/// What is known of the run, the target and the program.
static void describeRun(const Options &options, Phases &phases,
                        const TargetDescription &target, const Program &program,
                        const CompiledProgram &compiled,
                        llvm::ArrayRef<HostArray> arguments,
                        llvm::ArrayRef<HostArray> results, Report &report) {
  phases.enter("report");
  report.phases = phases.getTimes().vec();
  report.threads = options.threads;
  report.target = target.name;
  report.cpuFeatures = target.features;
  report.kernels = compiled.kernels;
  report.remarks = compiled.remarks;
  report.flops = compiled.flops;
  report.bytes = countBytes(arguments);
  for (auto [result, input] : llvm::zip(results, program.inOut))
    report.bytes += input ? 0 : countBytes(result);
}

Expected<bool> attn::run::runSession(const Options &options) {
  Expected<TargetDescription> target = parseTargetDescription(options.target);
  if (!target)
    return target.takeError();
  const Backend &backend = getBackend(*target);
  std::unique_ptr<TileEmulation> tiles;
  auto loader = makeLoader(options, *target, tiles);
  if (!loader)
    return loader.takeError();
  auto device = backend.createDevice(
      *target,
      {options.threads, options.simulateSeeds.has_value(), options.profile});
  if (!device)
    return device.takeError();

  Phases phases("attn-run");
  phases.enter("parse");
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Stopwatch parsing;
  Expected<Program> program = loadProgram(options.file, options.entry, context);
  if (!program)
    return program.takeError();
  double parseSeconds = parsing.getSeconds();
  phases.enter("arguments");
  auto arguments = makeArguments(options, *program);
  if (!arguments)
    return arguments.takeError();
  if (!options.interpret.empty())
    return compareInterpreted(options, *program, *arguments);
  auto expected = readExpected(options, *program);
  if (!expected)
    return expected.takeError();

  // The reference sees the module before any pass does.
  mlir::OwningOpRef<mlir::ModuleOp> original = program->module->clone();
  Report report;
  report.entry = program->entry.getSymName().str();
  Dumper dumper(options.dumpDir, options.file);
  PhaseTexts texts(!options.report.empty());
  Stopwatch compiling;
  Expected<CompiledProgram> compiled =
      compile(*program, *arguments, options, phases, dumper, texts, *loader);
  if (!compiled)
    return compiled.takeError();
  double compileSeconds =
      compiling.getSeconds() - dumper.getSeconds() - texts.getSeconds();
  // Before the kernel: it says what is wrong with arguments in the words of the
  // program.
  auto verifier = createVerifier(
      options, original->lookupSymbol<mlir::func::FuncOp>(report.entry),
      *arguments, phases);
  if (!verifier)
    return verifier.takeError();
  phases.enter("run");
  auto execution =
      execute(*compiled, *program, *arguments, **device, options, report);
  if (!execution)
    return execution.takeError();

  if (llvm::Error error =
          compareResults(options, *verifier, (*execution)->getResults(),
                         *expected, phases, report))
    return std::move(error);
  if (llvm::Error error = measureRun(options, *target, *compiled, **execution,
                                     *arguments, phases, report))
    return std::move(error);

  report.compileSeconds = parseSeconds + compileSeconds;
  describeRun(options, phases, *target, *program, *compiled, *arguments,
              (*execution)->getResults(), report);
  if (tiles)
    report.tiles = {tiles->isEmulated(), tiles->getCounts(), tiles->getFault()};
  printReport(report, options, llvm::outs());
  if (llvm::Error error =
          writeFiles(options, report, texts, (*execution)->getResults()))
    return std::move(error);
  return report.isGood();
}
