#!/usr/bin/env bash
# Fails when a C++ file is not formatted as tools/format.sh would.
set -euo pipefail
"$(dirname "${BASH_SOURCE[0]}")/format.sh" --dry-run -Werror || {
  echo "tools/format.sh formats them" >&2
  exit 1
}
