//===- NumpyFileTest.cpp - .npy and .npz, well-formed and not -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/NumpyFile.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace attn;

namespace {

/// A .npy of version 1 (or 2, with a wider length) around a header text.
std::string makeNpy(std::string header, std::string data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  bytes += {static_cast<char>(header.size()), '\0'};
  if (version > 1)
    bytes += {'\0', '\0'};
  return bytes + header + data;
}

std::string getError(llvm::Expected<HostArray> array) {
  return array ? "" : llvm::toString(array.takeError());
}

const std::string kBytes = {1, 2, 3, 4, 5, 6};

TEST(NumpyFile, ReadsColumnMajorDataAsRowMajor) {
  auto array = parseNpy(makeNpy("{'descr': '|i1', 'fortran_order': True, "
                                "'shape': (2, 3), }",
                                kBytes),
                        "x");
  ASSERT_TRUE(bool(array));
  std::vector<int> values;
  for (int i = 0; i < 6; ++i)
    values.push_back(static_cast<int>(array->getAsDouble(i)));
  EXPECT_EQ(values, (std::vector<int>{1, 3, 5, 2, 4, 6}));
}

TEST(NumpyFile, ReadsVersionTwo) {
  auto array = parseNpy(makeNpy("{'descr': '<u2', 'fortran_order': False, "
                                "'shape': (3,), }",
                                kBytes, 2),
                        "x");
  ASSERT_TRUE(bool(array));
  EXPECT_EQ(array->getKind(), ElementKind::U16);
  EXPECT_EQ(array->getAsDouble(0), 0x201);
}

TEST(NumpyFile, RefusesWhatItCannotRead) {
  auto parse = [](const char *header) {
    return getError(parseNpy(makeNpy(header, kBytes), "x"));
  };
  EXPECT_EQ(parse("{'descr': '>i2', 'fortran_order': False, 'shape': (3,)}"),
            "x: dtype '>i2' is not supported");
  EXPECT_EQ(parse("{'descr': [('a', '<i2')], 'fortran_order': False, "
                  "'shape': (3,)}"),
            "x: structured dtypes are not supported");
  EXPECT_EQ(parse("{'descr': '|i1', 'shape': (6,)}"),
            "x: the .npy header lacks descr, fortran_order or shape");
  EXPECT_EQ(parse("{'descr': '|i1', 'fortran_order': False, 'shape': (7,)}"),
            "x: holds 6 bytes of data, but shape 7 of i8 needs 7");
  // Sizes whose product does not fit 64 bits, and a negative size.
  EXPECT_EQ(parse("{'descr': '|i1', 'fortran_order': False, "
                  "'shape': (4611686018427387904, 8)}"),
            "x: the .npy header has no valid shape");
  EXPECT_EQ(parse("{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}"),
            "x: the .npy header has no valid shape");
  EXPECT_EQ(getError(parseNpy("\x93NUMPY\x01", "x")),
            "x: truncated .npy header");
}

TEST(NumpyFile, WritesWhatItReads) {
  HostArray array =
      llvm::cantFail(HostArray::create(ElementKind::F16, {2, 0, 5}));
  auto empty = parseNpy(formatNpy(array), "x");
  ASSERT_TRUE(bool(empty));
  EXPECT_EQ(empty->getShape(), array.getShape());
  // The data start at a multiple of 64 bytes, as NumPy promises.
  EXPECT_EQ(formatNpy(array).size() % 64, 0u);
}

TEST(NumpyFile, ArchivesKeepNamesAndBits) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("attn", "npz", path));
  std::vector<NamedArray> arrays;
  arrays.push_back(
      {"out0", llvm::cantFail(HostArray::create(ElementKind::BF16, {2, 2}))});
  arrays.back().array.setFromDouble(3, -1.5);
  arrays.push_back(
      {"out1", llvm::cantFail(HostArray::create(ElementKind::Bool, {}))});
  arrays.back().array.setFromDouble(0, 1);
  ASSERT_FALSE(bool(writeNpz(path, arrays)));
  auto read = readNumpyFile(path);
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "out0");
  EXPECT_EQ((*read)[0].array.getKind(), ElementKind::U16);
  (*read)[0].array.reinterpretAs(ElementKind::BF16);
  EXPECT_EQ((*read)[0].array.getAsDouble(3), -1.5);
  EXPECT_EQ((*read)[1].array.getKind(), ElementKind::Bool);
  EXPECT_EQ((*read)[1].array.getAsDouble(0), 1);
  llvm::sys::fs::remove(path);
}

// What a filter leaves out is not read: the second array of the archive is.
TEST(NumpyFile, AFilterChoosesBeforeReading) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("attn", "npz", path));
  std::vector<NamedArray> arrays;
  for (const char *name : {"out0", "out1"})
    arrays.push_back(
        {name, llvm::cantFail(HostArray::create(ElementKind::F32, {3, 4}))});
  ASSERT_FALSE(bool(writeNpz(path, arrays)));
  auto read =
      readNumpyFile(path,
                    [](llvm::StringRef name, ElementKind kind,
                       llvm::ArrayRef<int64_t> shape) -> llvm::Expected<bool> {
                      EXPECT_EQ(kind, ElementKind::F32);
                      EXPECT_EQ(shape, llvm::ArrayRef<int64_t>({3, 4}));
                      return name == "out1";
                    });
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().name, "out1");
  llvm::sys::fs::remove(path);
}

TEST(HostArray, SaysHowMuchMemoryIsMissing) {
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(getError(HostArray::create(ElementKind::F32, {large, 1 << 20})),
            "an array 1099511627776x1048576 of f32 needs 4611686018427387904 "
            "bytes of memory, which are not to be had");
  // Sizes whose product has no 64 bits are no small array.
  EXPECT_EQ(getArrayBytes(ElementKind::F32, {large, large}), UINT64_MAX);
  EXPECT_TRUE(bool(HostArray::create(ElementKind::F32, {large, large, 0})));
}

TEST(HostArray, RoundsToNearestEven) {
  HostArray array = llvm::cantFail(HostArray::create(ElementKind::BF16, {2}));
  // Halfway between 1 and the next bf16, and between that and the one after.
  array.setFromDouble(0, 1 + 0x1p-8);
  array.setFromDouble(1, 1 + 3 * 0x1p-8);
  EXPECT_EQ(array.getAsDouble(0), 1);
  EXPECT_EQ(array.getAsDouble(1), 1 + 0x1p-6);
}

} // namespace
