//===- ExportedTest.cpp - IR of frameworks against their own results ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include "attn/Reference/Compare.h"
#include "attn/Support/NumpyFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace attn;
using namespace attn::reference;

namespace {

class ExportedTest : public ReferenceTest,
                     public testing::WithParamInterface<std::string> {};

/// X.mlir that have an X.npz beside them.
std::vector<std::string> findExported() {
  std::vector<std::string> found;
  for (const char *folder : {ATTN_REFERENCE_INPUTS, ATTN_EXAMPLES}) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      SmallString<128> path(it->path());
      if (llvm::sys::path::extension(path) != ".npz")
        continue;
      llvm::sys::path::replace_extension(path, "mlir");
      if (llvm::sys::fs::exists(path))
        found.push_back(path.str().str());
    }
  }
  llvm::sort(found);
  return found;
}

Tensor convert(const HostArray &array, Type elementType) {
  Tensor tensor(elementType, array.getShape());
  for (int64_t i = 0, end = array.getNumElements(); i < end; ++i) {
    if (tensor.isFloat())
      tensor.floats[i] = array.getAsDouble(i);
    else
      tensor.ints[i] = int64_t(array.getAsDouble(i));
  }
  return tensor;
}

// What the framework computed lies within the rule around the f64 run, and the
// as-written run is no worse than f32 arithmetic makes it.
TEST_P(ExportedTest, MatchesTheFramework) {
  SmallString<128> arrays(GetParam());
  llvm::sys::path::replace_extension(arrays, "npz");
  auto loaded = readNumpyFile(arrays);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  auto text = llvm::MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(bool(text));

  std::vector<Tensor> arguments, expected;
  for (std::string key : {"arg", "out"})
    for (unsigned i = 0;; ++i) {
      auto it = llvm::find_if(*loaded, [&](const NamedArray &array) {
        return array.name == key + std::to_string(i);
      });
      if (it == loaded->end())
        break;
      ElementKind kind = it->array.getKind();
      const char *element = kind == ElementKind::Bool  ? "i1"
                            : kind == ElementKind::I32 ? "i32"
                            : kind == ElementKind::I64 ? "i64"
                            : kind == ElementKind::F64 ? "f64"
                                                       : "f32";
      (key == "arg" ? arguments : expected)
          .push_back(convert(it->array, type(element)));
    }
  ASSERT_FALSE(expected.empty());

  std::string module((*text)->getBuffer());
  auto exact = run(module, arguments);
  ASSERT_EQ(exact.size(), expected.size()) << messages;
  auto naive = run(module, arguments, Rounding::AsWritten);
  ASSERT_EQ(naive.size(), expected.size()) << messages;
  for (size_t i = 0; i < expected.size(); ++i) {
    CompareResult framework = compare(expected[i], exact[i], naive[i]);
    EXPECT_TRUE(framework.ok) << framework.message;
    CompareResult asWritten = compare(naive[i], exact[i], exact[i]);
    EXPECT_LT(asWritten.maxError, 1e-5) << asWritten.message;
    EXPECT_GT(asWritten.maxError, 0.0);
  }
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return llvm::sys::path::stem(info.param).str();
}

INSTANTIATE_TEST_SUITE_P(Corpus, ExportedTest,
                         testing::ValuesIn(findExported()), nameOf);

} // namespace
