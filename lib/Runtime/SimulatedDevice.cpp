//===- SimulatedDevice.cpp - A GPU that is the PTX simulator --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Runtime/SimulatedDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

using namespace attn;
using llvm::StringRef;
using llvm::Twine;

/// Between two allocations, so that an address a little outside of one belongs
/// to no other.
static constexpr uint64_t kGap = uint64_t(1) << 20;
/// What a tensor map of this device begins with.
static constexpr uint64_t kMapMagic = 0x50414d4e54544153;
static constexpr uint8_t kPoison = 0xff;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SimulatedDevice::SimulatedDevice(const Options &options)
    : options(options), context() {
  context.base.abi_version = ATTN_ABI_VERSION;
  context.base.host = this;
  context.base.alloc = [](void *host, size_t bytes, size_t) {
    auto &device = *static_cast<SimulatedDevice *>(host);
    return device.allocate("scratch " + std::to_string(device.memories.size()),
                           bytes, /*isScratch=*/true);
  };
  context.base.free = [](void *host, void *address) {
    static_cast<SimulatedDevice *>(host)->release(address);
  };
  context.launch = [](attn_gpu_context *context, const attn_gpu_kernel *kernel,
                      const uint32_t grid[3], uint32_t shared,
                      void **parameters) {
    return of(context).launch(kernel, grid, shared, parameters);
  };
  context.tensor_map = [](attn_gpu_context *context, void *map,
                          const attn_gpu_tensor *tensor) {
    return of(context).encode(map, tensor);
  };
  context.read = [](attn_gpu_context *context, void *host, const void *device,
                    size_t bytes) {
    return of(context).read(host, device, bytes);
  };
  // Reserved pages cost nothing, but the process may be limited in addresses.
  for (reservedBytes = uint64_t(1) << 38; reservedBytes >= kGap;
       reservedBytes /= 2) {
    reserved = mmap(nullptr, reservedBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved != MAP_FAILED)
      break;
  }
  if (reserved == MAP_FAILED) {
    reserved = nullptr;
    reservedBytes = 0;
  }
  restart(options.schedule);
}

SimulatedDevice::~SimulatedDevice() {
  if (reserved)
    munmap(reserved, reservedBytes);
}

void SimulatedDevice::restart(ptx::Schedule schedule) {
  options.schedule = schedule;
  memories.clear();
  maps.clear();
  launches.clear();
  hostFindings.clear();
  context.base.error[0] = 0;
  next = llvm::alignTo(reinterpret_cast<uint64_t>(reserved) + kGap, kGap);
}

void *SimulatedDevice::allocate(std::string name, size_t bytes,
                                bool isScratch) {
  uint64_t end = reinterpret_cast<uint64_t>(reserved) + reservedBytes;
  if (next >= end || bytes > end - next)
    return nullptr;
  Memory &memory = memories[next];
  memory.name = std::move(name);
  memory.address = next;
  memory.bytes = bytes;
  memory.isScratch = isScratch;
  memory.data.assign(bytes, kPoison);
  memory.defined.assign(bytes, 0);
  next = llvm::alignTo(next + bytes, kGap) + kGap;
  return reinterpret_cast<void *>(memory.address);
}

void SimulatedDevice::release(void *pointer) {
  if (!pointer)
    return;
  auto it = memories.find(reinterpret_cast<uint64_t>(pointer));
  if (it == memories.end() || !it->second.isScratch || it->second.isFreed) {
    hostFindings.push_back(
        it == memories.end()
            ? "an address is freed that alloc has not returned"
            : "'" + it->second.name + "' is freed, which " +
                  (it->second.isFreed ? "is free already" : "is a tensor"));
    return;
  }
  it->second.isFreed = true;
  it->second.data = {};
  it->second.defined = {};
}

