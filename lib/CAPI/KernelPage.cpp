//===- KernelPage.cpp - How kernels came about and what they take ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn;
using namespace attn::capi;

attn_code attn_kernel_profile_begin(attn_kernel *kernel) {
  if (!kernel || !kernel->counter)
    return ATTN_BAD_INPUT;
  kernel->counter->begin();
  return ATTN_GOOD;
}

attn_code attn_kernel_profile(attn_kernel *kernel, uint64_t calls,
                              attn_buffer **json) {
  if (json)
    *json = nullptr;
  if (!kernel || !kernel->counter || !calls || !json)
    return ATTN_BAD_INPUT;
  // What follows takes time of its own.
  return runAlone([&] {
    StepProfile profile = kernel->counter->read(calls);
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream os(stream);
    os.object([&] { writeProfile(profile, os); });
    os.flush();
    *json = makeBuffer(std::move(text));
    if (kernel->page)
      kernel->page->profile = std::move(profile);
    return *json ? ATTN_GOOD : ATTN_NO_MEMORY;
  });
}

/// The kernel's own page as the host wants it.
static std::string writePage(const CompilationPage &own,
                             const attn_page_options &options) {
  CompilationPage page = own;
  if (options.title)
    page.title = options.title;
  if (options.source)
    page.source = options.source;
  if (options.summary)
    for (llvm::StringRef line :
         llvm::split(llvm::StringRef(options.summary), '\n'))
      page.summary.push_back(line.str());
  std::string text;
  llvm::raw_string_ostream os(text);
  writeCompilationPage(page, os);
  return text;
}

attn_code attn_kernel_page(const attn_kernel *kernel,
                           const attn_page_options *options,
                           attn_buffer **html) {
  if (html)
    *html = nullptr;
  if (!kernel || !kernel->page || !html)
    return ATTN_BAD_INPUT;
  return runAlone([&] {
    auto given = readOptions(options);
    if (!given) {
      llvm::consumeError(given.takeError());
      return ATTN_BAD_INPUT;
    }
    *html = makeBuffer(writePage(*kernel->page, *given));
    return *html ? ATTN_GOOD : ATTN_NO_MEMORY;
  });
}
