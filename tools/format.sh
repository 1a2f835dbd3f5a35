#!/usr/bin/env bash
# Formats all C++ with clang-format 14; other versions format differently. Options go to
# clang-format (tools/check_format.sh passes --dry-run).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
[[ -n $formatter ]] || {
  echo "clang-format 14 is not installed (Debian package clang-format-14)" >&2
  exit 1
}

folders=()
for folder in src apps tests bench; do
  [[ -d $folder ]] && folders+=("$folder")
done
[[ ${#folders[@]} -gt 0 ]] || exit 0
[[ $# -gt 0 ]] || set -- -i
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 |
  xargs -0 --no-run-if-empty "$formatter" --style=file "$@"
