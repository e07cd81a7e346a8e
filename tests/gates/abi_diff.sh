#!/usr/bin/env bash
# The library's binary interface has lost and changed nothing since the committed baseline; additions are free.
#
#   abi_diff.sh SOURCE LIBRARY
#
# What is changed on purpose is listed in baseline/allowed.suppr, in abidiff's own language.
set -euo pipefail

source=$1
library=$2
baseline=$source/tests/gates/baseline
if [[ ! -f $baseline/libweir.abi ]]; then
  echo "the baseline is missing; tools/abi-baseline writes it"
  exit 1
fi
if ! command -v abidiff >/dev/null; then
  echo "abidiff is missing; tools/install-deps installs it"
  exit 1
fi
options=(--no-added-syms)
if [[ -f $baseline/allowed.suppr ]]; then options+=(--suppressions "$baseline/allowed.suppr"); fi
abidiff "${options[@]}" "$baseline/libweir.abi" "$library"
