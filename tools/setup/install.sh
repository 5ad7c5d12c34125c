#!/usr/bin/env bash
# Installs the Debian packages of the named groups (packages.txt), and only those that are missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly list=$here/packages.txt

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 2
}

usage() {
  cat <<'TXT'
usage: tools/setup/install.sh [--missing] GROUP…

Installs what is missing of the groups of tools/setup/packages.txt: build, test, node, bench, lint.
  --missing   only print the names that would be installed
TXT
}

names_of() { awk -v group="$1" '$1 !~ /^#/ && $2 == group { print $1 }' "$list"; }

# A Node.js from elsewhere (NodeSource, nvm) serves as well as Debian's, and installing Debian's
# over it would break it.
have_node() {
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || return 1
  ((major >= 18))
}

installed() {
  dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^.i. *//p' || true
}

missing_of() {
  local group wanted=() name
  for group in "$@"; do
    if [[ $group == node ]] && have_node; then continue; fi
    local names
    mapfile -t names < <(names_of "$group")
    ((${#names[@]})) || die "unknown group '$group'; groups are build, test, node, bench and lint"
    wanted+=("${names[@]}")
  done
  ((${#wanted[@]})) || return 0
  local -A present=()
  while read -r name; do present[$name]=1; done < <(installed "${wanted[@]}")
  for name in "${wanted[@]}"; do
    [[ ${present[$name]:-} ]] || printf '%s\n' "$name"
  done
}

# apt would remove the conflicting package without a question under --yes; that is the owner's choice.
refuse_conflicts() {
  [[ " $* " == *" libboost1.81-dev "* ]] || return 0
  [[ $(installed libboost-dev libboost1.74-dev) ]] || return 0
  die "libboost1.81-dev is needed, but Boost 1.74's headers (libboost-dev, libboost1.74-dev) are" \
    "installed and the two cannot live together. Remove them first:" \
    "apt-get remove libboost-dev libboost1.74-dev"
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "needs root to install, and there is no sudo. As root: apt-get install $*"
    as_root=(sudo)
  fi
  say "installing $*"
  local log
  log=$(mktemp)
  # shellcheck disable=SC2064  # the path of now is meant
  trap "rm -f '$log'" EXIT
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes
    -o DPkg::Lock::Timeout=120 --no-install-recommends)
  # A failing update is no reason to stop: some unrelated source may be down, and if it matters the
  # installation says so.
  "${apt[@]}" update >"$log" 2>&1 || true
  if ! "${apt[@]}" install "$@" >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "apt-get failed; its last lines stand above"
  fi
}

main() {
  local only_print=
  case ${1:-} in
    -h | --help | '')
      usage
      return 0
      ;;
    --missing)
      only_print=1
      shift
      ;;
  esac
  local text missing=()
  text=$(missing_of "$@")
  [[ $text ]] || return 0
  mapfile -t missing <<<"$text"
  if [[ $only_print ]]; then
    printf '%s\n' "${missing[@]}"
    return 0
  fi
  command -v apt-get >/dev/null ||
    die "no apt-get here; Debian 12's names of what is missing: ${missing[*]}"
  refuse_conflicts "${missing[@]}"
  install_packages "${missing[@]}"
}

main "$@"
