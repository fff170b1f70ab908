# shellcheck shell=bash disable=SC2034,SC2154
# Shared by ./reprise, ./test, ./bench and .ci/run: installs what is missing and builds what changed. Source it with `root` set.
# Chatter goes to stderr only; stdout belongs to the tool.

tool_packages=(build-essential cmake ninja-build ccache pkg-config libexpected-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libzstd-dev liblz4-dev libxxhash-dev libdw-dev)
all_packages=("${tool_packages[@]}" clang clang-format clang-tidy libclang-rt-14-dev gdb python3 git
  libspdlog-dev libasio-dev libsqlite3-dev libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev)
# A change below any of these makes the release build stale. Folders count too: a deletion changes only its folder.
tracked=(src include cmake CMakeLists.txt CMakePresets.json examples tests/guests)
stamp=$root/build/release/.stamp

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 125; }

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  for name in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $name"$'\n'* ]] || printf '%s\n' "$name"
  done
}

# install_packages NAME...: installs those that are missing, and only those.
install_packages() {
  local missing=() as_root=() log name k=0
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; going on, and needing the equivalents of: $*"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "neither root nor sudo: cannot install. As root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  log=$root/build/packages.log
  say "updating the package lists"
  "${as_root[@]}" apt-get update -qq </dev/null >"$log" 2>&1 || say "the package lists could not be updated; trying with the old ones"
  for name in "${missing[@]}"; do
    k=$((k + 1))
    say "installing $name ($k of ${#missing[@]})"
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$name" \
        </dev/null >>"$log" 2>&1; then
      tail -n 20 "$log" >&2
      die "installing $name failed; the log is $log"
    fi
  done
}

# show_progress WHAT: turns ninja's "[n/m] ..." lines on stdin into progress on stderr: one line kept current on a terminal,
# otherwise one line each ten seconds.
show_progress() {
  local what=$1 line next=$((SECONDS + 2)) drawn=
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]] || continue
    if [[ -t 2 ]]; then
      printf '\r%s: %s %s ' "${0##*/}" "$what" "${BASH_REMATCH[1]}" >&2
      drawn=1
    elif ((SECONDS >= next)); then
      say "$what ${BASH_REMATCH[1]}"
      next=$((SECONDS + 10))
    fi
  done
  [[ -z $drawn ]] || printf '\r\033[K' >&2
}

# configure PRESET [force]: runs cmake where no build folder stands yet, where it belongs to another place, or when forced.
configure() {
  local preset=$1 force=${2:-} folder=$root/build/$1 fresh=()
  local cache=$folder/CMakeCache.txt log=$root/build/$1.configure.log
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    fresh=(--fresh)
  elif [[ -f $folder/build.ninja && -z $force ]]; then
    return
  fi
  mkdir -p "$folder"
  if ! (cd "$root" && cmake "${fresh[@]}" --preset "$preset") </dev/null >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "configuring $preset failed; the log is $log"
  fi
}

# build_targets PRESET TARGET...: the caller holds the lock.
build_targets() {
  local preset=$1 log=$root/build/$1.log
  shift
  # ccache keeps what was compiled with precompiled headers only if it is told to.
  if ! (cd "$root" && CCACHE_SLOPPINESS=pch_defines,time_macros CLICOLOR_FORCE=0 cmake --build "build/$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" \
      --target "$@" </dev/null 2>&1) | tee "$log" | show_progress "building $preset"; then
    grep -v '^\[' "$log" | tail -n 60 >&2
    die "building $preset failed; the log is $log"
  fi
}

# with_lock COMMAND...: one build at a time in this folder. Runs in a subshell, so that nothing keeps the lock.
with_lock() {
  mkdir -p "$root/build"
  (
    if ! flock -n 9; then
      say "waiting for another build to end"
      flock 9
    fi
    "$@"
  ) 9>"$root/build/.lock"
}

is_fresh() {
  local built_in='' path paths=()
  [[ -f $stamp && -x $root/build/release/bin/reprise ]] || return 1
  read -r built_in <"$stamp" || true
  [[ $built_in == "$root" ]] || return 1
  for path in "${tracked[@]}"; do
    [[ ! -e $root/$path ]] || paths+=("$root/$path")
  done
  [[ -z $(find "${paths[@]}" -newer "$stamp" -print -quit) ]]
}

build_tool_locked() {
  local targets=(tool)
  is_fresh && return  # another invocation built it while this one waited
  install_packages "${tool_packages[@]}"
  say "building"
  configure release
  # Guests follow once somebody has built them: they must not stay behind the headers.
  [[ -z $(find "$root/build/release/guests" -type f -print -quit 2>/dev/null) ]] || targets+=(guests)
  printf '%s\n' "$root" >"$stamp.new"  # older than whatever changes during the build
  build_targets release "${targets[@]}"
  mv "$stamp.new" "$stamp"
}

# ensure_tool: build/release/bin/reprise stands and is current.
ensure_tool() {
  is_fresh || with_lock build_tool_locked
}

build_preset_locked() {
  local preset=$1
  shift
  configure "$preset" force
  if [[ $preset == release ]]; then
    printf '%s\n' "$root" >"$stamp.new"
    build_targets release "$@"
    [[ $1 != all ]] || mv "$stamp.new" "$stamp"
  else
    build_targets "$preset" "$@"
  fi
}

# build_preset PRESET TARGET...
build_preset() {
  say "building $1"
  with_lock build_preset_locked "$@"
}

# The target that `./test` builds in each of the other presets.
preset_target() {
  case $1 in
    clang) if [[ -n ${REPRISE_FULL:-} ]]; then echo tool; else echo examples; fi ;;  # what users compile, unless all is asked for
    fuzz) echo fuzz ;;
    *) echo sanitize ;;
  esac
}
