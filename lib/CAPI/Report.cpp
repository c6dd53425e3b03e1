//===- Report.cpp - What raising makes of a module ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn/Compiler/Cancellation.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Raised/RaiseReport.h"
#include "mlir/Pass/PassManager.h"

using namespace attn;
using namespace attn::capi;
using llvm::Expected;

static RaiseReportForm convert(attn_report_form form) {
  return form == ATTN_REPORT_HTML   ? RaiseReportForm::HTML
         : form == ATTN_REPORT_JSON ? RaiseReportForm::JSON
                                    : RaiseReportForm::Text;
}

static Expected<std::string>
writeReport(Session &session, const attn_module &module, RaiseReportForm form) {
  mlir::MLIRContext &context = module.ir->mlir;
  std::atomic<bool> &isCancelled = session.getCompiler().isCancelled;
  // What parts of composite ops are made of.
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.op.get().clone();
  RaiseReportInput input;
  input.before = countStructuredOps(*copy);
  {
    // On their way to the host.
    mlir::ScopedDiagnosticHandler reader(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (auto remark = readRemark(diagnostic))
            input.remarks.push_back(std::move(*remark));
          return mlir::failure();
        });
    CancelScope cancel(&context, [&] { return isCancelled.load(); });
    mlir::PassManager manager(&context);
    buildRaisePipeline(manager);
    session.beginPhase("raise");
    bool isGood = succeeded(manager.run(*copy));
    if (isCancelled)
      return llvm::make_error<CancelledError>();
    if (!isGood)
      return llvm::createStringError(module.name + ": raising failed");
  }
  return writeRaiseReport(*copy, input, form);
}

attn_code attn_module_report(attn_module *module, attn_report_form form,
                             attn_buffer **report) {
  if (report)
    *report = nullptr;
  if (!module || !report)
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_report: the module or the place for the report "
                  "is null");
  if (form < ATTN_REPORT_TEXT || form > ATTN_REPORT_JSON)
    return refuse(module->compiler, "attn_module_report: there is no form " +
                                        llvm::Twine(int(form)));
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    auto text = writeReport(session, *module, convert(form));
    if (!text)
      return text.takeError();
    *report = makeBuffer(std::move(*text));
    return llvm::Error::success();
  });
}
