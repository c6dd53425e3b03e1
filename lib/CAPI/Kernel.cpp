//===- Kernel.cpp - Compiles entries into this process --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "Description.h"

using namespace attn;
using namespace attn::capi;
namespace json = llvm::json;

/// The one exported function may have another name in C.
static llvm::Error rename(std::vector<CompiledEntry> &entries,
                          llvm::StringRef name) {
  if (name.empty())
    return llvm::Error::success();
  if (entries.size() > 1)
    return llvm::createStringError(
        "the option 'name' is for one function: choose it by 'entry'");
  entries.front().name = name.str();
  return llvm::Error::success();
}

static void writeRemarks(json::OStream &os,
                         llvm::ArrayRef<CompilerMessage> remarks) {
  os.attributeArray("remarks", [&] {
    for (const CompilerMessage &remark : remarks)
      os.object([&] {
        os.attribute("id", remark.id);
        os.attribute("kind", getRemarkKindName(remark.id));
        os.attribute("text", json::fixUTF8(remark.text));
        os.attribute("file", json::fixUTF8(remark.file));
        os.attribute("line", remark.line);
      });
  });
}

static std::string describe(const CompiledModule &compiled,
                            llvm::ArrayRef<CompilerMessage> remarks) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream);
  os.object([&] {
    writeEntries(os, compiled.entries);
    os.attributeArray("schedules", [&] {
      for (const KernelInfo &kernel : compiled.kernels)
        os.object([&] {
          os.attribute("name", kernel.name);
          os.attribute("schedule", kernel.schedule);
        });
    });
    writeRemarks(os, remarks);
  });
  os.flush();
  return text;
}

static llvm::Expected<LoweringOptions>
readLoweringOptions(Session &session, const attn_compile_options &given) {
  auto targets = splitTargets(given.target);
  if (targets.size() != 1)
    return llvm::createStringError(
        "a kernel of this process has one target; artifacts take several");
  auto common = readCompilationOptions(session, given);
  if (!common)
    return common.takeError();
  LoweringOptions options;
  static_cast<CompilationOptions &>(options) = std::move(*common);
  options.target = targets.front();
  options.profile = given.profile;
  if (!options.profile)
    return options;
  auto target = parseTargetDescription(options.target);
  if (!target)
    return target.takeError();
  if (target->gpu)
    return llvm::createStringError("the option 'profile' is for kernels of "
                                   "processors, not for " +
                                   options.target);
  return options;
}

/// A page that gets the texts of the phases to come.
static std::optional<CompilationPage> beginPage(const attn_module &module,
                                                LoweringOptions &options,
                                                PhaseTexts &texts) {
  options.afterPhase = [&texts, next = std::move(options.afterPhase)](
                           llvm::StringRef phase, mlir::ModuleOp module) {
    texts.add(phase, module);
    return next ? next(phase, module) : llvm::Error::success();
  };
  CompilationPage page;
  page.title = module.name + " for " + options.target;
  page.file = module.name;
  return page;
}

/// Keeps what the options ask for beside the code.
static void keep(attn_kernel &kernel, CompiledModule &compiled,
                 std::optional<CompilationPage> page) {
  if (compiled.stepCounts)
    kernel.counter.emplace(std::move(compiled.steps), compiled.stepCounts);
  if (page) {
    page->kernels = std::move(compiled.kernels);
    kernel.page = std::move(page);
  }
}

static llvm::Error compile(Session &session, const attn_module &module,
                           const attn_compile_options &given,
                           attn_kernel **kernel) {
  auto options = readLoweringOptions(session, given);
  if (!options)
    return options.takeError();
  auto entries = listEntries(module, given.entry ? given.entry : "");
  if (!entries)
    return entries.takeError();
  PhaseTexts texts;
  std::optional<CompilationPage> page;
  if (given.page)
    page = beginPage(module, *options, texts);
  std::vector<CompilerMessage> remarks;
  MessageScope messages(&module.ir->mlir, [&](const CompilerMessage &message) {
    if (message.severity == mlir::DiagnosticSeverity::Remark)
      remarks.push_back(message);
    session.report(message);
  });
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.op.get().clone();
  auto compiled = compileEntries(*copy, std::move(*entries), *options);
  if (!compiled)
    return compiled.takeError();
  std::vector<std::string> symbols;
  for (const CompiledEntry &entry : compiled->entries)
    symbols.push_back(entry.name);
  if (llvm::Error error =
          rename(compiled->entries, given.name ? given.name : ""))
    return error;
  auto made = std::make_unique<attn_kernel>();
  made->description = describe(*compiled, remarks);
  if (page) {
    page->remarks = std::move(remarks);
    page->phases = std::move(texts);
  }
  keep(*made, *compiled, std::move(page));
  made->code = std::move(compiled->code);
  for (auto [entry, symbol] : llvm::zip(compiled->entries, symbols)) {
    size_t outputs = llvm::count(entry.types.inOut, std::nullopt);
    made->entries.push_back({std::move(entry), outputs, std::move(symbol)});
  }
  *kernel = made.release();
  return llvm::Error::success();
}

attn_code attn_kernel_create(attn_module *module,
                             const attn_compile_options *options,
                             attn_kernel **kernel) {
  return runCompilation(
      module, options, kernel, "attn_kernel_create",
      [&](Session &session, const attn_compile_options &given) {
        return compile(session, *module, given, kernel);
      });
}

void attn_kernel_destroy(attn_kernel *kernel) { delete kernel; }

const char *attn_kernel_describe(const attn_kernel *kernel) {
  return kernel ? kernel->description.c_str() : nullptr;
}

const attn_entry *attn_kernel_entry(const attn_kernel *kernel,
                                    const char *name) {
  if (!kernel)
    return nullptr;
  if (!name)
    return kernel->entries.size() == 1 ? &kernel->entries.front() : nullptr;
  for (const attn_entry &entry : kernel->entries)
    if (entry.compiled.name == name)
      return &entry;
  return nullptr;
}
