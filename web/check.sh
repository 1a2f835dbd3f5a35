#!/bin/sh
# Checks the page: types, unit tests, and that dist/report.html is what its sources make.
#
#   web/check.sh [FOLDER]      FOLDER: where to work; default build/web beside web/
#
# Nothing is written into web/. Status 0: all is well; 77: skipped, Node is not installed; otherwise something is wrong.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/../build/web}

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "skipped: node and npm are not installed; the committed page is used as it is"
  exit 77
fi

fail() {
  echo "web/check.sh: $1" >&2
  exit 1
}

mkdir -p "$work"
cd "$work"
rm -rf src test tools dist build
(cd "$here" && tar cf - --exclude=./node_modules --exclude=./dist --exclude=./build .) | tar xf -

# What is installed stays until the list of packages changes.
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci --silent --no-audit --no-fund || fail "npm ci failed; can the package registry be reached?"
  cp package-lock.json node_modules/.installed-lock
fi

node_modules/.bin/tsc --noEmit || fail "the sources have type errors"
node_modules/.bin/tsc -p tsconfig.test.json || fail "the unit tests have type errors"
node --test build/unit/test/ >unit.log 2>&1 || {
  cat unit.log
  fail "unit tests failed"
}
node_modules/.bin/vite build --logLevel error || fail "the page could not be built"
cmp -s dist/report.html "$here/dist/report.html" ||
  fail "web/dist/report.html is not what the sources make; run \`npm ci && npm run build\` in web/ and commit it"

echo "types and unit tests are fine, and web/dist/report.html is what the sources make ($(wc -c <dist/report.html) bytes)"
