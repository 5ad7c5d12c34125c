#include "reference/failure_limit.h"

namespace weighbridge::reference {

bool FailureLimit::blocks(const std::string& address, Instant now) const {
  const auto found = counts_.find(address);
  return found != counts_.end() && found->second.failures >= kMost &&
         now < found->second.since + kWindow;
}

void FailureLimit::add(const std::string& address, Instant now) {
  if (counts_.size() >= kMostAddresses) counts_.clear();
  auto& count = counts_[address];
  if (count.failures == 0 || now >= count.since + kWindow) count = {.since = now, .failures = 0};
  ++count.failures;
}

}  // namespace weighbridge::reference