void *SimulatedDevice::addTensor(StringRef name, const void *host, size_t bytes,
                                 bool readOnly) {
  void *device = allocate(name.str(), bytes, /*isScratch=*/false);
  if (!device)
    return nullptr;
  Memory &memory = *find(reinterpret_cast<uint64_t>(device));
  memory.readOnly = readOnly;
  if (!host)
    return device;
  if (bytes)
    std::memcpy(memory.data.data(), host, bytes);
  memory.defined.assign(bytes, 1);
  return device;
}

SimulatedDevice::Memory *SimulatedDevice::find(uint64_t address) {
  auto after = memories.upper_bound(address);
  if (after == memories.begin())
    return nullptr;
  Memory &memory = std::prev(after)->second;
  return address - memory.address <= memory.bytes + kGap ? &memory : nullptr;
}

bool SimulatedDevice::checkDefined(const Memory &memory, uint64_t first,
                                   uint64_t bytes, StringRef reader) {
  const uint8_t *begin = memory.defined.data() + first, *end = begin + bytes;
  auto undefined = [](uint8_t isDefined) { return !isDefined; };
  const uint8_t *at = std::find_if(begin, end, undefined);
  if (at == end)
    return true;
  hostFindings.push_back((reader + " reads " + Twine(bytes) + " bytes of '" +
                          memory.name + "', of which nothing has written " +
                          Twine(std::count_if(begin, end, undefined)) +
                          ", the first at byte " + Twine(first + (at - begin)))
                             .str());
  return false;
}

void SimulatedDevice::fetch(const void *device, void *host) {
  Memory &memory = *find(reinterpret_cast<uint64_t>(device));
  checkDefined(memory, 0, memory.bytes, "the host");
  if (memory.bytes)
    std::memcpy(host, memory.data.data(), memory.bytes);
}

