/* tokens.c - Random tokens, and attention by definition. */
#include "tokens.h"
#include <math.h>
#include <string.h>

float queries[kQueryHeads][kSteps][kDim];
float keys[kKeyHeads][kSteps][kDim], values[kKeyHeads][kSteps][kDim];

static void fill(float *data, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

void fill_tokens(void) {
  fill(&queries[0][0][0], sizeof queries / sizeof(float), 1);
  fill(&keys[0][0][0], sizeof keys / sizeof(float), 2);
  fill(&values[0][0][0], sizeof values / sizeof(float), 3);
}

DLTensor *describe(view *v, DLDeviceType device, void *data, int64_t heads,
                   int64_t rows, int64_t head_stride) {
  int64_t shape[4] = {1, heads, rows, kDim};
  int64_t strides[4] = {0, head_stride, kDim, 1};
  memcpy(v->shape, shape, sizeof shape);
  memcpy(v->strides, strides, sizeof strides);
  memset(&v->tensor, 0, sizeof v->tensor);
  v->tensor.data = data;
  v->tensor.device.device_type = device;
  v->tensor.ndim = 4;
  v->tensor.dtype.code = kDLFloat;
  v->tensor.dtype.bits = 32;
  v->tensor.dtype.lanes = 1;
  v->tensor.shape = v->shape;
  v->tensor.strides = v->strides;
  return &v->tensor;
}

double check_row(const float *out, int head, int token) {
  int shared = head / (kQueryHeads / kKeyHeads);
  double score[kSteps], sum = 0, worst = 0;
  for (int j = 0; j <= token; ++j) {
    double dot = 0;
    for (int d = 0; d < kDim; ++d)
      dot += (double)queries[head][token][d] * (double)keys[shared][j][d];
    score[j] = exp(dot / sqrt(kDim));
    sum += score[j];
  }
  for (int d = 0; d < kDim; ++d) {
    double expected = 0;
    for (int j = 0; j <= token; ++j)
      expected += score[j] / sum * (double)values[shared][j][d];
    worst = fmax(worst, fabs(expected - (double)out[d]));
  }
  return worst;
}
