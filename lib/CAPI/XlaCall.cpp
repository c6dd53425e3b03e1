//===- XlaCall.cpp - Kernels as foreign functions of XLA -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "XlaABI.h"
#include "attn-c/xla.h"
#include "attn-runtime/attn_host.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

using namespace attn::xla;

namespace {

/// The iterations of one parallel loop. Tasks that XLA runs after the loop is
/// over find nothing to do; so they share what they look at.
struct Loop {
  Loop(void (*body)(void *, int64_t), void *data, int64_t count)
      : body(body), data(data), count(count) {}

  void work() {
    int64_t done = 0;
    for (int64_t i; (i = next.fetch_add(1)) < count; ++done)
      body(data, i);
    if (done == 0)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    finished += done;
    if (finished == count)
      isDone.notify_all();
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    isDone.wait(lock, [&] { return finished == count; });
  }

  void (*body)(void *, int64_t);
  void *data;
  const int64_t count;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable isDone;
  int64_t finished = 0;
};

/// One call: the host of a kernel, on XLA's threads.
class Call {
public:
  explicit Call(const CallFrame &frame) : frame(frame) {
    context.abi_version = ATTN_ABI_VERSION;
    context.host = this;
    context.alloc = [](void *call, size_t bytes, size_t align) {
      attn_context &scratch = static_cast<Call *>(call)->scratch;
      return scratch.alloc(scratch.host, bytes, align);
    };
    context.free = [](void *call, void *memory) {
      attn_context &scratch = static_cast<Call *>(call)->scratch;
      scratch.free(scratch.host, memory);
    };
    context.parallel_for = [](void *call, void (*body)(void *, int64_t),
                              void *data, int64_t count) {
      static_cast<Call *>(call)->runLoop(body, data, count);
    };
  }

  void *run(const attn_entry *entry);

private:
  void runLoop(void (*body)(void *, int64_t), void *data, int64_t count);
  int64_t countThreads() const;

  const CallFrame &frame;
  attn_context context = {};
  /// Keeps large blocks between calls.
  attn_context &scratch = getScratch();

  static attn_context &getScratch() {
    struct Destroy {
      void operator()(attn_context *context) const {
        attn_host_context_destroy(context);
      }
    };
    thread_local std::unique_ptr<attn_context, Destroy> scratch(
        attn_host_context_create(1));
    return *scratch;
  }
};

} // namespace

static void *makeError(const CallFrame &frame, Code code, const char *message) {
  MakeErrorArguments arguments = {sizeof(MakeErrorArguments), nullptr, message,
                                  code};
  return frame.api->makeError(&arguments);
}

int64_t Call::countThreads() const {
  int64_t count = 1;
  CountThreadsArguments arguments = {sizeof(CountThreadsArguments), nullptr,
                                     frame.context, &count};
  // An error object would leak, but there is none where there is a pool.
  return frame.api->countThreads(&arguments) ? 1 : count;
}

void Call::runLoop(void (*body)(void *, int64_t), void *data, int64_t count) {
  auto loop = std::make_shared<Loop>(body, data, count);
  int64_t helpers = std::min(count, countThreads()) - 1;
  for (int64_t i = 0; i < helpers; ++i) {
    auto *shared = new std::shared_ptr<Loop>(loop);
    ScheduleArguments arguments = {
        sizeof(ScheduleArguments), nullptr, frame.context,
        [](void *given) {
          std::unique_ptr<std::shared_ptr<Loop>> mine(
              static_cast<std::shared_ptr<Loop> *>(given));
          (*mine)->work();
        },
        shared};
    if (frame.api->schedule(&arguments)) {
      delete shared;
      break;
    }
  }
  loop->work();
  loop->wait();
}

static std::optional<DLDataType> convertType(ElementType type) {
  auto make = [](unsigned code, unsigned bits) {
    return DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                      1};
  };
  switch (type) {
  case ElementType::Pred:
    return make(6, 8); // kDLBool, which older headers of DLPack lack.
  case ElementType::S8:
    return make(kDLInt, 8);
  case ElementType::S16:
    return make(kDLInt, 16);
  case ElementType::S32:
    return make(kDLInt, 32);
  case ElementType::S64:
    return make(kDLInt, 64);
  case ElementType::U8:
    return make(kDLUInt, 8);
  case ElementType::U16:
    return make(kDLUInt, 16);
  case ElementType::U32:
    return make(kDLUInt, 32);
  case ElementType::U64:
    return make(kDLUInt, 64);
  case ElementType::F16:
    return make(kDLFloat, 16);
  case ElementType::F32:
    return make(kDLFloat, 32);
  case ElementType::F64:
    return make(kDLFloat, 64);
  case ElementType::BF16:
    return make(kDLBfloat, 16);
  }
  return std::nullopt;
}

void *Call::run(const attn_entry *entry) {
  llvm::SmallVector<DLTensor, 16> tensors;
  for (const Buffers *list : {&frame.arguments, &frame.results})
    for (int64_t i = 0; i < list->count; ++i) {
      const Buffer &buffer = *list->buffers[i];
      std::optional<DLDataType> type = convertType(buffer.type);
      if (!type)
        return makeError(frame, Code::InvalidArgument,
                         "attn: kernels do not take elements of this type");
      tensors.push_back({buffer.data,
                         {kDLCPU, 0},
                         static_cast<int32_t>(buffer.rank),
                         *type,
                         buffer.dims,
                         nullptr,
                         0});
    }
  llvm::SmallVector<DLTensor *, 16> pointers;
  for (DLTensor &tensor : tensors)
    pointers.push_back(&tensor);
  int32_t status =
      attn_entry_call(entry, &context, pointers.data(), pointers.size());
  if (status == ATTN_OK)
    return nullptr;
  return makeError(frame,
                   status == ATTN_ERROR_OUT_OF_MEMORY ? Code::ResourceExhausted
                                                      : Code::InvalidArgument,
                   attn_error_message(&context));
}

/// The attribute `entry`; null where there is none.
static const attn_entry *findEntry(const Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const Text &name = *attributes.names[i];
    if (attributes.kinds[i] != kScalarAttribute ||
        llvm::StringRef(name.data, name.size) != "entry")
      continue;
    const Scalar &scalar = *static_cast<Scalar *>(attributes.values[i]);
    if (scalar.type == ElementType::U64 || scalar.type == ElementType::S64)
      return reinterpret_cast<const attn_entry *>(
          *static_cast<uintptr_t *>(scalar.value));
  }
  return nullptr;
}

void *attn_xla_call(void *call_frame) {
  const CallFrame &frame = *static_cast<CallFrame *>(call_frame);
  for (Extension *i = frame.extensions; i; i = i->next)
    if (i->type == kMetadataExtension) {
      Metadata &metadata = *reinterpret_cast<MetadataExtension *>(i)->metadata;
      // What is read here stands in every minor version.
      metadata.version.major = kMajor;
      metadata.version.minor = frame.api ? frame.api->version.minor : kMinor;
      return nullptr;
    }
  const attn_entry *entry = findEntry(frame.attributes);
  if (!entry)
    return makeError(frame, Code::InvalidArgument,
                     "attn: the call has no attribute 'entry'");
  return Call(frame).run(entry);
}