uint64_t SimulatedDevice::getLiveBytes() const {
  uint64_t bytes = 0;
  for (auto &[address, memory] : memories)
    if (memory.isScratch && !memory.isFreed)
      bytes += memory.bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

int SimulatedDevice::fail(const std::string &message) {
  std::snprintf(context.base.error, sizeof(context.base.error), "%s",
                message.c_str());
  return ATTN_ERROR_DEVICE;
}

const ptx::Module *SimulatedDevice::getModule(const attn_gpu_module *module) {
  auto known = modules.find(module);
  if (known != modules.end())
    return &known->second;
  if (module->abi_version != ATTN_GPU_ABI_VERSION) {
    fail("the kernels are of version " + std::to_string(module->abi_version) +
         " of attn_gpu.h, and this is version " +
         std::to_string(ATTN_GPU_ABI_VERSION));
    return nullptr;
  }
  llvm::ArrayRef<attn_gpu_image> images(module->images, module->num_images);
  const attn_gpu_image *text = llvm::find_if(
      images, [](const attn_gpu_image &image) { return image.arch == 0; });
  if (text == images.end()) {
    fail("the object has no PTX, and the simulator runs nothing else");
    return nullptr;
  }
  auto parsed = ptx::Module::parse(
      StringRef(static_cast<const char *>(text->data), text->bytes));
  if (!parsed) {
    fail("PTX: " + llvm::toString(parsed.takeError()));
    return nullptr;
  }
  return &modules.try_emplace(module, std::move(*parsed)).first->second;
}

/// Turns the parameters of a launch into the simulator's arguments.
struct SimulatedDevice::LaunchBuilder {
  SimulatedDevice &device;
  ptx::Launch launch;
  std::vector<Memory *> memories; ///< Of launch.buffers; null: none at all.

  explicit LaunchBuilder(SimulatedDevice &device) : device(device) {}

  /// The buffer that an address lies in, and where. What is freed has no bytes
  /// left, so that a kernel which uses it is told its name.
  size_t addBuffer(uint64_t address, uint64_t &byteOffset) {
    Memory *memory = device.find(address);
    byteOffset = memory ? address - memory->address : 0;
    auto known = llvm::find(memories, memory);
    if (known != memories.end())
      return known - memories.begin();
    memories.push_back(memory);
    ptx::Buffer buffer;
    if (!memory) {
      buffer.name = "an address outside of all device memory";
    } else if (memory->isFreed) {
      buffer.name = memory->name + ", which is free again";
    } else {
      buffer.name = memory->name;
      buffer.data = memory->data.data();
      buffer.bytes = memory->bytes;
      buffer.readOnly = memory->readOnly;
      buffer.defined = memory->defined.data();
    }
    launch.buffers.push_back(std::move(buffer));
    return memories.size() - 1;
  }

  /// The text of an error, or none.
  std::string add(const attn_gpu_parameter &parameter, const void *value) {
    ptx::Argument argument;
    switch (parameter.kind) {
    case ATTN_GPU_NUMBER: {
      auto *bytes = static_cast<const uint8_t *>(value);
      argument.bytes.assign(bytes, bytes + parameter.bytes);
      break;
    }
    case ATTN_GPU_POINTER: {
      if (parameter.bytes != 8)
        return "is a pointer of " + std::to_string(parameter.bytes) + " bytes";
      uint64_t address;
      std::memcpy(&address, value, 8);
      if (!address) { // Of a tensor without elements.
        argument.bytes.assign(8, 0);
        break;
      }
      argument.kind = ptx::Argument::Kind::Buffer;
      argument.buffer = addBuffer(address, argument.byteOffset);
      break;
    }
    case ATTN_GPU_TENSOR_MAP: {
      uint64_t words[2];
      std::memcpy(words, value, sizeof(words));
      if (parameter.bytes != 128 || words[0] != kMapMagic ||
          words[1] >= device.maps.size())
        return "is no tensor map that tensor_map has made";
      argument.kind = ptx::Argument::Kind::TensorMap;
      argument.map = describe(device.maps[words[1]]);
      break;
    }
    default:
      return "is of kind " + std::to_string(parameter.kind) +
             ", which attn_gpu.h does not have";
    }
    launch.arguments.push_back(std::move(argument));
    return "";
  }

  ptx::TensorMap describe(const attn_gpu_tensor &tensor) {
    ptx::TensorMap map;
    map.type = static_cast<ptx::TensorMap::Type>(tensor.type);
    map.swizzle = static_cast<ptx::TensorMap::Swizzle>(tensor.swizzle);
    map.rank = tensor.rank;
    std::copy_n(tensor.dims, 5, map.dims.begin());
    std::copy_n(tensor.strides, 4, map.strides.begin());
    std::copy_n(tensor.box, 5, map.box.begin());
    map.buffer =
        addBuffer(reinterpret_cast<uint64_t>(tensor.data), map.byteOffset);
    return map;
  }
};

int SimulatedDevice::launch(const attn_gpu_kernel *kernel,
                            const uint32_t grid[3], uint32_t shared,
                            void **parameters) {
  std::string where = std::string("kernel '") + kernel->name + "': ";
  const ptx::Module *module = getModule(kernel->module);
  if (!module)
    return ATTN_ERROR_DEVICE;
  if (shared > options.sharedBytes)
    return fail(where + std::to_string(shared) +
                " bytes of dynamic shared memory, and a block has at most " +
                std::to_string(options.sharedBytes));
  LaunchBuilder builder(*this);
  for (uint32_t i = 0; i != kernel->num_parameters; ++i) {
    std::string problem = builder.add(kernel->parameters[i], parameters[i]);
    if (!problem.empty())
      return fail(where + "parameter " + std::to_string(i) + " " + problem);
  }
  ptx::Launch &launch = builder.launch;
  launch.kernel = kernel->name;
  launch.grid = {grid[0], grid[1], grid[2]};
  launch.block = {kernel->block[0], kernel->block[1], kernel->block[2]};
  launch.cluster = {kernel->cluster[0], kernel->cluster[1], kernel->cluster[2]};
  launch.dynamicShared = shared;
  if (launch.grid.count() == 0)
    return ATTN_OK;
  ptx::Options run;
  run.schedule = options.schedule;
  run.threads = options.threads;
  run.profile = options.profile;
  run.checkRaces = options.checkRaces;
  // Our own kernels leave nothing out that the PTX ISA asks for.
  run.strict = true;
  run.maxSeconds = options.maxSeconds;
  auto report = ptx::run(*module, launch, run);
  if (!report)
    return fail(where + llvm::toString(report.takeError()));
  launches.push_back(
      {launch.kernel, launch.grid, launch.block, shared, std::move(*report)});
  return ATTN_OK;
}

int SimulatedDevice::encode(void *map, const attn_gpu_tensor *tensor) {
  if (tensor->rank < 1 || tensor->rank > 5 ||
      tensor->type > unsigned(ptx::TensorMap::Type::TF32FTZ) ||
      tensor->swizzle > unsigned(ptx::TensorMap::Swizzle::B128))
    return fail("tensor map: no such rank, type or swizzle");
  uint64_t words[16] = {kMapMagic, maps.size()};
  maps.push_back(*tensor);
  std::memcpy(map, words, sizeof(words));
  return ATTN_OK;
}

SimulatedDevice::Memory *SimulatedDevice::findBytes(StringRef call,
                                                    const void *device,
                                                    size_t bytes,
                                                    uint64_t &first) {
  uint64_t address = reinterpret_cast<uint64_t>(device);
  Memory *memory = find(address);
  first = memory ? address - memory->address : 0;
  if (memory && !memory->isFreed && first <= memory->bytes &&
      bytes <= memory->bytes - first)
    return memory;
  fail((call + ": " + Twine(bytes) + " bytes " +
        (!memory           ? "outside of all device memory"
         : memory->isFreed ? "of '" + memory->name + "', which is free again"
                           : "behind the end of '" + memory->name + "'"))
           .str());
  return nullptr;
}

int SimulatedDevice::read(void *host, const void *device, size_t bytes) {
  uint64_t first;
  Memory *memory = findBytes("read", device, bytes, first);
  if (!memory)
    return ATTN_ERROR_DEVICE;
  checkDefined(*memory, first, bytes, "read");
  std::memcpy(host, memory->data.data() + first, bytes);
  return ATTN_OK;
}

int SimulatedDevice::write(void *device, const void *host, size_t bytes) {
  uint64_t first;
  Memory *memory = findBytes("write", device, bytes, first);
  if (!memory)
    return ATTN_ERROR_DEVICE;
  std::memcpy(memory->data.data() + first, host, bytes);
  std::fill_n(memory->defined.begin() + first, bytes, 1);
  return ATTN_OK;
}

bool SimulatedDevice::owns(uint64_t address) const {
  uint64_t first = reinterpret_cast<uint64_t>(reserved);
  return address >= first && address - first < reservedBytes;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

std::vector<std::string> SimulatedDevice::describeFindings() const {
  std::vector<std::string> texts;
  for (auto [index, launch] : llvm::enumerate(launches))
    for (const ptx::Finding &finding : launch.report.findings) {
      std::string text = "launch " + std::to_string(index) + ", kernel '" +
                         launch.kernel + "', ";
      if (finding.line)
        text += "PTX line " + std::to_string(finding.line) + ": ";
      text += ptx::toString(finding.kind).str() + ": " + finding.message;
      if (finding.count > 1)
        text += " (" + std::to_string(finding.count) + " times)";
      texts.push_back(std::move(text));
    }
  texts.insert(texts.end(), hostFindings.begin(), hostFindings.end());
  return texts;
}

std::vector<std::string> SimulatedDevice::takeFindings() {
  std::vector<std::string> texts = describeFindings();
  launches.clear();
  hostFindings.clear();
  return texts;
}
