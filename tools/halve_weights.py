#!/usr/bin/env python3
"""Halve every known weight of the reference server in turn and see that calibrate notices.

    tools/halve_weights.py [BUILD_DIR] [--only GLOB]

A check that cannot fail checks nothing. Each mutation makes the server do half of what it says it did; a
calibration of the mutated server must then show an error outside the weight's bound. Sources are changed in a
copy of the checkout, built with the settings of BUILD_DIR (build/ when it is not named), which must hold a
built weighbridge. On a busy machine weights are not judged; the error itself is held against the bound.

Exit code 0: every mutation was seen. 1: at least one was not. 2: a mutation no longer fits the sources.
"""

import argparse
import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

#: What is halved, the file, the text that stands there, what takes its place, the weights that must show it.
MUTATIONS = [
    ("memory held for ever", "held_memory.cpp", "  used_ += bytes;\n  held_ += bytes;\n",
     "  held_ += bytes;\n  bytes /= 2;\n  used_ += bytes;\n", "memory-50k"),
    ("memory held for ever, whole pages", "held_memory.cpp", "  used_ += bytes;\n  held_ += bytes;\n",
     "  held_ += bytes;\n  bytes /= 2;\n  used_ += bytes;\n", "memory-64k"),
    ("a leak", "held_memory.cpp", "  used_ += bytes;\n  held_ += bytes;\n",
     "  held_ += bytes;\n  bytes /= 2;\n  used_ += bytes;\n", "leak-slope"),
    ("a leak that is none", "held_memory.cpp", "  used_ += bytes;\n  held_ += bytes;\n",
     "  held_ += bytes;\n  bytes = 0;\n", "leak-told"),
    ("a memory peak", "held_memory.cpp",
     "  ::madvise(begin, size, MADV_POPULATE_WRITE);\n"
     "  auto* const bytes_of = static_cast<volatile std::byte*>(begin);\n"
     "  for (std::size_t at = 0; at < size;",
     "  ::madvise(begin, size / 2, MADV_POPULATE_WRITE);\n"
     "  auto* const bytes_of = static_cast<volatile std::byte*>(begin);\n"
     "  for (std::size_t at = 0; at < size / 2;", "memory-peak"),
    ("processor time, one call at once", "weights.cpp", "  while (burnt < amount) burnt = thread_cpu() - begin;\n",
     "  while (burnt < amount) burnt = 2 * (thread_cpu() - begin);\n", "cpu-1"),
    ("processor time, 64 calls at once", "weights.cpp", "  while (burnt < amount) burnt = thread_cpu() - begin;\n",
     "  while (burnt < amount) burnt = 2 * (thread_cpu() - begin);\n", "cpu-64"),
    ("processor time at the start", "weights.cpp", "  while (burnt < amount) burnt = thread_cpu() - begin;\n",
     "  while (burnt < amount) burnt = 2 * (thread_cpu() - begin);\n", "start-cpu"),
    ("a constant delay", "service_calls.cpp", "delay_made(asked, os::now() - ready,",
     "delay_made(asked, 2 * (os::now() - ready),", "delay-constant-p50"),
    ("exponential delays", "service_calls.cpp", "delay_made(asked, os::now() - ready,",
     "delay_made(asked, 2 * (os::now() - ready),", "delay-exponential-*"),
    ("descriptors", "held_things.cpp", "  open_descriptors(asked.descriptors);",
     "  open_descriptors(asked.descriptors);\n  descriptors_.resize(descriptors_.size() / 2);",
     "held-descriptors"),
    ("threads", "held_things.cpp", "  stats_.threads.take(threads_.size());",
     "  stats_.threads.take(2 * threads_.size());", "held-threads"),
    ("standing still at the start", "weights.cpp", "  return std::max(os::now() - begin, Duration(0));",
     "  return 2 * std::max(os::now() - begin, Duration(0));", "start-delay"),
    ("freezes", "weights.cpp", "  return std::max(os::now() - begin, Duration(0));",
     "  return 2 * std::max(os::now() - begin, Duration(0));", "freeze-p99"),
]


def outside(weight):
    allowed = max(weight["bound"] or 0, (weight["bound_percent"] or 0) / 100 * abs(weight["truth"]))
    if weight["told"]:
        allowed = min(allowed, weight["truth"] / 2)
    return abs(weight["error"]["value"]) > allowed


def weighed(build, server, glob, folder):
    """The weights as a quick calibration found them."""
    done = subprocess.run([build / "weighbridge", "calibrate", "--quick", "--only", glob, "--server", server,
                           "-o", folder, "--no-report", "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)["weights"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--only", default="*", help="glob of weights")
    words = parser.parse_args()
    build = words.build.resolve()
    seen = True
    with tempfile.TemporaryDirectory(prefix="weighbridge-halved-") as folder:
        copy = pathlib.Path(folder) / "tree"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "build*", "node_modules"))
        subprocess.run(["cmake", "-S", copy, "-B", copy / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        "-DWEIGHBRIDGE_PRECOMPILE=OFF", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
                        "-DCMAKE_C_COMPILER_LAUNCHER=ccache"], check=True, stdout=subprocess.DEVNULL)
        for what, name, before, after, glob in MUTATIONS:
            if not fnmatch.fnmatch(glob, words.only):
                continue
            source = copy / "src" / "reference" / name
            original = source.read_text(encoding="utf-8")
            if original.count(before) != 1:
                print(f"{what}: src/reference/{name} no longer has the text to change", file=sys.stderr)
                return 2
            source.write_text(original.replace(before, after), encoding="utf-8")
            subprocess.run(["ninja", "-C", copy / "build", "reference-server"], check=True,
                           stdout=subprocess.DEVNULL)
            weights = weighed(build, copy / "build" / "reference-server", glob, f"{folder}/out")
            source.write_text(original, encoding="utf-8")
            caught = [weight["id"] for weight in weights if outside(weight)]
            missed = [weight["id"] for weight in weights if not outside(weight)]
            seen = seen and not missed and bool(caught)
            for weight in weights:
                print(f"{'seen' if outside(weight) else 'MISSED':7}{weight['id']:24}true {weight['truth']:.4g}, "
                      f"measured {weight['measured']:.4g} {weight['unit']}  ({what} halved)", flush=True)
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
