//===- LaunchChecks.cpp - Is this launch possible at all
//--------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/LaunchChecks.h"

#include <cstring>

using namespace llvm;

namespace attn::ptx {

static Error bad(const Twine &message) { return createStringError(message); }

/// Clusters a simulation could not get through anyway, and whose bookkeeping
/// alone would fill memory.
constexpr uint64_t maxBlocks = uint64_t(1) << 26;

Dim3 clusterShape(const ir::Function &kernel, const Launch &launch) {
  if (launch.cluster.count() == 1 && kernel.cluster[0])
    return {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
  return launch.cluster;
}

static Error checkShape(const ir::Function &kernel, const Launch &launch) {
  const Dim3 &grid = launch.grid, &block = launch.block;
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
    return bad("grid and block sizes must not be zero");
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return bad("the grid is larger than 2147483647 x 65535 x 65535");
  if (grid.count() > maxBlocks)
    return bad("a grid of " + Twine(grid.count()) +
               " blocks is more than a simulation can run (" +
               Twine(maxBlocks) + ")");
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return bad("a block has at most 1024 threads (1024 x 1024 x 64)");
  const uint32_t size[3] = {block.x, block.y, block.z};
  uint64_t most = 1;
  for (unsigned i = 0; i != 3; ++i) {
    if (kernel.reqntid[0] && kernel.reqntid[i] != size[i])
      return bad("the kernel requires a block of " + Twine(kernel.reqntid[0]) +
                 " x " + Twine(kernel.reqntid[1]) + " x " +
                 Twine(kernel.reqntid[2]) + " threads");
    most *= std::max(kernel.maxntid[i], 1u);
  }
  if (kernel.maxntid[0] && block.count() > most)
    return bad("the kernel allows at most " + Twine(most) +
               " threads in a block");
  Dim3 shape = clusterShape(kernel, launch);
  if (!shape.x || !shape.y || !shape.z || shape.x > 16 || shape.y > 16 ||
      shape.z > 16 || shape.count() > 16)
    return bad("a cluster has 1 to 16 blocks");
  if (kernel.cluster[0] &&
      (shape.x != kernel.cluster[0] || shape.y != kernel.cluster[1] ||
       shape.z != kernel.cluster[2]))
    return bad("the kernel requires another cluster shape");
  if (grid.x % shape.x || grid.y % shape.y || grid.z % shape.z)
    return bad("the grid is not a multiple of the cluster");
  return Error::success();
}

static Error checkArguments(const ir::Function &kernel, const Launch &launch) {
  std::vector<KernelParameter> params = layoutParameters(kernel);
  if (params.size() != launch.arguments.size())
    return bad("kernel '" + kernel.name + "' has " + Twine(params.size()) +
               " parameters, but " + Twine(launch.arguments.size()) +
               " arguments are given");
  for (size_t i = 0; i != params.size(); ++i) {
    const Argument &arg = launch.arguments[i];
    std::string name =
        ("argument " + Twine(i) + " ('" + params[i].name + "')").str();
    uint64_t bytes = arg.kind == Argument::Kind::Bytes    ? arg.bytes.size()
                     : arg.kind == Argument::Kind::Buffer ? 8
                                                          : 128;
    if (bytes != params[i].bytes)
      return bad(name + " has " + Twine(bytes) + " bytes, but ." +
                 params[i].type + " of " + Twine(params[i].bytes) +
                 " bytes is expected");
    size_t buffer =
        arg.kind == Argument::Kind::TensorMap ? arg.map.buffer : arg.buffer;
    if (arg.kind != Argument::Kind::Bytes && buffer >= launch.buffers.size())
      return bad(name + " names buffer " + Twine(buffer) + " of " +
                 Twine(launch.buffers.size()));
    if (arg.kind == Argument::Kind::TensorMap && params[i].align < 64)
      return bad(name + " takes no tensor map: it is not aligned to 64 bytes");
    for (const Argument::Field &field : arg.fields) {
      bool isMap = field.kind == Argument::Kind::TensorMap;
      uint64_t size = isMap ? 128 : 8;
      if (arg.kind != Argument::Kind::Bytes ||
          field.kind == Argument::Kind::Bytes || field.offset > bytes ||
          bytes - field.offset < size ||
          (isMap && (field.offset % 64 || params[i].align < 64)))
        return bad(name + " has a field at " + Twine(field.offset) +
                   " that does not fit");
      if ((isMap ? field.map.buffer : field.buffer) >= launch.buffers.size())
        return bad(name + " has a field that names no buffer");
    }
  }
  for (const Buffer &buffer : launch.buffers)
    if (!buffer.data && buffer.bytes)
      return bad("buffer '" + buffer.name + "' has no memory");
  return Error::success();
}

Expected<const ir::Function *> checkLaunch(const Module &module,
                                           const Launch &launch) {
  std::vector<std::string> kernels = module.kernels();
  if (launch.kernel.empty() && kernels.size() != 1)
    return bad("the module has " + Twine(kernels.size()) +
               " kernels; name the one to run");
  StringRef name = launch.kernel.empty() ? kernels[0] : launch.kernel;
  const ir::Function *kernel = module.ir().findFunction(name);
  if (!kernel || !kernel->isKernel || kernel->isDeclaration)
    return bad("there is no kernel '" + name + "' in the module");
  if (Error error = checkShape(*kernel, launch))
    return std::move(error);
  if (Error error = checkArguments(*kernel, launch))
    return std::move(error);
  return kernel;
}

/// Writes a device address or a tensor map.
static Error packValue(const Grid &grid, Argument::Kind kind, size_t buffer,
                       uint64_t byteOffset, const TensorMap &map,
                       uint8_t *out) {
  if (kind == Argument::Kind::Buffer) {
    uint64_t address = grid.bufferAddresses[buffer] + byteOffset;
    std::memcpy(out, &address, 8);
    return Error::success();
  }
  uint64_t bytes = grid.launch->buffers[map.buffer].bytes;
  if (map.byteOffset > bytes)
    return bad("the tensor map starts behind its buffer");
  return encodeTensorMap(map, grid.bufferAddresses[map.buffer] + map.byteOffset,
                         bytes - map.byteOffset, out);
}

Error packParameters(const ir::Function &kernel, Grid &grid) {
  const Launch &launch = *grid.launch;
  std::vector<KernelParameter> params = layoutParameters(kernel);
  for (size_t i = 0; i != params.size(); ++i) {
    const Argument &arg = launch.arguments[i];
    grid.params.resize(params[i].offset + params[i].bytes);
    uint8_t *out = grid.params.data() + params[i].offset;
    Error error = Error::success();
    if (arg.kind != Argument::Kind::Bytes)
      error =
          packValue(grid, arg.kind, arg.buffer, arg.byteOffset, arg.map, out);
    else
      std::memcpy(out, arg.bytes.data(), arg.bytes.size());
    for (const Argument::Field &field : arg.fields)
      if (!error)
        error = packValue(grid, field.kind, field.buffer, field.byteOffset,
                          field.map, out + field.offset);
    if (error)
      return createStringError("argument " + Twine(i) + ": " +
                               toString(std::move(error)));
  }
  return Error::success();
}

} // namespace attn::ptx
