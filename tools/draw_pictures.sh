#!/usr/bin/env bash
# Draws scenarios/NAME/picture.svg, which the scenario's README shows, for every scenario, or for
# those named. A test compares the pictures with what the program draws.
#
#     tools/draw_pictures.sh [NAME ...]        PROGRAM=build/release/bin/sarrus to take that one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for folder in scenarios/*/; do names+=("$(basename "$folder")"); done
fi
for name in "${names[@]}"; do
  "${PROGRAM:-./sarrus}" picture "./scenarios/$name" "scenarios/$name/picture.svg"
  grep -q '(picture.svg)' "scenarios/$name/README.md" ||
    echo "scenarios/$name/README.md does not show it: add ![$name where it starts](picture.svg)" >&2
done
