/* Decodes with caches whose unused rows are pages that fault: a kernel that
 * copied a cache, or read past a sequence's length, would not survive. */
#include "attn-runtime/attn_runtime.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int step(const attn_context *, DLTensor *query, DLTensor *new_key,
         DLTensor *new_value, DLTensor *keys, DLTensor *values,
         DLTensor *lengths, DLTensor *out);

enum { BATCH = 3, HEADS = 4, KV_HEADS = 2, DK = 40, DV = 24, SLABS = 6 };

#ifdef BF16
typedef uint16_t element;
enum { BITS = 16, CODE = kDLBfloat };
static const float tolerance = 1e-2f;
#else
typedef float element;
enum { BITS = 32, CODE = kDLFloat };
static const float tolerance = 1e-5f;
#endif

/* An element is the upper bytes of the float. */
static element to_element(float f) {
  element e;
  memcpy(&e, (char *)&f + sizeof f - sizeof e, sizeof e);
  return e;
}

static float to_float(element e) {
  float f = 0;
  memcpy((char *)&f + sizeof f - sizeof e, &e, sizeof e);
  return f;
}

static size_t scratch;
static void *allocate(void *host, size_t bytes, size_t align) {
  scratch += bytes;
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}
static void release(void *host, void *p) { free(p); }
static attn_context ctx = {ATTN_ABI_VERSION, 0, allocate, release, 0, {0}};

static DLTensor tensor(void *data, int ndim, int64_t *shape, int code,
                       int bits) {
  DLTensor t = {data, {kDLCPU, 0}, ndim, {code, bits, 1}, shape, NULL, 0};
  return t;
}

/* A number that depends on where it stands alone. */
static element number(size_t i) {
  return to_element((float)((i * 2654435761u >> 7) % 4001) / 1000 - 2);
}

/* A cache of `capacity` rows a slab; those from `used[b]` on cannot be read. */
static element *make_cache(size_t capacity, size_t width, const int *used,
                           int guarded) {
  size_t slab = capacity * width * sizeof(element),
         page = sysconf(_SC_PAGESIZE);
  char *cache = mmap(NULL, SLABS * slab, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cache == MAP_FAILED)
    exit(2);
  for (int s = 0; s < SLABS; ++s) {
    element *rows = (element *)(cache + s * slab);
    size_t count = used[s / KV_HEADS] * width;
    for (size_t i = 0; i < count; ++i)
      rows[i] = number(s * 99991 + i);
    size_t end = (count * sizeof(element) + page - 1) / page * page;
    if (guarded && mprotect(cache + s * slab + end, slab - end, PROT_NONE))
      exit(3);
  }
  return (element *)cache;
}

static element out[2][BATCH * HEADS * DV];

/* Two steps; the caches come with room for both. Returns the scratch asked for.
 */
static size_t decode(int64_t capacity, int guarded, element *result) {
  int lengths[BATCH] = {0, 700, 1099}, used[BATCH] = {2, 702, 1101};
  int64_t q[4] = {BATCH, HEADS, 1, DK}, k1[4] = {BATCH, KV_HEADS, 1, DK},
          v1[4] = {BATCH, KV_HEADS, 1, DV}, o[4] = {BATCH, HEADS, 1, DV},
          kn[4] = {BATCH, KV_HEADS, capacity, DK},
          vn[4] = {BATCH, KV_HEADS, capacity, DV}, batch[1] = {BATCH};
  element *keys = make_cache(capacity, DK, used, guarded);
  element *values = make_cache(capacity, DV, used, guarded);
  element query[BATCH * HEADS * DK], key[SLABS * DK], value[SLABS * DV];
  scratch = 0;
  for (int number_of_step = 0; number_of_step < 2; ++number_of_step) {
    for (size_t i = 0; i < BATCH * HEADS * DK; ++i)
      query[i] = number(i + 7 * number_of_step);
    for (size_t i = 0; i < SLABS * DK; ++i)
      key[i] = number(i + 11 + number_of_step);
    for (size_t i = 0; i < SLABS * DV; ++i)
      value[i] = number(i + 13 + number_of_step);
    DLTensor tq = tensor(query, 4, q, CODE, BITS),
             tk = tensor(key, 4, k1, CODE, BITS),
             tv = tensor(value, 4, v1, CODE, BITS),
             tkn = tensor(keys, 4, kn, CODE, BITS),
             tvn = tensor(values, 4, vn, CODE, BITS),
             tl = tensor(lengths, 1, batch, kDLInt, 32),
             to = tensor(result, 4, o, CODE, BITS);
    int status = step(&ctx, &tq, &tk, &tv, &tkn, &tvn, &tl, &to);
    if (status != 0)
      printf("step: %d %s\n", status, attn_error_message(&ctx));
    for (int s = 0; s < SLABS; ++s) {
      size_t row = s * capacity + lengths[s / KV_HEADS];
      if (memcmp(keys + row * DK, key + s * DK, sizeof(element) * DK) ||
          memcmp(values + row * DV, value + s * DV, sizeof(element) * DV))
        printf("slab %d: the new row is not where it belongs\n", s);
    }
    for (int b = 0; b < BATCH; ++b)
      ++lengths[b];
  }
  return scratch;
}

int main(void) {
  size_t little = decode(2048, 0, out[0]), much = decode(1 << 16, 1, out[1]);
  float worst = 0, most = 0;
  for (int i = 0; i < BATCH * HEADS * DV; ++i) {
    worst = fmaxf(worst, fabsf(to_float(out[0][i]) - to_float(out[1][i])));
    most = fmaxf(most, fabsf(to_float(out[0][i])));
  }
  printf("two steps: %s\n", worst < tolerance && most > 0.01f
                                ? "the same for any capacity"
                                : "wrong");
  printf("scratch: %s\n",
         little < 65536 && much < 65536 * 4 ? "little" : "much");
  printf("(%zu and %zu bytes, error %g of %g)\n", little, much, worst, most);
  return 0;
}
