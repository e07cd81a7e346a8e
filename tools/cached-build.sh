# Sourced by the tools that build a dependency from its Debian source package. The caller defines
#
#   build SOURCE WORK FLAGS    which leaves its result in WORK/prefix
#
# and calls cached_build PACKAGE FLAGS, which prints the folder of the finished result. The folder is keyed by
# the package's version, the compiler's and the flags; it appears in one step, so that a broken-off build leaves none.
# shellcheck shell=bash

cached_build() {
  local package=$1 flags=$2 cache version compiler key final work source tools
  tools=$(dirname "${BASH_SOURCE[0]}")
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/weir
  version=$(dpkg-query -W -f '${source:Package}-${source:Version}' "$package")
  # Makefiles know no colons in names.
  version=${version//:/-}
  compiler=$("${CXX:-c++}" -dumpfullversion)
  key=$(printf '%s\n' "$compiler" "$flags" "$(declare -f build)" | sha256sum | cut -c1-12)
  final=$cache/$version-$key
  if [[ ! -d $final ]]; then
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/building.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    mkdir "$work/prefix"
    source=$("$tools/fetch-debian-source" "$package" "$work/source")
    build "$source" "$work" "$flags" >&2
    mv -T "$work/prefix" "$final" 2>/dev/null || [[ -d $final ]]
  fi
  echo "$final"
}
