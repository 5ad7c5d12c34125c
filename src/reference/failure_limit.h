#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace weighbridge::reference {

/// Counts failed authentications by address: ten in a minute are enough. Time is an argument.
class FailureLimit {
 public:
  [[nodiscard]] bool blocks(const std::string& address, Instant now) const;
  void add(const std::string& address, Instant now);

 private:
  static constexpr int kMost = 10;
  static constexpr Duration kWindow = 1min;
  /// More addresses than these are a flood, and forgetting it all costs the flood nothing it had.
  static constexpr std::size_t kMostAddresses = 10'000;
  struct Count {
    Instant since;
    int failures = 0;
  };
  std::unordered_map<std::string, Count> counts_;
};

}  // namespace weighbridge::reference
