#!/usr/bin/env bash
# Brings the servers of plans/servers/sdk to where their plans start them, from their lock files. See --help.
set -euo pipefail

setup=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly setup
servers=$setup/../../plans/servers/sdk
readonly all=(typescript-v1 typescript-v2 python go rust java)

usage() {
  cat <<'TXT'
usage: tools/setup/sdk_servers.sh [SDK…]

Installs or builds the four-tool server of each SDK named: typescript-v1, typescript-v2, python, go,
rust, java; all of them by default. What is there already is left alone. A missing toolchain is named and
the others are still done. Exit codes: 0 all done, 2 a word is wrong or one could not be done.
TXT
}

say() { printf 'setup: %s\n' "$*" >&2; }

# The first version number in a text is at least the wanted one.
at_least() {
  local wanted=$1 found
  found=$(grep -oE '[0-9]+(\.[0-9]+)+' <<<"$2" | head -n 1) || return 1
  [[ $(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1) == "$wanted" ]]
}

# done_since MARK FILE…: MARK exists and none of the files is newer.
done_since() {
  local mark=$1 file
  [[ -e $mark ]] || return 1
  for file in "${@:2}"; do
    if [[ $file -nt $mark ]]; then return 1; fi
  done
}

# The last lines of a tool are of use only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  tail -n 30 "$log" >&2
  rm -f "$log"
  return 1
}

do_node() { "$setup/npm_ci.sh" "$servers/$1"; }

do_python() {
  local mark=.venv/installed
  if done_since $mark requirements.txt; then return; fi
  if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    say "python: needs Python 3.10 with venv; Debian 12: apt-get install python3-venv"
    return 1
  fi
  say "python: installing into plans/servers/sdk/python/.venv"
  python3 -m venv --clear .venv || return
  quietly .venv/bin/pip install --disable-pip-version-check --require-hashes --only-binary :all: \
    -r requirements.txt || return
  touch $mark
}

do_go() {
  if done_since build/server main.go go.mod go.sum; then return; fi
  # From 1.21 on, Go fetches the version that go.mod asks for.
  if ! command -v go >/dev/null || ! at_least 1.21 "$(go version)"; then
    say "go: needs Go 1.25 (or 1.21, which fetches it); Debian 12 has 1.19: take Go's own distribution"
    return 1
  fi
  say "go: building plans/servers/sdk/go/build/server"
  quietly go build -mod=readonly -trimpath -o build/server .
}

do_rust() {
  if done_since target/release/sdk-server-rust src/main.rs Cargo.toml Cargo.lock; then return; fi
  if ! command -v cargo >/dev/null || ! at_least 1.88 "$(cargo --version)"; then
    say "rust: needs Rust 1.88; Debian 12 has 1.63: take rustup's stable toolchain"
    return 1
  fi
  say "rust: building plans/servers/sdk/rust/target/release/sdk-server-rust (minutes the first time)"
  quietly cargo build --release --locked || return
  touch target/release/sdk-server-rust
}

do_java() {
  local mark=target/built
  if done_since $mark pom.xml src/main/java/Server.java; then return; fi
  if ! command -v javac >/dev/null || ! command -v mvn >/dev/null || ! at_least 17 "$(javac -version 2>&1).0"; then
    say "java: needs a JDK 17 and Maven; Debian 12: apt-get install openjdk-17-jdk-headless maven"
    return 1
  fi
  say "java: building plans/servers/sdk/java/target"
  quietly mvn --batch-mode --no-transfer-progress compile || return
  touch $mark
}

do_one() {
  cd "$servers/$1" || return
  case $1 in
    typescript-*) do_node "$1" ;;
    *) "do_$1" ;;
  esac
}

main() {
  local sdk failed=()
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    usage
    return
  fi
  servers=$(cd "$servers" && pwd)
  (($#)) || set -- "${all[@]}"
  for sdk in "$@"; do
    if [[ " ${all[*]} " != *" $sdk "* ]]; then
      say "no SDK '$sdk'; there are ${all[*]}"
      exit 2
    fi
  done
  for sdk in "$@"; do
    (do_one "$sdk") || failed+=("$sdk")
  done
  if ((${#failed[@]})); then
    say "not done: ${failed[*]}"
    exit 2
  fi
}

main "$@"
