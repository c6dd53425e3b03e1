/* tokens.h - What a model would compute for each token, and what attention to
 * it is by definition. The numbers are random. */
#ifndef TOKENS_H
#define TOKENS_H

#include "decoder.h"

enum { kQueryHeads = 8, kKeyHeads = 2, kDim = 64, kPrompt = 37, kTokens = 60 };
enum { kSteps = kPrompt + kTokens };

/* [head][token][dim] */
extern float queries[kQueryHeads][kSteps][kDim];
extern float keys[kKeyHeads][kSteps][kDim], values[kKeyHeads][kSteps][kDim];

void fill_tokens(void);

/* A tensor of four dimensions whose last one is contiguous. */
typedef struct {
  DLTensor tensor;
  int64_t shape[4], strides[4];
} view;

/* `rows` rows of `heads` heads, which are head_stride elements apart. */
DLTensor *describe(view *v, DLDeviceType device, void *data, int64_t heads,
                   int64_t rows, int64_t head_stride);

/* How far `out` is from the definition of attention in f64, for one token and
 * one query head. */
double check_row(const float *out, int head, int token);

#endif
