#!/usr/bin/env bash
# A program and an extension that were compiled and linked against the baseline's library run on the fresh one.
#
#   old_program.sh SOURCE LIBRARY
set -euo pipefail

program=$1/tests/gates/baseline/old_program
if [[ ! -f $program ]]; then
  echo "the program is missing; tools/abi-baseline writes it"
  exit 1
fi
if [[ $(uname -m) != x86_64 ]]; then
  echo "the committed program is for x86_64"
  exit 77
fi
build=$(dirname "$2")
LD_LIBRARY_PATH=$build "$program"
document='countdown(10, step: 3) | map(n -> (n, vowels(as_string(n)))) | concatenate(text_line("text://one") | map(s -> (1, vowels(s))))'
given=$(WEIR_EXTENSIONS=$1/tests/gates/baseline "$build/weir" run -e "$document")
expected=$'(10, 0)\n(7, 0)\n(4, 0)\n(1, 0)\n(1, 2)'
if [[ $given != "$expected" ]]; then
  printf 'old_program: the extension gives\n%s\ninstead of\n%s\n' "$given" "$expected"
  exit 1
fi
