#include "plan/detail/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/words.h"

namespace weighbridge::plan::detail {
namespace {

using Json = nlohmann::ordered_json;

// What toml++ reads back; its own limit is 256.
constexpr int kDeepest = 100;

Json to_json(const toml::node& value, Problems& problems);

Json object_of(const toml::table& table, Problems& problems) {
  std::vector<std::pair<const toml::key*, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(&key, &node);
  // toml++ keeps keys sorted by name; a server may be sent its arguments as they were written.
  std::ranges::stable_sort(members, [](const auto& a, const auto& b) {
    return a.first->source().begin < b.first->source().begin;
  });
  Json object = Json::object();
  for (const auto& [key, node] : members)
    object[std::string(key->str())] = to_json(*node, problems);
  return object;
}

Json to_json(const toml::node& value, Problems& problems) {
  const auto refuse = [&](std::string what, std::string remedy) {
    problems.push_back({value.source().begin, std::move(what), std::move(remedy)});
    return Json();
  };
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* number = value.as_integer()) return number->get();
  if (const auto* truth = value.as_boolean()) return truth->get();
  if (const auto* table = value.as_table()) return object_of(*table, problems);
  if (const auto* number = value.as_floating_point()) {
    if (std::isfinite(number->get())) return number->get();
    return refuse("JSON has no infinity and no NaN", "Write a finite number");
  }
  if (const auto* array = value.as_array()) {
    Json list = Json::array();
    for (const toml::node& element : *array) list.push_back(to_json(element, problems));
    return list;
  }
  return refuse("JSON has no dates and times", "Put it in quotes, in the form the server expects");
}

std::optional<std::string> inline_value(std::string_view name, const Json& value,
                                        const Shown& shown) {
  if (value.is_string()) return toml_quoted(shown(name, value.get_ref<const std::string&>()));
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) return std::nullopt;
  if (value.is_boolean() || value.is_number()) return value.dump();
  std::string list;
  if (value.is_array()) {
    for (const Json& element : value) {
      const auto text = inline_value(name, element, shown);
      if (!text) return std::nullopt;
      list += (list.empty() ? "" : ", ") + *text;
    }
    return "[" + list + "]";
  }
  if (!value.is_object()) return std::nullopt;
  for (const auto& [key, element] : value.items()) {
    const auto text = inline_value(key, element, shown);
    if (!text) return std::nullopt;
    list += fmt::format("{}{} = {}", list.empty() ? " " : ", ", toml_key(key), *text);
  }
  return list.empty() ? "{}" : "{" + list + " }";
}

}  // namespace

std::string json_text(const toml::node& value, Problems& problems) {
  return to_json(value, problems).dump();
}

std::optional<std::string> toml_value(std::string_view json, const Shown& shown) {
  // The bound is kept while parsing: ordered_json copies and prints by descending.
  bool too_deep = false;
  const auto bounded = [&](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  const Json value = Json::parse(json, bounded, /*allow_exceptions=*/false);
  // Unequal text means duplicate names, escapes or number forms that would not come back.
  if (too_deep || value.is_discarded() || value.dump() != json) return std::nullopt;
  return inline_value({}, value, shown);
}

bool is_json_object(std::string_view text) {
  return trim(text).starts_with('{') && Json::accept(text);
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (c == '\n')
      quoted += "\\n";
    else if (c == '\t')
      quoted += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string toml_key(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? std::string(key) : toml_quoted(key);
}

}  // namespace weighbridge::plan::detail
