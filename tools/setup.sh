# shellcheck shell=bash disable=SC2154
# Shared by ./sarrus and ./test, which source it: packages, lock, configure, build.
# The caller sets `root`, the project's folder, and runs under `set -euo pipefail`. Everything said
# goes to stderr. Trouble here ends with status 125, which the program itself never gives.

quiet_for=1    # [s]; what is done sooner is done in silence
plain_every=30 # [s] between lines where there is no terminal

die() {
  echo "sarrus: $*" >&2
  exit 125
}

die_with_log() {
  cat "$1" >&2
  die "$2"
}

# What a line of output tells about its command: ninja counts, apt has percentages and a word on
# what it does. False for the lines that apt writes for this purpose only.
read_progress() {
  local ninja='^\[([1-9][0-9]*)/([1-9][0-9]*)\] ' apt='^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*)'
  if [[ $1 == *'] Re-running CMake'* ]]; then
    : # counted apart from what is built after it
  elif [[ $1 =~ $ninja ]]; then
    far=" ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    far+=", $((100 * BASH_REMATCH[1] / BASH_REMATCH[2])) %"
  elif [[ $1 =~ $apt ]]; then
    far=" ${BASH_REMATCH[2]} %"
    doing=", ${BASH_REMATCH[3]}"
    return 1
  fi
}

# Rewrites the line that moves. One that wraps could not be wiped.
draw() {
  local columns
  columns=$(stty size <&2 2>/dev/null) || columns=0
  columns=${columns#* }
  [[ $columns -gt 0 ]] || columns=80
  printf '\r\e[K%s' "${1:0:columns-1}" >&2
}

# show_progress LOG WHAT
# Appends its input to LOG and says how far it is, after a second and from then on: on a terminal in
# one line that moves and is gone in the end, elsewhere in a plain one now and then.
show_progress() {
  local log what=$2 far='' doing='' line='' part got begun now next clock text terminal='' said=''
  trap '' HUP INT PIPE TERM # it ends when its input does, to wipe the line
  exec {log}>>"$1"
  [[ ! -t 2 || ${TERM:-dumb} == dumb ]] || terminal=yes
  begun=${EPOCHREALTIME/[^0-9]/} # [us]
  next=$((begun + quiet_for * 1000000))
  while true; do
    got=0
    IFS= read -r -t 0.5 part || got=$?
    line+=$part
    if [[ $got -le 128 ]]; then # else it waits for the rest of the line
      if [[ $got -eq 0 || -n $line ]] && read_progress "$line"; then
        printf '%s\n' "$line" >&"$log"
      fi
      line=''
      [[ $got -eq 0 ]] || break
    fi

    now=${EPOCHREALTIME/[^0-9]/}
    [[ $now -ge $next ]] || continue
    kill -0 $$ 2>/dev/null || break # nobody waits for this any more
    printf -v clock '%d:%02d' $(((now - begun) / 60000000)) $(((now - begun) / 1000000 % 60))
    text="sarrus: $what$far, $clock$doing"
    if [[ -n $terminal ]]; then
      draw "$text"
      next=$((now + 100000))
    else
      [[ -n $said ]] || text="sarrus: $what…"
      echo "$text" >&2
      next=$((now + plain_every * 1000000))
    fi
    said=yes
  done
  [[ -z $terminal || -z $said ]] || printf '\r\e[K' >&2
}

# follow LOG WHAT COMMAND ...
# Runs a command with its output appended to a file, and shows how far it is. Its status is the
# command's.
follow() {
  local log=$1 what=$2 status=0
  shift 2
  # Ctrl-C reaches all of them. It ends the script when the command has ended and the line is wiped.
  trap 'trap - INT; kill -INT $$' INT
  "$@" 2>&1 </dev/null 9>&- | show_progress "$log" "$what" || status=${PIPESTATUS[0]}
  trap - INT
  return "$status"
}

# apt_get LOG WHAT OPTION ...
# The caller sets `as_root`, what it takes to be root.
apt_get() {
  local log=$1 what=$2
  shift 2
  follow "$log" "$what" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o APT::Status-Fd=1 "$@"
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
  # A password is asked for here, where no line moves over the question.
  "${as_root[@]}" true ||
    die "installing needs root; install them by hand: apt-get install $missing"
  : >"$log"
  # A stale package list may still do, so a failed update is not the end.
  apt_get "$log" "getting package lists" update || true
  # shellcheck disable=SC2086
  apt_get "$log" "installing packages" install -y --no-install-recommends $missing ||
    die_with_log "$log" \
      "could not install the missing packages; install them by hand: apt-get install $missing"
}

# A tree that was moved or copied with its build cannot be built on.
forget_moved_build() {
  if [[ -f $1/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt"; then
    rm -rf "$1"
  fi
}

configure_and_build() {
  local preset=$1 directory=$root/build/$1 log=$root/build/$1.log
  shift
  : >"$log"
  if [[ ! -f $directory/build.ninja ]]; then
    follow "$log" configuring cmake -S "$root" --preset "$preset" || return
  fi
  NINJA_STATUS='[%f/%t] ' follow "$log" building \
    cmake --build "$directory" --parallel "$(nproc)" "$@"
}

# set_up PRESET MINUTES [OPTION FOR cmake --build ...]
# Makes PRESET's build up to date, one at a time. Silent when there is little to do. MINUTES is what
# the first build takes one core; 0 where nobody has measured it.
set_up() {
  local preset=$1 minutes=$2 takes
  shift 2
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock" # no command that is started here keeps it
  if ! flock --nonblock 9; then
    echo "sarrus: waiting for another build…" >&2
    flock 9
  fi
  forget_moved_build "$root/build/$preset"
  if [[ ! -f $root/build/$preset/.ninja_log ]]; then
    minutes=$(((minutes + $(nproc) - 1) / $(nproc)))
    case $minutes in
      0) takes="some minutes" ;;
      1) takes="about a minute" ;;
      *) takes="about $minutes minutes" ;;
    esac
    echo "sarrus: the first build takes $takes on all cores; later runs start at once" >&2
  fi
  install_packages
  configure_and_build "$preset" "$@" || die_with_log "$root/build/$preset.log" "the build failed"
  exec 9>&-
}
