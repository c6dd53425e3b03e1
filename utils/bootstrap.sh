#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12, and nothing when it
# is there already. Run it as root, or as a user who may use sudo.
set -euo pipefail

packages=(
  # the compiler infrastructure and the compiler
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 lld-22 libomp-22-dev libclang-rt-22-dev
  clang-format-22 clang-tidy-22
  # what LLVM's package files and our libraries link
  libzstd-dev zlib1g-dev libxml2-dev libzip-dev libdlpack-dev
  # building and testing
  cmake ninja-build libgtest-dev python3 python3-numpy git
  valgrind pkg-config
  # code for AArch64 on another machine: tests that run it are skipped without
  qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "This script knows apt only. Please install: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Neither root nor sudo. Please run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
    -o Acquire::Retries=3 "$@"
}

echo "installing ${#missing[@]} packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! apt update >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# LLVM 22 came to Debian 12 through its security archive, which a hand-made
# system (debootstrap) may lack.
unknown=()
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
done
if [ "${#unknown[@]}" -gt 0 ]; then
  echo "apt knows no package ${unknown[*]}." >&2
  echo "Debian 12 has them in its main and security archives. Please see that /etc/apt has both lines:" >&2
  echo "  deb http://deb.debian.org/debian bookworm main" >&2
  echo "  deb http://deb.debian.org/debian-security bookworm-security main" >&2
  exit 1
fi
if ! apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
