"""A median and what is known of it."""

import dataclasses
import math
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    """`low` and `high` are order statistics that hold the median with `confidence`, whatever the
    distribution: the tightest pair with at least 95 %, or the extremes where there are too few values."""

    median: float
    low: float
    high: float
    confidence: float
    count: int

    def text(self, form=None):
        form = form or ("{:.2f}" if self.median >= 0.1 else "{:.4f}")
        return f"{form.format(self.median)} [{form.format(self.low)}, {form.format(self.high)}]"


def spread(values):
    """None of nothing."""
    values = sorted(values)
    count = len(values)
    if not count:
        return None
    chosen, below = 1, 0.5**count
    # P(fewer than k of `count` values lie under the median), binomial with one half.
    tail = below
    for k in range(2, count // 2 + 1):
        tail += math.comb(count, k - 1) * 0.5**count
        if 1 - 2 * tail < 0.95:
            break
        chosen, below = k, tail
    return Spread(statistics.median(values), values[chosen - 1], values[count - chosen],
                  max(0.0, 1 - 2 * below), count)


def ratio_spread(pairs):
    """Of the ratios of (ours, theirs) pairs, on the scale of logarithms, where a ratio and its inverse
    weigh the same."""
    logs = spread([math.log(ours / theirs) for ours, theirs in pairs])
    if logs is None:
        return None
    return Spread(math.exp(logs.median), math.exp(logs.low), math.exp(logs.high), logs.confidence, logs.count)
