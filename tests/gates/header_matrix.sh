#!/usr/bin/env bash
# The public headers compile alone and without a warning under every standard that the manual names.
#
#   header_matrix.sh SOURCE
set -euo pipefail

source=$1
headers=()
for header in weir.h dlpack.h weir.hpp weir_operators.hpp; do
  if [[ -f $source/include/weir/$header ]]; then headers+=("$header"); fi
done
if [[ ! -f $source/include/weir/weir.h ]]; then
  echo "include/weir/weir.h is missing"
  exit 1
fi

flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I "$source/include")
compiled=0
failed=0

# Compiles "#include <weir/$3>" as the language $2 of the standard $1 with the compiler named by the rest.
try() {
  local standard=$1 language=$2 header=$3 compiler
  shift 3
  for compiler in "$@"; do
    command -v "$compiler" >/dev/null || continue
    compiled=$((compiled + 1))
    if ! printf '#include <weir/%s>\n#include <weir/%s>\nint main(void) { return 0; }\n' "$header" "$header" |
      "$compiler" "-std=$standard" "${flags[@]}" -x "$language" -; then
      echo "FAILED: $header with $compiler -std=$standard"
      failed=$((failed + 1))
    fi
  done
}

for header in "${headers[@]}"; do
  if [[ $header == *.h ]]; then
    for standard in c99 c11 c17 c2x; do try $standard c "$header" gcc clang; done
  fi
  if [[ $header == *.h ]]; then
    for standard in c++11 c++14; do try $standard c++ "$header" g++ clang++; done
  fi
  for standard in c++17 c++20 c++2b; do try $standard c++ "$header" g++ clang++; done
done
# Strict hosts, and those without RTTI, take weir.hpp too.
flags+=(-Wconversion -fno-rtti)
for standard in c++17 c++20; do try $standard c++ weir.hpp g++ clang++; done
echo "$compiled compilations, $failed failed"
((failed == 0 && compiled > 0))
