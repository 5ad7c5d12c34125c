#!/usr/bin/env bash
# newer_node.sh: prints the folder of a Node.js that the servers in plans/ run on. That is this machine's if
# it is 20 or later; Debian 12's own is 18, and then one from npm is installed beside this script.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

"$here/install.sh" node
if (($(node -p 'process.versions.node.split(".")[0]') >= 20)); then
  dirname "$(command -v node)"
  exit 0
fi
"$here/npm_ci.sh" "$here/node"
for bin in "$here"/node/node_modules/node-linux-*/bin; do
  if "$bin/node" --version >/dev/null 2>&1; then
    printf '%s\n' "$bin"
    exit 0
  fi
done
printf 'setup: npm has no Node.js 22 for this machine (%s); install one of 20 or later\n' "$(uname -m)" >&2
exit 2
