//===- DeviceImages.h - Device code in the host's object --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_HOST_DEVICEIMAGES_H
#define ATTN_CONVERSION_HOST_DEVICEIMAGES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attn {

/// Code for one architecture, or PTX: an attn_gpu_image.
struct DeviceImage {
  /// 80 for sm_80; 0 is PTX.
  unsigned arch = 0;
  std::string bytes;
};

/// Defines the attn_gpu_module that the kernels' descriptions point to, in a
/// module whose host side is in the LLVM dialect. Does nothing where no kernel
/// is described.
void embedDeviceImages(mlir::ModuleOp module,
                       const std::vector<DeviceImage> &images);

} // namespace attn

#endif // ATTN_CONVERSION_HOST_DEVICEIMAGES_H
