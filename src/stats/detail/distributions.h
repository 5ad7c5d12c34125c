#pragma once

#include <cstddef>

/// Boost.Math behind plain functions, so that one file pays its three seconds of compilation.
namespace weighbridge::stats::detail {

/// Standard normal: P(Z <= z), and the z below which `p` in (0, 1) of it lies.
double normal_below(double z);
double normal_quantile(double p);

/// Student's t with `degrees` > 0 of freedom: the t below which `p` in (0, 1) of it lies.
double t_quantile(double p, double degrees);

/// P(B <= count) and P(B > count) for B ~ binomial(n, p); count <= n.
double binomial_at_most(std::size_t count, std::size_t n, double p);
double binomial_above(std::size_t count, std::size_t n, double p);

}  // namespace weighbridge::stats::detail
