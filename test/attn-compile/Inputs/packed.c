/* packed.c - Calls each layer with panels that were made ahead, over a matrix
 * that is not there any more, and the same layer that packs at each call: both
 * have the same bits. Panels are made a second time, into memory that held
 * something else, with the same bits, too. */
#include "packed.h"
#include "plain.h"
#include "serial_context.h"
#include "tensor.h"
#include <stdio.h>

enum { kMost = 1 << 20 };

/* The upper bits of numbers between -1 and 1; those of f16 are between 0.5 and
 * 2, with each sign. */
static void fill(unsigned char *data, int64_t count, int code, int bits) {
  static unsigned seed = 7;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    float value = (float)(seed >> 8) / 8388608.0f - 1.0f;
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    uint16_t narrow = code == kDLBfloat
                          ? (uint16_t)(word >> 16)
                          : (uint16_t)(0x3800 | (seed >> 16 & 0x87ff));
    if (bits == 32)
      memcpy(data + 4 * i, &word, 4);
    else
      memcpy(data + 2 * i, &narrow, 2);
  }
}

static int64_t count(const DLTensor *t) {
  int64_t size = 1;
  for (int d = 0; d < t->ndim; ++d)
    size *= t->shape[d];
  return size;
}

typedef int packing(const attn_context *, DLTensor *, DLTensor *);
typedef int packing_shapes(const attn_context *, DLTensor *, int64_t *);
typedef int layer(const attn_context *, DLTensor *, DLTensor *, DLTensor *);
typedef int packed_layer(const attn_context *, DLTensor *, DLTensor *,
                         DLTensor *, DLTensor *);

static void compare(const char *name, int code, int bits, int64_t *x_shape,
                    int64_t *w_shape, int64_t *y_shape, layer *plain,
                    packed_layer *packed, packing *pack,
                    packing_shapes *shapes) {
  static unsigned char x_data[kMost], w_data[kMost], panels[kMost],
      again[kMost], y_data[kMost], z_data[kMost];
  attn_context ctx = make_context();
  DLTensor x = make_tensor(x_data, 2, x_shape),
           w = make_tensor(w_data, 2, w_shape);
  x.dtype.code = w.dtype.code = (uint8_t)code;
  x.dtype.bits = w.dtype.bits = (uint8_t)bits;
  fill(x_data, count(&x), code, bits);
  fill(w_data, count(&w), code, bits);
  DLTensor y = make_tensor(y_data, 2, y_shape),
           z = make_tensor(z_data, 2, y_shape);
  memset(y_data, 1, kMost);
  memset(z_data, 2, kMost);
  memset(panels, 3, kMost);
  memset(again, 4, kMost);
  int64_t sizes[4] = {0, 0, 0, 0};
  DLTensor p = make_tensor(panels, 4, sizes), q = make_tensor(again, 4, sizes);
  int status = plain(&ctx, &x, &w, &y) | shapes(&ctx, &w, sizes);
  status |= pack(&ctx, &w, &p) | pack(&ctx, &w, &q);
  size_t bytes = (size_t)count(&p) * 4;
  int differ = bytes > kMost || memcmp(panels, again, bytes) != 0;
  /* Of the matrix, whose rows are its columns now, nothing is read; the output
   * lies where it was. */
  int64_t strides[2] = {1, w_shape[0]};
  w.strides = strides;
  w.data = z_data;
  status |= packed(&ctx, &x, &w, &p, &z);
  differ |= memcmp(y_data, z_data, (size_t)count(&y) * 4) != 0;
  printf("%s: %d, %s\n", name, status, differ ? "other bits" : "same bits");
  sizes[1] += 1;
  if (packed(&ctx, &x, &w, &p, &z) != ATTN_ERROR_SHAPE)
    printf("%s takes panels of another size\n", name);
}

#define COMPARE(name, code, bits, rows, terms, columns, first, second)         \
  do {                                                                         \
    int64_t x[2] = {rows, terms}, w[2] = {first, second};                      \
    int64_t y[2] = {rows, columns};                                            \
    compare(#name, code, bits, x, w, y, plain_##name, name, name##_pack_1,     \
            name##_pack_1__shapes);                                            \
  } while (0)

int main(void) {
  COMPARE(single, kDLFloat, 32, 45, 1107, 75, 1107, 75);
  COMPARE(turned, kDLFloat, 32, 45, 1107, 75, 75, 1107);
#ifdef NARROW
  COMPARE(narrow, kDLBfloat, 16, 16, 1107, 75, 1107, 75);
#endif
#ifdef TILES
  COMPARE(half, kDLFloat, 16, 45, 70, 50, 50, 70);
  COMPARE(parts, kDLFloat, 32, 64, 70, 50, 70, 50);
  COMPARE(six, kDLFloat, 32, 64, 70, 50, 70, 50);
#endif
  return 0;
}
