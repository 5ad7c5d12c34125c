#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "transport/http_message.h"

namespace weighbridge::standin {

/// One scripted answer.
struct Route {
  std::string method = {};  ///< "GET"; empty: any
  std::string path = {};    ///< exact, or with {name} standing for one segment that is not empty
  int status = 200;
  std::string body = {};            ///< JSON text
  std::uint64_t body_bytes = 0;     ///< with an empty `body`: valid JSON of exactly this size
  transport::Headers headers = {};  ///< beside Content-Type: application/json, or instead of it
  Duration delay{};                 ///< in addition to the upstream's own
};

/// JSON text of exactly `bytes` bytes; empty for 0.
std::string json_of_size(std::uint64_t bytes);

/// Which route answers a request. An exact path goes before a pattern; among equals the first
/// listed wins.
class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes);

  struct Entry {
    Route route;  ///< its `body` moved out
    std::shared_ptr<const std::string> body;
  };
  /// `path` without the query. Null when nothing matches.
  [[nodiscard]] const Entry* find(std::string_view method, std::string_view path) const;

 private:
  struct Pattern {
    std::vector<std::string> segments;
    std::size_t entry;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> exact_;
  std::map<std::size_t, std::vector<Pattern>> patterns_;  // by number of segments
};

}  // namespace weighbridge::standin
