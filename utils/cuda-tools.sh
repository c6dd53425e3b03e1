#!/usr/bin/env bash
# Gets ptxas and nvdisasm from pip's wheels into build/cuda-tools, for the checks of machine code.
# Does nothing where both are in PATH, and says so where there is no network. Prints the folder to add to PATH.
#
#   PATH=$PATH:$(utils/cuda-tools.sh) utils/ptxas-gate.py
#   utils/ptxas-gate.py --ptxas=/usr/local/cuda/bin,$(utils/cuda-tools.sh build/cuda-12.8 12.8)
#
# With a version it gets that ptxas, whatever there is in PATH.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/cuda-tools}
version=${2:-}

# fetch TOOL PACKAGE...: the first of the packages that there is
fetch() {
  local tool=$1 wheels found
  shift
  if [ -x "$folder/$tool" ]; then return 0; fi
  if [ -z "$version" ] && command -v "$tool" > /dev/null; then return 0; fi
  wheels=$(mktemp -d)
  for package in "$@"; do
    if python3 -m pip download --quiet --no-deps --dest "$wheels" "$package" > /dev/null 2>&1; then break; fi
  done
  for wheel in "$wheels"/*.whl; do
    if [ -e "$wheel" ]; then python3 -m zipfile -e "$wheel" "$wheels/files"; fi
  done
  found=$(find "$wheels" -path "*/bin/$tool" -type f | head -n 1)
  if [ -n "$found" ]; then
    mkdir -p "$folder"
    install -m 755 "$found" "$folder/$tool"
  else
    echo "cuda-tools.sh: no $tool: pip has none of $*" >&2
  fi
  rm -rf "$wheels"
}

if [ -n "$version" ]; then
  fetch ptxas "nvidia-cuda-nvcc==$version.*" "nvidia-cuda-nvcc-cu12==$version.*"
else
  fetch ptxas nvidia-cuda-nvcc nvidia-cuda-nvcc-cu12
  fetch nvdisasm nvidia-cuda-nvdisasm nvidia-cuda-nvdisasm-cu12
fi
echo "$folder"
