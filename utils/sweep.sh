#!/usr/bin/env bash
# Runs every generated case, where the suite runs a part of them: against the f64
# reference, on both paths. Takes about an hour on two cores. The exit status is 0
# only if no case failed.
#
#   utils/sweep.sh                     the CPU
#   utils/sweep.sh nvptx:sm_80         a simulated GPU
#   utils/sweep.sh cpu:x86-64-v3       another clone
#   utils/sweep.sh cpu:aarch64         an emulated processor
#   utils/sweep.sh cpu:x86-64-v4-amx   an emulated tile unit
#   utils/sweep.sh cpu generate_cases  one generator of test/Integration
#   utils/sweep.sh cpu models          the exported models
#   utils/sweep.sh cpu sizes           each op with each size wrong, on both paths
#   utils/sweep.sh cpu tests           the tests that only this script runs
#   utils/sweep.sh cpu moments         200 random attentions and 6 streams of 64 blocks: predicted moments beside drawn ones
#   utils/sweep.sh cpu spellings       2000 random spellings of attention, and what they are raised to
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$ATTN_ROOT" || exit 2

target=${1:-cpu}
shift
generators=("$@")
[ $# -gt 0 ] || generators=(generate_cases generate_decode probe_cases load_cases norm_cases row_cases
  generate_elements generate_blocks generate_transformer models sizes tests moments spellings)
# the one with numpy that the build has found
python=$(sed -n 's/^ATTN_PYTHON:[A-Z]*=//p' "$ATTN_BUILD/CMakeCache.txt")
work="$ATTN_BUILD/sweep"
mkdir -p "$work"

# sweep NAME: one generator, or the models.
sweep() {
  local flags= emulator= native=cpu
  case $target in
    cpu | cpu:x86-64 | cpu:x86-64-v[34] | cpu:x86-64-v4-bf16) native=$target flags="--target=$target" ;;
    cpu:*-amx*) emulator=--emulator=amx flags="--target=$target $emulator" ;;
    cpu:aarch64*) emulator=--emulator=qemu-aarch64 flags="--target=$target $emulator" ;;
    *) flags="--target=$target --simulate" ;;
  esac
  if [ "$1" = spellings ]; then
    utils/fuzz.py raise --runs=2000 --minutes=240 --jobs="$(nproc)" --binaries="$ATTN_BUILD/bin" \
      --directory="$work/spellings" --keep="$work/spellings/wrong"
  elif [ "$1" = moments ]; then
    local oracle=("$python" test/Analysis/Inputs/moment_oracle.py --attn-opt="$ATTN_BUILD/bin/attn-opt")
    "${oracle[@]}" --models=200 --draws=16 --again=256 && "${oracle[@]}" --streams --draws=32 --largest=256
  elif [ "$1" = tests ]; then
    "$(llvm-config-22 --bindir)/lit" -v --no-progress-bar --param sweep=1 --filter="$(grep -rl 'REQUIRES:.*sweep' test |
      sed 's|^test/||' | paste -sd'|')" "$ATTN_BUILD/test"
  elif [ "$1" = sizes ]; then
    "$python" test/Integration/size_sweep.py --attn-compile="$ATTN_BUILD/bin/attn-compile" --target="$native" --directory="$work/sizes"
  elif [ "$1" = models ]; then
    "$python" test/Models/run.py --bin="$ATTN_BUILD/bin" --jobs="$(nproc)" --directory="$work/models" \
      --cases=test/Models/cases.tar.xz --missing=test/Models/missing.json --flags="$flags"
  else
    "$python" "test/Integration/$1.py" --attn-run="$ATTN_BUILD/bin/attn-run" --target="$target" $emulator --jobs="$(nproc)" \
      --directory="$work/$1"
  fi
}

failed=0
for name in "${generators[@]}"; do
  if run_step "sweep-$name" sweep "$name"; then
    tail -n 1 "$ATTN_LOGS/sweep-$name.log"
  else
    failed=1
  fi
done
exit "$failed"
