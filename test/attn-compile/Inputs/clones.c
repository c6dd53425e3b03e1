/* clones.c - Says which clone attention() is, by its bits. The arguments name
 * the clones that this machine can run. */
#include "problem.h"

typedef int kernel(const attn_context *, DLTensor *, DLTensor *, DLTensor *,
                   DLTensor *, DLTensor *);

/* What there is, as the command line of the compiler may say it. */
#ifndef CLONES
#define CLONES                                                                 \
  CLONE(x86_64) CLONE(x86_64_v3) CLONE(x86_64_v4) CLONE(x86_64_v4_bf16)
#endif
#define CLONE(isa) extern kernel attention__##isa;
CLONES
#undef CLONE
#define CLONE(isa) {#isa, attention__##isa},
static const struct {
  const char *name;
  kernel *run;
} clones[] = {CLONES};
enum { kClones = sizeof(clones) / sizeof(clones[0]) };

int main(int argc, char **argv) {
  static float chosen[kOutputCount];
  attn_context ctx = make_context();
  arguments a = make_arguments();
  printf("status %d\n", attention(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse));
  memcpy(chosen, output, sizeof chosen);
  for (int i = 1; i < argc; ++i)
    for (int c = 0; c < kClones; ++c) {
      if (strcmp(argv[i], clones[c].name))
        continue;
      a = make_arguments();
      int status = clones[c].run(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse);
      float worst = 0;
      for (int e = 0; e < kOutputCount; ++e) {
        float error = chosen[e] - output[e];
        error = error < 0 ? -error : error;
        worst = error > worst ? error : worst;
      }
      printf("%s: %d, %s, %s\n", argv[i], status,
             memcmp(chosen, output, sizeof chosen) ? "other bits" : "same bits",
             worst < 1e-5f ? "close" : "far");
    }
  return 0;
}
