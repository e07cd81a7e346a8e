#!/usr/bin/env bash
# A program that was compiled and linked against the baseline's library runs on the fresh one.
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
LD_LIBRARY_PATH=$(dirname "$2") "$program"
