#!/usr/bin/env bash
# Runs a command of a fresh clone on a fresh Debian 12: a debootstrap folder with git and nothing else.
# See tools/setup/try_fresh.sh --help.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

usage() {
  cat <<'TXT'
usage: tools/setup/try_fresh.sh [--keep] [--base FOLDER] [COMMAND…]      (as root; needs debootstrap)

Clones what is committed into a new Debian 12 folder and runs COMMAND there, "./run --build" by default.
  --base FOLDER   start from a copy of this debootstrap folder instead of making one; made if missing
  --keep          leave the folder, and say where it is

  tools/setup/try_fresh.sh bash -c './run && ./run && ./test'

Packages come from this machine's own Debian sources. Ends with COMMAND's exit code, or with 9 if
COMMAND left a process behind.
TXT
}

die() {
  printf 'try_fresh: %s\n' "$*" >&2
  exit 2
}

# "URI SUITE COMPONENT" of every Debian archive this machine installs from.
debian_sources() {
  # shellcheck disable=SC2016  # apt expands these
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk '$4 == "Debian" && $2 ~ /^bookworm/ { print $1, $2, $3 }' | sort -u
}

make_base() {
  local into=$1 archive
  archive=$(debian_sources | awk '$2 == "bookworm" { print $1; exit }')
  [[ $archive ]] || die 'no Debian 12 archive among the apt sources of this machine'
  printf 'try_fresh: debootstrap into %s\n' "$into" >&2
  debootstrap --variant=minbase --include=git bookworm "$into" "$archive" >"$into.log" 2>&1 ||
    die "debootstrap failed: see $into.log"
  rm -f "$into.log"
}

# How this machine reaches registries, so that the fresh one reaches them too: sources, names and
# certificate authorities. Not npm's own configuration, which may hold somebody's password.
lend_network() {
  local fresh=$1
  debian_sources | sed 's/^/deb /' >"$fresh/etc/apt/sources.list"
  cp /etc/resolv.conf /etc/hosts "$fresh/etc/"
  if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
    cp /etc/ssl/certs/ca-certificates.crt "$fresh/usr/local/share/lent-ca.crt"
  fi
}

# Second stage, inside namespaces of its own: the mounts and every process end with it, whatever
# happens, because the kernel takes them down with the last process.
inside() {
  local fresh=$1
  shift
  mount --make-rprivate /
  mount -t proc proc "$fresh/proc"
  mount --rbind /dev "$fresh/dev"
  mount -t sysfs -o ro sysfs "$fresh/sys"
  local status=0 passed=() name
  for name in http_proxy https_proxy no_proxy TERM CI; do
    if [[ ${!name:-} ]]; then passed+=("$name=${!name}"); fi
  done
  # shellcheck disable=SC2016  # expands in the fresh shell
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/usr/local/share/lent-ca.crt "${passed[@]}" \
    chroot "$fresh" bash -c 'cd /root/weighbridge && exec "$@"' fresh "$@" || status=$?
  # This shell is process 1 of its namespace and starts nothing while it looks: every other number
  # in /proc is something that the command left behind.
  # The second is for those that are on their way out.
  sleep 1
  local process words
  for process in "$fresh"/proc/[0-9]*; do
    [[ ${process##*/} == 1 ]] && continue
    mapfile -d '' -t words <"$process/cmdline"
    printf 'try_fresh: left running: %s %s\n' "${process##*/}" "${words[*]}" >&2
    ((status)) || status=9
  done
  exit "$status"
}

if [[ ${1:-} == --inside ]]; then
  shift
  inside "$@"
fi

keep='' base=''
while (($#)); do
  case $1 in
    --keep) keep=1 ;;
    --base)
      base=${2:?--base needs a folder}
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) break ;;
  esac
  shift
done
(($#)) || set -- ./run --build

((EUID == 0)) || die 'needs root, as debootstrap does'
command -v debootstrap >/dev/null || die 'needs debootstrap: apt-get install debootstrap'
work=$(mktemp -d)
tidy() {
  if [[ $keep ]]; then
    printf 'try_fresh: kept %s\n' "$work/fresh" >&2
  else
    rm -rf --one-file-system "$work"
  fi
}
trap tidy EXIT
if [[ $base ]]; then
  [[ -d $base ]] || make_base "$base"
  cp -a "$base" "$work/fresh"
else
  make_base "$work/fresh"
fi
lend_network "$work/fresh"
git clone --quiet --no-hardlinks "$root" "$work/fresh/root/weighbridge"
unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --inside "$work/fresh" "$@"
