#pragma once

#include <cstddef>
#include <cstdint>

namespace weighbridge::reference {

/// How many calls may wait for GitLab at once, so that descriptors remain for whoever comes: each
/// holds two, an eighth and 512 are kept back. `descriptors`: the hard limit of this process.
std::size_t held_call_ceiling(std::uint64_t descriptors);
/// Sessions hold one themselves and may hold a stream: half of it.
std::size_t session_ceiling(std::size_t held_calls);
/// Raises the soft limit on descriptors to the hard one, as far as the kernel lets; returns that.
std::uint64_t raise_descriptor_limit();

}  // namespace weighbridge::reference
