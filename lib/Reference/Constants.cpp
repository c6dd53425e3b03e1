//===- Constants.cpp - Reads constant attributes --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace attn::reference::detail {

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static int64_t toInt(const APInt &value) {
  return wrap(value.getZExtValue(), value.getBitWidth());
}

static TensorRef readDense(DenseElementsAttr dense) {
  ShapedType type = dense.getType();
  auto result =
      std::make_shared<Tensor>(type.getElementType(), type.getShape());
  if (result->isFloat()) {
    if (dense.isSplat())
      std::fill(result->floats.begin(), result->floats.end(),
                toDouble(dense.getSplatValue<APFloat>()));
    else
      llvm::transform(dense.getValues<APFloat>(), result->floats.begin(),
                      toDouble);
  } else {
    if (dense.isSplat())
      std::fill(result->ints.begin(), result->ints.end(),
                toInt(dense.getSplatValue<APInt>()));
    else
      llvm::transform(dense.getValues<APInt>(), result->ints.begin(), toInt);
  }
  return result;
}

TensorRef readConstant(Attribute value, Type type) {
  if (!isSupportedElementType(getElementTypeOrSelf(type)))
    return nullptr;
  if (auto number = dyn_cast<FloatAttr>(value))
    return std::make_shared<Tensor>(
        Tensor::scalar(type, toDouble(number.getValue())));
  if (auto number = dyn_cast<IntegerAttr>(value))
    return std::make_shared<Tensor>(
        Tensor::scalar(type, toInt(number.getValue())));
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return readDense(dense);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    bool isSplat = false;
    if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                      blob->getData(), isSplat))
      return nullptr;
    return readDense(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                         blob->getData()));
  }
  return nullptr;
}

} // namespace attn::reference::detail
