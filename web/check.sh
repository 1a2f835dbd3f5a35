#!/bin/sh
# Checks the page: types, unit tests, and that dist/report.html is what its sources make.
#
#   web/check.sh [FOLDER]      FOLDER: where to work; default build/web beside web/
#
# Nothing is written into web/. Status 0: all is well; 77: skipped, Node is missing or too old, or the packages
# cannot be fetched; otherwise something is wrong.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/../build/web}

fail() {
  echo "web/check.sh: $1" >&2
  exit 1
}

skip() {
  echo "skipped: $1; the committed page is used as it is"
  exit 77
}

# Whether Node is as new as package.json asks, `>=MAJOR.MINOR`. In words that an old Node understands, too.
node_is_new_enough() {
  node -e '
    var wanted = require(process.argv[1]).engines.node.replace(/^>=/, "").split(".").map(Number);
    var found = process.versions.node.split(".").map(Number);
    var newer = found[0] > wanted[0] || (found[0] === wanted[0] && found[1] >= (wanted[1] || 0));
    process.exit(newer ? 0 : 1)' "$here/package.json"
}

# Packages of package-lock.json. What cannot be fetched because nobody answers is no fault of the page.
install_packages() {
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error \
    --fetch-retries=1 --fetch-retry-mintimeout=2000 >npm.log 2>&1 && return
  cat npm.log
  unreachable='ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH'
  if grep -Eq "code ($unreachable)" npm.log; then
    skip "the packages cannot be fetched, the registry is out of reach"
  fi
  fail "npm ci failed"
}

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || skip "node and npm are not installed"
node_is_new_enough || skip "Node $(node --version) is older than package.json asks"

mkdir -p "$work"
cd "$work"
# Two presets may be tested at once; they share this folder for the sake of its packages.
if command -v flock >/dev/null 2>&1; then
  exec 9>.lock
  flock 9
fi
rm -rf src test dist build
(cd "$here" && tar cf - --exclude=./node_modules --exclude=./dist --exclude=./build .) | tar xf -

# What is installed stays until the list of packages changes.
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  install_packages
  cp package-lock.json node_modules/.installed-lock
fi

node_modules/.bin/tsc --noEmit || fail "the sources have type errors"
node_modules/.bin/tsc -p tsconfig.test.json || fail "the unit tests have type errors"
# Files, not their folder: versions of Node differ in what they make of a folder.
node --test build/unit/test/*.test.js >unit.log 2>&1 || {
  cat unit.log
  fail "unit tests failed"
}
node_modules/.bin/vite build --logLevel error || fail "the page could not be built"
cmp -s dist/report.html "$here/dist/report.html" ||
  fail "web/dist/report.html is not what the sources make; run \`npm ci && npm run build\` in web/ and commit it"
for package in three uplot; do
  version=$(node -p "require('./node_modules/$package/package.json').version")
  grep -q "^| \[$package\](.*) | $version | " "$here/../THIRD_PARTY.md" ||
    fail "THIRD_PARTY.md does not list $package $version"
done

echo "types and unit tests are fine, and web/dist/report.html is what the sources make ($(wc -c <dist/report.html) bytes)"
