#pragma once

#include <cstdint>

namespace weighbridge::os {

/// Descriptors this process may have open, and could have: the soft limit can be raised to the
/// hard one by anybody.
struct DescriptorLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};
DescriptorLimit descriptor_limit();

/// Raises the soft limit to at least `wanted`, as far as the hard one allows. Processes started
/// afterwards inherit it. False when it is not enough.
bool raise_descriptor_limit(std::uint64_t wanted);

/// Local ports from which connections to one address can be opened.
std::uint64_t local_port_count();

}  // namespace weighbridge::os
