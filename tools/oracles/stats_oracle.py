#!/usr/bin/env python3
"""Prints tests/fixtures/stats/scipy.json: what SciPy says about sets of numbers that src/stats is asked about.

    python3 tools/oracles/stats_oracle.py > tests/fixtures/stats/scipy.json

Needs SciPy 1.10 (Debian 12's python3-scipy). That package pulls in Boost 1.74, which cannot be installed beside
the Boost 1.81 of the build, so on a build machine use a virtual environment:

    python3 -m venv oracle && oracle/bin/pip install scipy==1.10.1

The fixture is committed, so neither building nor testing needs SciPy.
"""

import json
import sys

import numpy as np
import scipy
from scipy import stats

SEED = 20240607
BOOTSTRAP_RESAMPLES = 200_000


def rounded(values, digits=6):
    """Fewer digits than a double has, so that the fixture holds exactly what SciPy was given."""
    return [round(float(value), digits) for value in values]


def summary_cases(random):
    cases = {
        "lognormal": np.rint(random.lognormal(14, 0.6, 1200)),
        "few": np.rint(random.exponential(2e6, 12)),
        "narrow beside its mean": np.rint(1e15 + random.normal(0, 40, 150)),
    }
    for name, values in cases.items():
        # Spread does not depend on the origin, and NumPy loses digits of it far from zero.
        origin = values.min()
        near = values - origin
        stddev = float(np.std(near, ddof=1))
        mean = float(origin + np.mean(near))
        ranks = np.percentile(values, [50, 90, 99, 99.9], method="inverted_cdf")
        yield {
            "name": name,
            "nanoseconds": [int(value) for value in values],
            "mean": mean,
            "stddev": stddev,
            "cv": stddev / mean,
            "percentiles": [int(value) for value in ranks],
        }


def rank_interval(n, q, confidence):
    """Tries every rank: the largest low and the smallest high whose tails stay within their half."""
    count = stats.binom(n, q)
    tail = (1 - confidence) / 2
    lows = [rank for rank in range(1, n + 1) if count.cdf(rank - 1) <= tail]
    highs = [rank for rank in range(1, n + 1) if count.sf(rank - 1) <= tail]
    if not lows or not highs:
        return None
    low, high = max(lows), min(highs)
    return {"low": low, "high": high, "confidence": float(count.cdf(high - 1) - count.cdf(low - 1))}


def rank_cases():
    for n in (1, 2, 5, 6, 7, 30, 100, 367, 368, 1000, 5000):
        for q in (0.5, 0.9, 0.99):
            for confidence in (0.9, 0.95, 0.99):
                yield {"n": n, "q": q, "confidence": confidence, "ranks": rank_interval(n, q, confidence)}


def line_cases(random):
    steps = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], dtype=float)
    cases = {
        "ramp of clients": (np.arange(1.0, 9.0), lambda x: 106 + 12.5 * x + random.normal(0, 2, x.size)),
        "three points": (np.array([1.0, 2.0, 4.0]), lambda x: 3 * x + random.normal(0, 1, x.size)),
        "credentials over three decades": (steps, lambda x: 7e6 + 8192 * x + random.normal(0, 3e4, x.size)),
        "no slope": (np.arange(20.0), lambda x: random.normal(5, 1, x.size)),
        "far from the origin": (1e6 + np.arange(12.0), lambda x: 1e9 - 4 * x + random.normal(0, 1, x.size)),
    }
    for name, (x, line) in cases.items():
        x, y = rounded(x), rounded(line(x))
        fit = stats.linregress(x, y)
        half = fit.stderr * stats.t.ppf(0.975, len(x) - 2)
        yield {
            "name": name,
            "x": x,
            "y": y,
            "slope": fit.slope,
            "intercept": fit.intercept,
            "r2": fit.rvalue**2,
            "low": fit.slope - half,
            "high": fit.slope + half,
        }


def widened(confidence, n):
    """The level at which a plain bootstrap has the tails that Hesterberg (2015) gives it for n values."""
    deviate = np.sqrt(n / (n - 1)) * stats.t.ppf((1 + confidence) / 2, n - 1)
    return 1 - 2 * stats.norm.sf(deviate)


def ratio_of_means(top, bottom, axis=-1):
    return np.mean(top, axis=axis) / np.mean(bottom, axis=axis)


def bootstrap_cases(random):
    cases = {
        "mean of normal values": ([random.normal(100, 5, 25)], np.mean),
        "mean of exponential values": ([random.exponential(20, 40)], np.mean),
        "ratio of normal means": ([random.normal(30, 3, 20), random.normal(20, 2, 12)], ratio_of_means),
        "ratio of exponential means": ([random.exponential(3, 50), random.exponential(5, 30)], ratio_of_means),
        # The first is biased, the second has many resamples that tie with the figure: both move BCa.
        "ratio to a few skewed values": ([random.normal(30, 1, 20), random.lognormal(1, 1.5, 8)], ratio_of_means),
        "mean of counts": ([random.integers(1, 4, 11)], np.mean),
    }
    for name, (sets, figure) in cases.items():
        sets = [rounded(values) for values in sets]
        level = widened(0.95, min(len(values) for values in sets))
        for kind in ("percentile", "BCa"):
            interval = stats.bootstrap(
                sets,
                figure,
                confidence_level=level,
                n_resamples=BOOTSTRAP_RESAMPLES,
                batch=10_000,
                method=kind,
                random_state=np.random.default_rng(SEED),
            ).confidence_interval
            yield {
                "name": f"{name}, {kind}",
                "kind": kind.lower(),
                "sets": sets,
                "value": float(figure(*[np.array(values) for values in sets])),
                "low": float(interval.low),
                "high": float(interval.high),
            }


def main():
    random = np.random.default_rng(SEED)
    document = {
        "made_by": f"tools/oracles/stats_oracle.py with SciPy {scipy.__version__}, NumPy {np.__version__}",
        "summaries": list(summary_cases(random)),
        "ranks": list(rank_cases()),
        "lines": list(line_cases(random)),
        "bootstraps": list(bootstrap_cases(random)),
    }
    # One case a line: a change of one case is then one line of a diff.
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            value = "[\n" + ",\n".join(json.dumps(case) for case in value) + "\n]"
        else:
            value = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {value}")
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
