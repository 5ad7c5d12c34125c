#!/usr/bin/env python3
"""Prints the first draws of xoshiro256** seeded by splitmix64, for tests/unit/base/random_test.cpp.

Written from the algorithms' description in whole-number arithmetic, apart from src/base/random.cpp, and checked
here against values that other projects publish before a word is printed.
"""

from itertools import islice

MASK = (1 << 64) - 1


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def rotated(word, by):
    return ((word << by) | (word >> (64 - by))) & MASK


def xoshiro256starstar(a, b, c, d):
    while True:
        yield (rotated((b * 5) & MASK, 7) * 9) & MASK
        a, b, c, d = a ^ d ^ b, b ^ c ^ a, c ^ a ^ ((b << 17) & MASK), rotated(d ^ b, 45)


def main():
    # splitmix64 from 1234567: rosettacode.org, "Pseudo-random numbers/Splitmix64".
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert list(islice(splitmix64(1234567), 4)) == published
    # xoshiro256** from the state 1, 2, 3, 4: the reference vector of Rust's rand_xoshiro.
    published = [11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600]
    assert list(islice(xoshiro256starstar(1, 2, 3, 4), 6)) == published

    for seed in (0, 1, 42, MASK):
        draws = islice(xoshiro256starstar(*islice(splitmix64(seed), 4)), 5)
        print(f"seed {seed:#x}: " + ", ".join(f"{draw:#018x}" for draw in draws))


if __name__ == "__main__":
    main()
