/* tensor.h - Compact f32 tensors. Comes after a kernel's header, which declares
 * DLTensor. */
#include <string.h>

static DLTensor make_tensor(void *data, int ndim, int64_t *shape) {
  DLTensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.device.device_type = kDLCPU;
  t.ndim = ndim;
  t.dtype.code = kDLFloat;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}
