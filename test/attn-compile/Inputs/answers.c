/* answers.c - Calls attention() of an object whose questions stop, as
 * stop_at_questions.py makes them, on processors that are told here: one that
 * has everything, less what the arguments name. Says which clone was taken, and
 * how often the permission to use tiles was asked for. */
#define _GNU_SOURCE
#include "problem.h"
#include <signal.h>
#include <ucontext.h>

static int lacks_bit, lacks_unit, lacks_half, lacks_fp16, lacks_state, is_intel,
    is_old, is_refused, requests;

#define CLONE(isa)                                                             \
  int attention__##isa(const attn_context *ctx, DLTensor *q, DLTensor *k,      \
                       DLTensor *v, DLTensor *o, DLTensor *lse) {              \
    printf("%s", #isa);                                                        \
    return ATTN_OK;                                                            \
  }
CLONE(x86_64)
CLONE(x86_64_v4)
CLONE(x86_64_v4_bf16)
CLONE(x86_64_v4_amx)
CLONE(x86_64_v4_amx_fp16)

/* AMX-BF16 and AMX-TILE are bits 22 and 24 of leaf 7 in edx, AMX-FP16 is bit
 * 21 of its second part in eax, AVX512-FP16 bit 23 of leaf 7 in edx. */
static void answer_cpuid(greg_t *registers) {
  unsigned leaf = registers[REG_RAX], part = registers[REG_RCX];
  registers[REG_RAX] = leaf == 0            ? (is_old ? 6 : 31)
                       : leaf == 0x80000000 ? 0x80000008
                                            : 0xffffffff;
  registers[REG_RBX] = registers[REG_RCX] = 0xffffffff;
  registers[REG_RDX] = 0xffffffff;
  if (leaf == 0 && is_intel)
    registers[REG_RBX] = 0x756e6547;
  if (leaf == 7 && lacks_fp16)
    registers[REG_RDX] &= ~(1u << 23);
  if (leaf == 7 && lacks_bit)
    registers[REG_RDX] &= ~(1u << 22);
  if (leaf == 7 && lacks_unit)
    registers[REG_RDX] &= ~(1u << 24);
  if (leaf == 7 && part == 1 && lacks_half)
    registers[REG_RAX] &= ~(1u << 21);
}

/* arch_prctl(ARCH_REQ_XCOMP_PERM, 18), or another call. */
static void answer_call(greg_t *registers) {
  if (registers[REG_RAX] != 158 || registers[REG_RDI] != 0x1023 ||
      registers[REG_RSI] != 18)
    printf("a call that nobody expects, ");
  ++requests;
  registers[REG_RAX] = is_refused ? -1 : 0;
}

static void answer(int signal, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  switch (*(const unsigned char *)registers[REG_RIP]) {
  case 0x0f:
    answer_cpuid(registers);
    break;
  case 0x07:
    registers[REG_RAX] = lacks_state ? 0xffffffff & ~0x40000u : 0xffffffff;
    registers[REG_RDX] = 0;
    ++registers[REG_RIP];
    break;
  case 0x06:
    answer_call(registers);
    break;
  default:
    abort();
  }
  registers[REG_RIP] += 2;
}

int main(int argc, char **argv) {
  attn_context ctx = make_context();
  arguments a = make_arguments();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
  for (int i = 1; i < argc; ++i) {
    lacks_bit |= !strcmp(argv[i], "bit");
    lacks_unit |= !strcmp(argv[i], "unit");
    lacks_half |= !strcmp(argv[i], "half");
    lacks_fp16 |= !strcmp(argv[i], "fp16");
    is_intel |= !strcmp(argv[i], "intel");
    lacks_state |= !strcmp(argv[i], "state");
    is_old |= !strcmp(argv[i], "leaf");
    is_refused |= !strcmp(argv[i], "permission");
  }
  for (int call = 0; call < 2; ++call) {
    int status = attention(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse);
    printf(": status %d, %d requests\n", status, requests);
    if (status)
      printf("%s\n", attn_error_message(&ctx));
  }
  return 0;
}
