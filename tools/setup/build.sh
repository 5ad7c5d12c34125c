#!/usr/bin/env bash
# build.sh PRESET [TARGET…]: configures the preset if that was never done, and builds the targets (all
# by default). Silent when there is nothing to do; the compiler's words appear only if it fails.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
readonly preset=$1
shift
dir=$root/build-$preset
[[ $preset == release ]] && dir=$root/build
readonly dir
readonly log=$dir/build.log

quietly() {
  "$@" >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    printf 'build: failed; the whole log is %s\n' "$log" >&2
    exit 2
  }
}

mkdir -p "$dir"
cd "$root"
if [[ ! -f $dir/build.ninja ]]; then quietly cmake --preset "$preset"; fi
# Ninja is asked first because it knows in milliseconds whether a build is due, and a person who waits
# minutes for the first one should know what for.
if [[ $(ninja -C "$dir" -n "$@" 2>&1) == *"no work to do."* ]]; then exit 0; fi
printf 'build: compiling into %s (minutes the first time)\n' "${dir#"$root"/}/" >&2
quietly ninja -C "$dir" "$@"
