#include "stats/detail/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace weighbridge::stats::detail {
namespace {

boost::math::binomial binomial(std::size_t n, double p) {
  return {static_cast<double>(n), p};
}

}  // namespace

double normal_below(double z) {
  return boost::math::cdf(boost::math::normal(), z);
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), p);
}

double t_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double binomial_at_most(std::size_t count, std::size_t n, double p) {
  return boost::math::cdf(binomial(n, p), static_cast<double>(count));
}

double binomial_above(std::size_t count, std::size_t n, double p) {
  return boost::math::cdf(boost::math::complement(binomial(n, p), static_cast<double>(count)));
}

}  // namespace weighbridge::stats::detail
