# shellcheck shell=bash disable=SC2154
# Shared by ./sarrus and ./test, which source it: packages, lock, configure, build.
# The caller sets `root`, the project's folder. Everything said goes to stderr. Trouble here ends
# with status 125, which the program itself never gives.

die() {
  echo "sarrus: $*" >&2
  exit 125
}

# Runs a command with its output kept in a file; shows the file when the command fails.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    return 1
  fi
}

# Installs the packages of tools/packages.txt that are missing.
install_packages() {
  local wanted missing as_root=() log=$root/build/packages.log
  wanted=$(grep -v '^#' "$root/tools/packages.txt")
  if ! command -v dpkg-query >/dev/null; then
    # Not Debian or a relative: CMake will name what it does not find.
    command -v cmake >/dev/null && command -v ninja >/dev/null && return
    die "this is not a Debian system; install what tools/packages.txt lists, then run this again"
  fi
  # shellcheck disable=SC2016,SC2086
  missing=$(comm -23 <(sort -u <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [[ -z $missing ]] && return
  missing=${missing//$'\n'/ }

  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null ||
      die "these packages are missing and need root to install: apt-get install $missing"
    as_root=(sudo)
  fi
  echo "sarrus: installing $missing" >&2
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  # A stale package list may still do, so a failed update is not the end.
  quietly "$log" "${as_root[@]}" apt-get update || true
  # shellcheck disable=SC2086
  quietly "$log" "${as_root[@]}" apt-get install -y --no-install-recommends $missing ||
    die "could not install the missing packages; install them by hand: apt-get install $missing"
}

configure() {
  local preset=$1 directory=$root/build/$1
  # A tree that was moved or copied with its build cannot be built on.
  if [[ -f $directory/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$directory/CMakeCache.txt"; then
    rm -rf "$directory"
  fi
  [[ -f $directory/build.ninja ]] || (cd "$root" && cmake --preset "$preset")
}

configure_and_build() {
  local preset=$1
  shift
  configure "$preset" && cmake --build "$root/build/$preset" --parallel "$(nproc)" "$@"
}

# set_up PRESET [OPTION FOR cmake --build ...]
# Makes PRESET's build up to date, one at a time. Silent when there is little to do.
set_up() {
  local preset=$1 notice status=0
  mkdir -p "$root/build"
  exec {lock}>"$root/build/.lock"
  if ! flock --nonblock "$lock"; then
    echo "sarrus: waiting for another build…" >&2
    flock "$lock"
  fi
  install_packages

  # Says "building…" after a second, unless the build has ended (closed the pipe) by then.
  exec {notice}> >(read -r -t 1 || [[ $? -le 128 ]] || echo "sarrus: building…" >&2)
  (
    exec {notice}>&- {lock}>&-
    quietly "$root/build/$preset.log" configure_and_build "$@"
  ) || status=$?
  exec {notice}>&-
  wait $!
  exec {lock}>&-
  [[ $status -eq 0 ]] || die "the build failed"
}
