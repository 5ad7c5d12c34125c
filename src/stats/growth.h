#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/interval.h"

namespace weighbridge::stats {

/// Points that growth() needs: eight blocks of two.
constexpr std::size_t kLeastGrowthPoints = 16;

/// Whether something grows with the work done, and how fast.
struct Growth {
  Estimate per_unit;   ///< unit of y per unit of x; its interval has confidence 1 - alpha
  bool grows = false;  ///< the interval lies above zero
};

/// The verdict of a leak: does `y` (a resident set) keep growing with `x` (calls made, seconds)?
///
/// A line's own test is no use here. It takes the readings for independent, and a resident set is
/// not: an allocator wanders, takes memory in steps, and stays where it is. One step in the middle
/// of fifty readings "grows" with p < 0.001 by least squares, and a walk without any drift does so
/// two times in five. So the series is cut into eight equal blocks; the differences of
/// neighbouring blocks' means are independent enough to be judged by Student's t at 7 - 1 degrees
/// of freedom (the method of batch means, Law, Simulation Modeling and Analysis, section 9.5.3,
/// applied to increments). Steps that do not go on have few large differences among zeros, noise
/// around a level has differences that cancel; only what goes on in most blocks is told as growth.
///
/// Both tails share alpha, and growth is only one of them: the rate of false alarms is alpha / 2
/// for increments that are independent. The other half is for those of a wandering level, whose
/// neighbouring block means are correlated by a quarter. In simulation at alpha = 0.01 at most 1 %
/// of clean series are told to grow: noise, a wandering level, one or two steps, a sawtooth.
///
/// The price is power: in noise of standard deviation s around the line, a growth of 10 s over the
/// whole series is found nine times in ten, where least squares finds one of 2 s.
///
/// `x` ascends. The caller lets warm-up pass first: memory that still settles does grow. Absent
/// under kLeastGrowthPoints points, when x does not ascend, or with a value that is not finite.
std::optional<Growth> growth(std::span<const double> x, std::span<const double> y,
                             double alpha = 0.01);

}  // namespace weighbridge::stats
