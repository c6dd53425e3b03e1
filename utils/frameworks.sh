#!/usr/bin/env bash
# Puts JAX, ONNX and PyTorch into a virtual environment of the build, build/frameworks,
# for the tests that need them, and names what could not be had in time.
#
#   utils/frameworks.sh [SECONDS]    in so many seconds, 300 without it
#
# JAX and ONNX come first: they are small. Beside the default index others are only
# asked if they answer at once: pip tries a host again and again. Where PyTorch's own
# index does not answer, its build with CUDA comes from the default one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
folder=build/frameworks
end=$((SECONDS + ${1:-300}))

answers() {
  python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="HEAD"), timeout=5)' "$1" 2>/dev/null
}

# get NAME REQUIREMENTS [OPTIONS OF PIP...]: what was installed for the same file stays.
get() {
  local name=$1 file=$2 left=$((end - SECONDS))
  shift 2
  cmp -s "$file" "$folder/$name.txt" && return
  rm -f "$folder/$name.txt"
  if [ "$left" -gt 0 ] && timeout "$left" "$folder/bin/pip" install --quiet --retries 1 --timeout 20 --no-compile "$@" -r "$file"; then
    cp "$file" "$folder/$name.txt"
    return
  fi
  echo "SKIPPED $name: pip could not install $file in time"
  return 1
}

[ -x "$folder/bin/pip" ] || python3 -m venv --clear "$folder" || exit 3
get jax-onnx utils/frameworks.txt
extra=()
for option in "--extra-index-url https://download.pytorch.org/whl/cpu" \
  "--find-links https://github.com/llvm/torch-mlir-release/releases/expanded_assets/dev-wheels"; do
  # shellcheck disable=SC2206 # An option and its value.
  answers "${option#* }" && extra+=($option)
done
if ! get torch utils/frameworks-torch.txt "${extra[@]}"; then
  # Half of it would be taken for all.
  rm -rf "$folder"/lib/python*/site-packages/torch "$folder"/lib/python*/site-packages/torch_mlir
fi
