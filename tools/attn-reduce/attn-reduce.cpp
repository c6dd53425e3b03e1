//===- attn-reduce.cpp - Makes a file smaller while it is interesting -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/Compiler/Errors.h"
#include "attn/Compiler/InputFile.h"
#include "attn/InitAll.h"
#include "attn/Support/CrashGuard.h"
#include "attn/Support/OutputFiles.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace attn;
using llvm::createStringError;
namespace cl = llvm::cl;

constexpr const char *kTool = "attn-reduce";

static llvm::Expected<std::string> findTest(const std::string &name) {
  if (name.empty())
    return createStringError("--test=PROGRAM says which files are interesting");
  llvm::SmallString<128> path(name);
  if (llvm::sys::fs::can_execute(path)) {
    llvm::sys::fs::make_absolute(path);
    return path.str().str();
  }
  // A name with a folder is found as it is, whether it is there or not.
  if (!llvm::sys::path::has_parent_path(name))
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return createStringError("--test=" + name + ": no such program that may run");
}

static llvm::Error reduceFile(mlir::MLIRContext &context,
                              const std::string &input,
                              const std::string &output,
                              const mlir::Tester &tester) {
  auto buffer = readInputFile(input);
  if (!buffer)
    return buffer.takeError();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      (*buffer)->getBuffer(), &context, (*buffer)->getBufferIdentifier());
  if (!module)
    return createStringError(input + " is no module");
  if (tester.isInteresting(*module).first !=
      mlir::Tester::Interestingness::True)
    return createStringError(
        input + " is not interesting: the test ends with 0 for it. It has to "
                "end with another status for files that show the fault");
  reduce::Reductions reductions;
  reduce::addOpReductions(reductions);
  reduce::addPolicyReductions(reductions);
  reduce::addTypeReductions(reductions);
  unsigned before = reduce::countOps(*module);
  reduce::ReductionCounts counts;
  module = reduce::reduceModule(std::move(module), reductions, tester, counts,
                                [](llvm::StringRef name, unsigned ops) {
                                  llvm::errs() << "  " << name << ": " << ops
                                               << " ops left\n";
                                });
  llvm::errs() << kTool << ": " << before << " ops became "
               << reduce::countOps(*module) << ", " << counts.kept << " of "
               << counts.tried << " changes kept\n";
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  return writeOutput(output, std::move(text));
}

int main(int argc, char **argv) {
  CrashGuard guard(kTool, argc, argv);
  removeForeignFlags();
  cl::opt<std::string> input(cl::Positional,
                             cl::desc("FILE.mlir, or - for standard input"),
                             cl::Required);
  cl::opt<std::string> output("o", cl::desc("Where the smaller file goes"),
                              cl::value_desc("file"), cl::init("-"));
  cl::opt<std::string> test(
      "test",
      cl::desc("Program that gets a file as its last argument, and ends with "
               "another status than 0 if the file shows the fault"),
      cl::value_desc("program"));
  cl::list<std::string> arguments(
      "test-arg", cl::desc("Argument of the program, before the file"),
      cl::value_desc("text"));
  if (llvm::Error error =
          parseFlags(argc, argv,
                     "Makes a module smaller while a test finds it "
                     "interesting: functions, ops, policies, sizes, types\n"))
    return reportFailure(kTool, std::move(error));
  auto program = findTest(test);
  if (!program)
    return reportFailure(kTool, program.takeError());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (llvm::Error error =
          reduceFile(context, input, output, mlir::Tester(*program, words)))
    return reportFailure(kTool, std::move(error));
  return 0;
}
