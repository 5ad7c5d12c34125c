#include "reference/session_streams.h"

#include <algorithm>

namespace weighbridge::reference {
namespace {

/// A stream that is pushed out goes on for whoever is attached to it; only coming back is over.
constexpr std::size_t kMostKept = 16;

}  // namespace

std::shared_ptr<EventStream> SessionStreams::open(bool primes) {
  kept_.push_back(std::make_shared<EventStream>(next_++, primes));
  if (kept_.size() > kMostKept) kept_.pop_front();
  return kept_.back();
}

std::shared_ptr<EventStream> SessionStreams::find(std::uint64_t number) const {
  const auto found =
      std::ranges::find(kept_, number, [](const auto& each) { return each->number(); });
  if (found != kept_.end()) return *found;
  return standing && standing->number() == number ? standing : nullptr;
}

}  // namespace weighbridge::reference
