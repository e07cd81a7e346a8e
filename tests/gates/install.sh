#!/usr/bin/env bash
# What is installed serves a stranger's C and C++ programs, through the CMake package and through pkg-config.
#
#   install.sh SOURCE BUILD
set -euo pipefail

gate=$1/tests/gates/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$2" --prefix "$prefix" >"$work/log"
pkg_config_folder=$(dirname "$(find "$prefix" -name weir.pc -print -quit)")
library_folder=$(dirname "$pkg_config_folder")

cmake -G Ninja -S "$gate" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log"
cmake --build "$work/cmake" >>"$work/log"
"$work/cmake/c_program"
"$work/cmake/cxx_program"
"$work/cmake/hpp_program"

export PKG_CONFIG_PATH=$pkg_config_folder
read -ra flags <<<"$(pkg-config --cflags --libs weir)"
cc -std=c99 "$gate/program.c" -o "$work/c_program" "${flags[@]}"
c++ -std=c++11 "$gate/program.cc" -o "$work/cxx_program" "${flags[@]}"
c++ -std=c++17 "$gate/program_hpp.cc" -o "$work/hpp_program" "${flags[@]}"
# weir.pc has told them where the library is; without that the loader must know.
for program in c_program cxx_program hpp_program; do env -u LD_LIBRARY_PATH "$work/$program"; done
read -ra flags <<<"$(pkg-config --define-variable=rpath= --cflags --libs weir)"
cc -std=c99 "$gate/program.c" -o "$work/plain_program" "${flags[@]}"
if env -u LD_LIBRARY_PATH ldd "$work/plain_program" | grep -F "$library_folder"; then exit 1; fi
LD_LIBRARY_PATH=$library_folder "$work/plain_program"

# Links of the installed pages lead to what is installed.
python3 - "$prefix" <<'EOF'
import pathlib, re, sys
links = [(page, link) for page in pathlib.Path(sys.argv[1]).rglob("*.md")
         for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text())]
dead = [(str(page), link) for page, link in links if not (page.parent / link).exists()]
sys.exit("\n".join(map(str, dead)) if dead else 0 if links else "no links")
EOF

# The installed command, where there is one, finds the installed library by itself.
if [[ -x $prefix/bin/weir ]]; then "$prefix/bin/weir" --version; fi
