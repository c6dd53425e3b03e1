#!/usr/bin/env bash
# Runs what the sanitizers can see of the compiler and of compiled kernels. The
# last lines say how each part ended; the exit status is 0 only if all passed.
#
#   utils/sanitize.sh                  all parts
#   utils/sanitize.sh kernels threads  those
#
# kernels   address sanitizer in the code of kernels: the C example, and the sweep
#           over wrong sizes, which then sees scratch on the stack as well
# threads   thread sanitizer in kernels, on the example's pool and on AttnRuntime
# library   address and leak sanitizer in C programs on libattn, which sees its memory
# gpu       address sanitizer in the host's side of GPU programs, on the simulated driver
# valgrind  objects of attn-compile and the C example under valgrind
# tools     tools with assertions and the address and undefined-behaviour sanitizers, in
#           a build folder of its own (build-asan; 20 minutes), the quick tests, and fuzzers
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$ATTN_ROOT" || exit 2

llvm=$(llvm-config-22 --bindir)
bin="$ATTN_BUILD/bin"
work="$ATTN_BUILD/sanitize"
target=cpu:x86-64-v3
# the one with numpy that the build has found
python=$(sed -n 's/^ATTN_PYTHON:[A-Z]*=//p' "$ATTN_BUILD/CMakeCache.txt")
mkdir -p "$work"

# example SANITIZER POOL.c...: the C example, its kernels and its threads with the
# sanitizer. The lowered kernels are instrumented by clang: a function says that it
# wants to be.
example() {
  local name=$1 dir="$work/$1"
  shift
  mkdir -p "$dir"
  "$bin/attn-compile" examples/c/decoder.mlir --target=$target --emit=header -o "$dir/decoder" &&
    "$bin/attn-opt" examples/c/decoder.mlir --attn-to-cpu=target=$target -o "$dir/lowered.mlir" &&
    "$llvm/mlir-translate" --mlir-to-llvmir "$dir/lowered.mlir" -o "$dir/kernels.ll" || return 1
  sed -i "/^define/s/ {\$/ sanitize_$name {/" "$dir/kernels.ll"
  [ "$(grep -c "^define.*sanitize_$name" "$dir/kernels.ll")" -gt 0 ] || return 1
  local options=(-O1 -g -march=x86-64-v3 "-fsanitize=$name" "-I$dir" -Iexamples/c -Iinclude -Wno-override-module -Wno-unused-command-line-argument)
  local objects=("$dir/kernels.o") source
  clang-22 "${options[@]}" -c "$dir/kernels.ll" -o "$dir/kernels.o" || return 1
  for source in examples/c/main.c examples/c/tokens.c "$@"; do
    objects+=("$dir/$(basename "$source").o")
    case $source in
      *.cpp) clang++-22 -std=c++17 "${options[@]}" -c "$source" -o "${objects[-1]}" || return 1 ;;
      *) clang-22 -std=c11 "${options[@]}" -c "$source" -o "${objects[-1]}" || return 1 ;;
    esac
  done
  clang++-22 "-fsanitize=$name" "${objects[@]}" -lpthread -lm -o "$dir/run" || return 1
  local threads
  for threads in 1 2 5; do
    "$dir/run" $threads || return 1
  done
}

kernels() {
  run_step kernels-example example address examples/c/threads.c &&
    run_step kernels-sweep "$python" test/Integration/size_sweep.py --attn-compile="$bin/attn-compile" \
      --directory="$work/sweep" --path=fast --quick --sanitize
}

threads() {
  run_step threads-example example thread examples/c/threads.c &&
    run_step threads-host example thread test/attn-compile/Inputs/host_pool.c lib/Runtime/HostContext.cpp lib/Runtime/ScratchCache.cpp
}

# on_library PROGRAM ARGUMENT...: a test program of the C API with the sanitizer.
on_library() {
  local program="$work/library/$1"
  clang-22 -std=c99 -pedantic -g -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude "test/CAPI/Inputs/$1.c" \
    -o "$program" "-L$ATTN_BUILD/lib" -lattn "-Wl,-rpath,$ATTN_BUILD/lib" -lpthread || return 1
  shift
  "$program" "$@"
}

library() {
  mkdir -p "$work/library"
  run_step library-kernel on_library kernel && run_step library-errors on_library errors &&
    run_step library-callbacks on_library callbacks && run_step library-threads on_library threads 1 &&
    run_step library-build on_library build && run_step library-memory on_library memory 20 1000000 &&
    run_step library-modules on_library modules "$work/library" examples/torch_sdpa_causal.mlir
}

gpu_tests() {
  LD_PRELOAD=$(clang-22 -print-file-name=libclang_rt.asan-x86_64.so) ASAN_OPTIONS=detect_leaks=0 \
    LD_LIBRARY_PATH="$ATTN_BUILD/lib/simulated-driver" "$python" "$work/gpu_suite/suite.py" --only=tests
}

gpu() {
  run_step gpu-make "$python" benchmarks/gpu_suite/make.py --bin="$bin" --tests=60 --no-timings --no-golden --sanitize \
    --cc=clang-22 --output="$work/gpu_suite.tar.gz" &&
    run_step gpu-unpack tar xf "$work/gpu_suite.tar.gz" -C "$work" &&
    run_step gpu-tests gpu_tests
}

valgrind() {
  run_step valgrind "$llvm/lit" -v --no-progress-bar "$ATTN_BUILD/test" --filter=valgrind
}

tools() {
  # The packaged LLVM is not made for the sanitizer: it neither unpoisons what its
  # allocators hand out, nor gives back all at its end.
  # Too large allocations are null, as without it.
  local -x ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:allocator_may_return_null=1
  run_step tools-configure cmake -S . --preset asan -B build-asan &&
    run_step tools-build cmake --build build-asan --target attn-test-depends &&
    ATTN_LOG_LINES=400 run_step tools-tests timeout 7200 "$llvm/lit" -v --no-progress-bar --param quick=1 \
      build-asan/test build-asan/test/unittests &&
    run_step tools-fuzz utils/fuzz.py --minutes=2 --jobs="$(nproc)" --binaries=build-asan/bin ir sizes npz parse cli raise
}

parts=("$@")
[ "${#parts[@]}" -gt 0 ] || parts=(kernels threads library gpu valgrind tools)
failed=0
summary=()
for part in "${parts[@]}"; do
  case $part in
    kernels | threads | library | gpu | valgrind | tools) ;;
    *) echo "usage: utils/sanitize.sh [kernels] [threads] [library] [gpu] [valgrind] [tools]" >&2; exit 2 ;;
  esac
  started=$SECONDS
  if "$part"; then result=passed; else result=FAILED failed=1; fi
  summary+=("$part: $result ($((SECONDS - started)) s)")
done
printf '%s\n' "${summary[@]}"
exit "$failed"
