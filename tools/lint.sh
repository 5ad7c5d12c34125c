#!/usr/bin/env bash
# Looks over the sources without running them.
#
#   tools/lint.sh                 layout (clang-format) and rooms (check_rooms.py): seconds
#   tools/lint.sh --tidy          clang-tidy too, over everything that is built: minutes
#   tools/lint.sh --tidy=BASE     clang-tidy over what changed since the commit BASE
#   tools/lint.sh --build=DIR     where compile_commands.json lies; default build
#
# clang-tidy needs a finished build: it reads headers that the build generates. Exits 1 on any finding, after
# everything was looked at, and 2 when a word or a tool is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
  echo "lint: $1" >&2
  exit 2
}

tidy=no base='' build=build
for word in "$@"; do
  case $word in
    --tidy) tidy=yes ;;
    --tidy=?*) tidy=yes base=${word#*=} ;;
    --build=?*) build=${word#*=} ;;
    *) refuse "unknown word $word; known are --tidy, --tidy=BASE and --build=DIR" ;;
  esac
done
for tool in git python3 clang-format-19; do
  command -v "$tool" >/dev/null || refuse "no $tool; install what tools/setup/packages.txt lists"
done

if [ $tidy = yes ]; then
  command -v clang-tidy-19 >/dev/null || refuse "no clang-tidy-19; install what tools/setup/packages.txt lists"
  [ -f "$build/compile_commands.json" ] ||
    refuse "no $build/compile_commands.json; build first (cmake --preset release && cmake --build build)"
  if [ -n "$base" ]; then
    git rev-parse --quiet --verify "$base^{commit}" >/dev/null || refuse "no commit $base"
  fi
fi

# The bodies to tidy, each ending in a zero byte. Of a changed header: the bodies that include it, since
# clang-tidy sees a header only through them.
bodies_to_tidy() {
  python3 - "$build/compile_commands.json" "$base" <<'EOF'
import json
import os
import subprocess
import sys

database, base = sys.argv[1:]
with open(database, encoding="utf-8") as file:
    built = {os.path.relpath(os.path.join(entry["directory"], entry["file"])) for entry in json.load(file)}
built = {path for path in built if not path.startswith("..") and path.endswith(".cpp")}


def git(*words):
    done = subprocess.run(["git", *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1:  # 1 is grep's "nothing found"
        sys.exit(2)
    return done.stdout.split("\0")[:-1]


if base:
    changed = git("diff", "-z", "--name-only", "--diff-filter=d", base, "--", "*.h", "*.cpp")
    changed += git("ls-files", "-z", "--others", "--exclude-standard", "--", "*.h", "*.cpp")
    wanted = set(changed)
    for header in changed:
        if header.endswith(".h"):
            name = header.removeprefix("src/")
            wanted.update(git("grep", "-zlF", f'#include "{name}"', "--", "*.cpp"))
            wanted.update(git("grep", "-zlF", f'#include "{os.path.basename(name)}"', "--", "*.cpp"))
    built &= wanted
sys.stdout.write("".join(path + "\0" for path in sorted(built)))
EOF
}

worst=0
git ls-files -z -- '*.h' '*.cpp' | xargs -0 -r clang-format-19 --dry-run -Werror || worst=1
python3 tools/check_rooms.py || worst=1

if [ $tidy = yes ]; then
  list=$(mktemp)
  trap 'rm -f "$list"' EXIT
  bodies_to_tidy >"$list"
  echo "clang-tidy: $(tr -cd '\0' <"$list" | wc -c) files"
  # One file a process: the files differ tenfold in cost, and a batch of dear ones would keep a core waiting.
  xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-19 -p "$build" --quiet <"$list" || worst=1
fi
exit $worst
