#!/usr/bin/env bash
# All that has to hold before a change lands: the build, layers, formatting,
# clang-tidy, the docs, the thread sanitizer in kernels, and every lit and unit
# test. The last line is `N passed, N failed`; the exit
# status is 0 only if nothing failed. `--quick` leaves out clang-tidy and the
# tests that are marked as slow. `--frameworks` also runs those that need torch,
# JAX or ONNX: with the Python that ATTN_FRAMEWORKS names, else with what
# utils/frameworks.sh gets within 15 minutes; what it could not get is named.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

quick=0
frameworks=0
for option in "$@"; do
  case "$option" in
    --quick) quick=1 ;;
    --frameworks) frameworks=1 ;;
    *) echo "usage: utils/check.sh [--quick] [--frameworks]" >&2; exit 2 ;;
  esac
done

cd "$ATTN_ROOT" || exit 2
passed=0
failed=0

# A check counts as one test.
check() {
  if run_step "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

check_format() {
  utils/format.sh --dry-run --Werror
}

# clang-tidy takes the precompiled header of the build, made by the same clang,
# and looks at nothing in it. So the headers that it holds are read by themselves.
check_tidy() {
  clang-tidy-22 -quiet "$ATTN_ROOT/cmake/pch.h" -- -xc++ -std=gnu++17 -fno-exceptions -DNDEBUG \
    "-I$ATTN_ROOT/include" "-I$ATTN_BUILD/include" -isystem "$(llvm-config-22 --includedir)" &
  local headers=$! status
  run-clang-tidy-22 -p "$ATTN_BUILD" -quiet -j "$(nproc)" "$ATTN_ROOT/(lib|tools|test)/.*\.cpp$"
  status=$?
  wait "$headers" && return "$status"
}

# Fetching the frameworks waits for the network, the build does not.
fetching=
if [ "$frameworks" -eq 1 ] && [ -z "${ATTN_FRAMEWORKS-}" ] && run_step bootstrap utils/bootstrap.sh; then
  utils/frameworks.sh 900 >"$ATTN_LOGS/frameworks.log" 2>&1 </dev/null &
  fetching=$!
fi
if ! prepare all; then
  [ -z "$fetching" ] || kill "$fetching"
  echo "0 passed, 1 failed"
  exit 1
fi
check layers utils/check-layers.py
check clang-format check_format
[ "$quick" -eq 1 ] || check clang-tidy check_tidy
if utils/docs-site.sh --tools >"$ATTN_LOGS/docs-tools.log" 2>&1 </dev/null; then
  check docs-site utils/docs-site.sh
else
  echo "SKIPPED docs-site (pip cannot install mkdocs)"
fi

if grep -qw avx2 /proc/cpuinfo; then
  check threads utils/sanitize.sh threads
else
  echo "SKIPPED the thread sanitizer in kernels (no AVX2)"
fi

# lit counts for itself; what it could not run is named with the reason.
results="$ATTN_LOGS/lit.json"
rm -f "$results"
suites=("$ATTN_BUILD/test")
[ -z "$(ls "$ATTN_BUILD/test/unittests/bin" 2>/dev/null)" ] || suites+=("$ATTN_BUILD/test/unittests")
params=()
[ "$quick" -eq 0 ] || params=(--param quick=1)
if [ "$frameworks" -eq 1 ]; then
  if [ -n "$fetching" ]; then
    wait "$fetching"
    grep '^SKIPPED' "$ATTN_LOGS/frameworks.log"
  fi
  python=${ATTN_FRAMEWORKS:-$ATTN_BUILD/frameworks/bin/python}
  [ ! -x "$python" ] || params+=(--param "frameworks=$python")
fi
# The time limit only ends a test that hangs.
ATTN_LOG_LINES=400 run_step tests timeout 3600 "$(llvm-config-22 --bindir)/lit" -v --no-progress-bar \
  "${params[@]}" --output "$results" "${suites[@]}"
lit_status=$?
if [ -s "$results" ]; then
  read -r lit_passed lit_failed < <(/usr/bin/env python3 utils/summarize-lit.py "$results" "$ATTN_LOGS/skipped.txt")
  passed=$((passed + lit_passed))
  failed=$((failed + lit_failed))
  cat "$ATTN_LOGS/skipped.txt"
fi
# A test run that died without naming a failed test is a failure all the same.
if [ "$lit_status" -ne 0 ] && [ "${lit_failed:-0}" -eq 0 ]; then
  failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
