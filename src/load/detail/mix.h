#pragma once

#include <cstdint>

namespace weighbridge::load::detail {

/// 64 bits that look random and follow from the three numbers alone (splitmix64's finaliser,
/// Steele, Lea and Flood, 2014). What a call draws comes from its number, not from a generator's
/// state, so that it does not depend on which thread sends it or in which order.
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t number, std::uint64_t purpose) {
  std::uint64_t bits = seed * 0x9e3779b97f4a7c15U + number * 0xd1342543de82ef95U + purpose;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// The same bits as a fraction in [0, 1).
constexpr double fraction(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace weighbridge::load::detail
