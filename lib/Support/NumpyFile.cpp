//===- NumpyFile.cpp - Reads and writes .npy and .npz ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/NumpyFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <optional>
#include <zip.h>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kMagic("\x93NUMPY", 6);
/// The magic number, the version, and the length of the header.
static constexpr size_t kPrefixBytes = 12;

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

namespace {
struct Header {
  ElementKind kind;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};
} // namespace

/// The text after `'key':` in the header's dictionary.
static std::optional<StringRef> findValue(StringRef dictionary, StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

/// |V2 is how NumPy writes the bfloat16 of the ml_dtypes package.
static std::optional<ElementKind> parseDescr(StringRef descr) {
  if (descr.size() < 2 || !StringRef("<|=").contains(descr[0]))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<ElementKind>>(descr.drop_front())
      .Case("f8", ElementKind::F64)
      .Case("f4", ElementKind::F32)
      .Case("f2", ElementKind::F16)
      .Case("V2", ElementKind::BF16)
      .Case("b1", ElementKind::Bool)
      .Case("i1", ElementKind::I8)
      .Case("i2", ElementKind::I16)
      .Case("i4", ElementKind::I32)
      .Case("i8", ElementKind::I64)
      .Case("u1", ElementKind::U8)
      .Case("u2", ElementKind::U16)
      .Case("u4", ElementKind::U32)
      .Case("u8", ElementKind::U64)
      .Default(std::nullopt);
}

static StringRef formatDescr(ElementKind kind) {
  static constexpr const char *descrs[] = {"<f8", "<f4", "<f2", "<u2", "|b1",
                                           "|i1", "<i2", "<i4", "<i8", "|u1",
                                           "<u2", "<u4", "<u8"};
  return descrs[static_cast<unsigned>(kind)];
}

/// Sizes in `(2, 3, )`; fails on anything else and on products that overflow.
static bool parseShape(StringRef text, llvm::SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  size_t end = text.find(')');
  if (end == StringRef::npos)
    return false;
  int64_t product = 16; // no element is larger than 16 bytes
  llvm::SmallVector<StringRef> parts;
  text.take_front(end).split(parts, ',');
  for (auto [index, part] : llvm::enumerate(parts)) {
    StringRef digits = part.trim();
    if (digits.empty() && index + 1 == parts.size())
      break;
    int64_t size;
    if (digits.getAsInteger(10, size) || size < 0)
      return false;
    if (llvm::MulOverflow(product, std::max<int64_t>(size, 1), product))
      return false;
    shape.push_back(size);
  }
  return true;
}

static Expected<Header> parseDictionary(StringRef dictionary, StringRef where) {
  Header header;
  std::optional<StringRef> descr = findValue(dictionary, "descr");
  std::optional<StringRef> order = findValue(dictionary, "fortran_order");
  std::optional<StringRef> shape = findValue(dictionary, "shape");
  if (!descr || !order || !shape)
    return createStringError(where + ": the .npy header lacks descr, "
                                     "fortran_order or shape");
  StringRef quoted = *descr;
  if (!quoted.consume_front("'"))
    return createStringError(where + ": structured dtypes are not supported");
  quoted = quoted.take_until([](char c) { return c == '\''; });
  std::optional<ElementKind> kind = parseDescr(quoted);
  if (!kind)
    return createStringError(where + ": dtype '" + quoted +
                             "' is not supported");
  header.kind = *kind;
  header.fortranOrder = order->starts_with("True");
  if (!parseShape(*shape, header.shape))
    return createStringError(where + ": the .npy header has no valid shape");
  return header;
}

/// Where the header ends, from a file's first kPrefixBytes bytes.
static Expected<size_t> findHeaderEnd(StringRef bytes, StringRef where) {
  if (!bytes.consume_front(kMagic))
    return createStringError(where + ": not a .npy file");
  if (bytes.size() < 6)
    return createStringError(where + ": truncated .npy header");
  if (bytes[0] == 1)
    return kMagic.size() + 4 +
           llvm::support::endian::read16le(bytes.data() + 2);
  return kMagic.size() + 6 +
         size_t(llvm::support::endian::read32le(bytes.data() + 2));
}

/// Reads the dictionary at the end of a header and holds the size of what comes
/// after it against it.
static Expected<Header> parseHeader(StringRef bytes, size_t dataBytes,
                                    StringRef where) {
  size_t begin = kMagic.size() + (bytes[kMagic.size()] == 1 ? 4 : 6);
  Expected<Header> header = parseDictionary(bytes.drop_front(begin), where);
  if (!header)
    return header.takeError();
  uint64_t expected = getArrayBytes(header->kind, header->shape);
  if (dataBytes != expected)
    return createStringError(
        where + ": holds " + Twine(dataBytes) + " bytes of data, but shape " +
        formatShape(header->shape) + " of " + getElementName(header->kind) +
        " needs " + Twine(expected));
  return header;
}

static Expected<HostArray> makeArray(const Header &header, StringRef where) {
  Expected<HostArray> array = HostArray::create(header.kind, header.shape);
  if (!array)
    return createStringError(where + ": " + llvm::toString(array.takeError()));
  return array;
}

/// Rewrites column-major elements in row-major order.
static void copyFromFortranOrder(HostArray &array, const char *source) {
  llvm::ArrayRef<int64_t> shape = array.getShape();
  unsigned size = getElementSize(array.getKind());
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  char *target = array.getDataAs<char>();
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    int64_t offset = 0;
    for (size_t d = shape.size(); d-- > 0;)
      offset = offset * shape[d] + index[d];
    std::memcpy(target + i * size, source + offset * size, size);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// The header of a file that is in memory, and its end.
static Expected<std::pair<Header, size_t>> readHeader(StringRef bytes,
                                                      StringRef where) {
  Expected<size_t> end = findHeaderEnd(bytes, where);
  if (!end)
    return end.takeError();
  if (bytes.size() < *end)
    return createStringError(where + ": truncated .npy header");
  Expected<Header> header =
      parseHeader(bytes.take_front(*end), bytes.size() - *end, where);
  if (!header)
    return header.takeError();
  return std::make_pair(std::move(*header), *end);
}

/// Elements as they are in the file.
static Expected<HostArray> decode(const Header &header, StringRef data,
                                  StringRef where) {
  Expected<HostArray> array = makeArray(header, where);
  if (!array)
    return array.takeError();
  if (header.fortranOrder)
    copyFromFortranOrder(*array, data.data());
  else
    std::memcpy(array->getData(), data.data(), data.size());
  return array;
}

Expected<HostArray> attn::parseNpy(StringRef bytes, StringRef where) {
  auto header = readHeader(bytes, where);
  if (!header)
    return header.takeError();
  return decode(header->first, bytes.drop_front(header->second), where);
}

std::string attn::formatNpy(const HostArray &array) {
  std::string shape;
  for (int64_t size : array.getShape())
    shape += std::to_string(size) + ", ";
  if (array.getShape().size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string header =
      ("{'descr': '" + formatDescr(array.getKind()) +
       "', 'fortran_order': False, 'shape': (" + shape + "), }")
          .str();
  // The data start at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  header.resize(llvm::alignTo(prefix + header.size() + 1, 64) - prefix - 1,
                ' ');
  header += '\n';
  std::string bytes = kMagic.str();
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(static_cast<const char *>(array.getData()), array.getNumBytes());
  return bytes;
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

namespace {

/// One member of an archive. Inflates what it is asked for and no more: a
/// megabyte can hold a gigabyte.
class Member {
public:
  static Expected<Member> open(zip_t *archive, zip_uint64_t index,
                               std::string where);

  Expected<Header> readHeader();
  Expected<HostArray> readArray(const Header &header);

private:
  struct Close {
    void operator()(zip_file_t *file) const { zip_fclose(file); }
  };
  /// Fills all of `bytes`.
  llvm::Error read(llvm::MutableArrayRef<char> bytes);
  /// Only at its end is the checksum of a member compared.
  llvm::Error finish();

  std::unique_ptr<zip_file_t, Close> file;
  uint64_t size = 0;
  std::string where;
};

} // namespace

/// NumPy writes shorter ones for every array that is not structured.
static constexpr size_t kMaxHeaderBytes = 1 << 20;

Expected<Member> Member::open(zip_t *archive, zip_uint64_t index,
                              std::string where) {
  Member member;
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) == 0 &&
      (stat.valid & ZIP_STAT_SIZE))
    member.file.reset(zip_fopen_index(archive, index, 0));
  if (!member.file)
    return createStringError(where + ": " + zip_strerror(archive));
  member.size = stat.size;
  member.where = std::move(where);
  return member;
}

llvm::Error Member::read(llvm::MutableArrayRef<char> bytes) {
  while (!bytes.empty()) {
    zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
    if (count <= 0)
      return createStringError(where + ": " +
                               (count < 0 ? zip_file_strerror(file.get())
                                          : "the member is truncated"));
    bytes = bytes.drop_front(count);
  }
  return llvm::Error::success();
}

llvm::Error Member::finish() {
  char more;
  zip_int64_t count = zip_fread(file.get(), &more, 1);
  if (count == 0)
    return llvm::Error::success();
  return createStringError(where + ": " +
                           (count < 0 ? zip_file_strerror(file.get())
                                      : "the member is longer than it says"));
}

Expected<Header> Member::readHeader() {
  std::string bytes(std::min<uint64_t>(kPrefixBytes, size), '\0');
  if (llvm::Error error = read({bytes.data(), bytes.size()}))
    return std::move(error);
  Expected<size_t> end = findHeaderEnd(bytes, where);
  if (!end)
    return end.takeError();
  if (*end < bytes.size() || *end > std::min<uint64_t>(size, kMaxHeaderBytes))
    return createStringError(where + ": truncated .npy header");
  size_t have = bytes.size();
  bytes.resize(*end);
  if (llvm::Error error = read(
          llvm::MutableArrayRef<char>(bytes.data(), *end).drop_front(have)))
    return std::move(error);
  return parseHeader(bytes, size - *end, where);
}

Expected<HostArray> Member::readArray(const Header &header) {
  Expected<HostArray> array = makeArray(header, where);
  if (!array)
    return array.takeError();
  if (llvm::Error error =
          read({array->getDataAs<char>(), array->getNumBytes()}))
    return std::move(error);
  if (llvm::Error error = finish())
    return std::move(error);
  if (!header.fortranOrder)
    return array;
  return decode(header, {array->getDataAs<char>(), array->getNumBytes()},
                where);
}

static Expected<std::vector<NamedArray>> readNpz(StringRef path,
                                                 ArrayFilter filter) {
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return createStringError(path + ": not a readable .npz archive: " + reason);
  }
  llvm::scope_exit close([&] { zip_discard(archive); });

  std::vector<NamedArray> arrays;
  for (zip_int64_t i = 0, e = zip_get_num_entries(archive, 0); i < e; ++i) {
    StringRef name = zip_get_name(archive, i, 0);
    auto member = Member::open(archive, i, (path + ":" + name).str());
    if (!member)
      return member.takeError();
    Expected<Header> header = member->readHeader();
    if (!header)
      return header.takeError();
    name.consume_back(".npy");
    Expected<bool> isWanted =
        filter ? filter(name, header->kind, header->shape) : true;
    if (!isWanted)
      return isWanted.takeError();
    if (!*isWanted)
      continue;
    Expected<HostArray> array = member->readArray(*header);
    if (!array)
      return array.takeError();
    arrays.push_back({name.str(), std::move(*array)});
  }
  return arrays;
}

