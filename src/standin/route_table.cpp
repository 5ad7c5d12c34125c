#include "standin/route_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words.h"

namespace weighbridge::standin {
namespace {

bool is_placeholder(std::string_view segment) {
  return segment.size() > 2 && segment.starts_with('{') && segment.ends_with('}');
}

bool same_segment(std::string_view wanted, std::string_view given) {
  return is_placeholder(wanted) ? !given.empty() : wanted == given;
}

bool takes(const Route& route, std::string_view method) {
  return route.method.empty() || route.method == method;
}

}  // namespace

std::string json_of_size(std::uint64_t bytes) {
  static constexpr std::string_view kFrame = R"({"data":""})";
  if (bytes == 0) return {};
  if (bytes == 1) return "0";
  if (bytes < kFrame.size()) return fmt::format("\"{}\"", std::string(bytes - 2, 'x'));
  return fmt::format(R"({{"data":"{}"}})", std::string(bytes - kFrame.size(), 'x'));
}

RouteTable::RouteTable(std::vector<Route> routes) {
  for (Route& route : routes) {
    std::string body = route.body.empty() ? json_of_size(route.body_bytes) : std::move(route.body);
    std::vector<std::string> segments = split(route.path, '/');
    const std::size_t index = entries_.size();
    if (std::ranges::any_of(segments, is_placeholder)) {
      patterns_[segments.size()].push_back({.segments = std::move(segments), .entry = index});
    } else {
      exact_[route.path].push_back(index);
    }
    entries_.push_back(
        {.route = std::move(route), .body = std::make_shared<const std::string>(std::move(body))});
  }
}

const RouteTable::Entry* RouteTable::find(std::string_view method, std::string_view path) const {
  if (const auto found = exact_.find(path); found != exact_.end()) {
    for (const std::size_t index : found->second) {
      if (takes(entries_[index].route, method)) return &entries_[index];
    }
  }
  const std::vector<std::string> given = split(path, '/');
  const auto candidates = patterns_.find(given.size());
  if (candidates == patterns_.end()) return nullptr;
  for (const Pattern& pattern : candidates->second) {
    if (takes(entries_[pattern.entry].route, method) &&
        std::ranges::equal(pattern.segments, given, same_segment))
      return &entries_[pattern.entry];
  }
  return nullptr;
}

}  // namespace weighbridge::standin
