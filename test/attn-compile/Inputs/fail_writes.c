/* fail_writes.c - A C library whose disk is full after FAIL_AFTER bytes, or
 * that renames no more than FAIL_RENAMES files. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Counts down what the variable allows; below 0 it allows anything. */
static long get_limit(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  static long room = -2;
  if (!real)
    real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (room == -2)
    room = get_limit("FAIL_AFTER");
  if (descriptor <= 2 || room < 0)
    return real(descriptor, bytes, count);
  if (room == 0) {
    errno = ENOSPC;
    return -1;
  }
  if (count > (size_t)room)
    count = (size_t)room;
  room -= (long)count;
  return real(descriptor, bytes, count);
}

int rename(const char *from, const char *to) {
  static int (*real)(const char *, const char *);
  static long left = -2;
  if (!real)
    real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  if (left == -2)
    left = get_limit("FAIL_RENAMES");
  if (left == 0) {
    errno = EACCES;
    return -1;
  }
  left -= left > 0;
  return real(from, to);
}