Expected<std::vector<NamedArray>> attn::readNumpyFile(StringRef path,
                                                      ArrayFilter filter) {
  // A pipe has no directory of members at its end, and a device has no end.
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return createStringError(path + ": " + code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return createStringError(path + ": is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  if (!bytes.starts_with(kMagic))
    return readNpz(path, filter);
  auto header = readHeader(bytes, path);
  if (!header)
    return header.takeError();
  std::vector<NamedArray> arrays;
  Expected<bool> isWanted =
      filter ? filter("", header->first.kind, header->first.shape) : true;
  if (!isWanted)
    return isWanted.takeError();
  if (!*isWanted)
    return arrays;
  Expected<HostArray> array =
      decode(header->first, bytes.drop_front(header->second), path);
  if (!array)
    return array.takeError();
  arrays.push_back({"", std::move(*array)});
  return arrays;
}

llvm::Error attn::writeNpz(StringRef path, llvm::ArrayRef<NamedArray> arrays) {
  int code = 0;
  zip_t *archive =
      zip_open(path.str().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return createStringError(path + ": " + reason);
  }
  // libzip writes a temporary file in zip_close and renames it.
  std::vector<std::string> contents;
  contents.reserve(arrays.size());
  auto fail = [&] {
    std::string reason = zip_strerror(archive);
    zip_discard(archive);
    return createStringError(path + ": " + reason);
  };
  // The first moment a zip archive can express: equal arrays, equal bytes.
  constexpr uint16_t dosDate = (0 << 9) | (1 << 5) | 1;
  for (const NamedArray &named : arrays) {
    contents.push_back(formatNpy(named.array));
    zip_source_t *source = zip_source_buffer(archive, contents.back().data(),
                                             contents.back().size(), 0);
    zip_int64_t index =
        source ? zip_file_add(archive, (named.name + ".npy").c_str(), source,
                              ZIP_FL_OVERWRITE)
               : -1;
    if (index < 0 ||
        zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, index, 0, dosDate, 0) != 0)
      return fail();
  }
  if (zip_close(archive) != 0)
    return fail();
  return llvm::Error::success();
}
