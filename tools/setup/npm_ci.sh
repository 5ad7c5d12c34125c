#!/usr/bin/env bash
# npm_ci.sh DIR…: brings the packages of each DIR's package-lock.json into its node_modules, unless
# they are there already.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

for dir in "$@"; do
  lock=$dir/package-lock.json
  # npm writes this copy last, so it also tells a complete installation from one broken off.
  done_mark=$dir/node_modules/.package-lock.json
  [[ -f $lock ]] || continue
  if [[ -f $done_mark && ! $lock -nt $done_mark ]]; then continue; fi
  "$here/install.sh" node
  printf 'setup: npm ci in %s\n' "$dir" >&2
  # Scripts of packages are not run: no server here needs one, and foreign code should start only
  # when it is weighed.
  (cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) || exit 2
done
