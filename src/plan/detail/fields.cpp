#include "plan/detail/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/units.h"
#include "base/words.h"

namespace weighbridge::plan::detail {
namespace {

std::string_view words_for(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

}  // namespace

Fields::Fields(const toml::table& table, std::string name, Problems& problems)
    : table_(table), name_(std::move(name)), problems_(problems) {}

Fields::~Fields() {
  std::ranges::sort(known_);
  for (const auto& [key, node] : table_) {
    const std::string word(key.str());
    if (std::ranges::binary_search(known_, word) || std::ranges::count(refused_, word) > 0)
      continue;
    const std::string near = nearest_word(word, known_);
    const std::string place =
        name_.empty() ? "at the top of a plan" : fmt::format("in [{}]", name_);
    problems_.push_back({key.source().begin, fmt::format("unknown key `{}` {}", word, place),
                         near.empty() ? fmt::format("Keys known there: {}", fmt::join(known_, ", "))
                                      : fmt::format("Did you mean `{}`?", near)});
  }
}

const toml::node* Fields::any(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

std::string Fields::shown(std::string_view key) const {
  return name_.empty() ? fmt::format("`{}`", key) : fmt::format("`{}` in [{}]", key, name_);
}

void Fields::refuse(const toml::node& at, std::string what, std::string remedy) {
  problems_.push_back({at.source().begin, std::move(what), std::move(remedy)});
}

void Fields::refuse_key(std::string_view key, std::string what, std::string remedy) {
  refused_.emplace_back(key);
  for (const auto& [found, node] : table_) {
    if (found.str() == key)
      problems_.push_back({found.source().begin, std::move(what), std::move(remedy)});
  }
}

void Fields::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted,
                        std::string_view example) {
  refuse(node, fmt::format("{} must be {}, not {}", shown(key), wanted, words_for(node.type())),
         fmt::format("Write for example {} = {}", key, example));
}

void Fields::text(std::string_view key, std::string& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  if (const auto* value = node->as_string())
    out = value->get();
  else
    wrong_type(key, *node, "a text", "\"…\"");
}

void Fields::texts(std::string_view key, std::vector<std::string>& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    wrong_type(key, *node, "an array of texts", "[\"…\", \"…\"]");
    return;
  }
  out.clear();
  for (const toml::node& element : *array) {
    if (const auto* value = element.as_string())
      out.push_back(value->get());
    else
      refuse(element,
             fmt::format("{} must hold texts only, not {}", shown(key), words_for(element.type())),
             "Put it in quotes");
  }
}

void Fields::pairs(std::string_view key, std::vector<std::pair<std::string, std::string>>& out) {
  const toml::table* values = table(key);
  if (values == nullptr) return;
  std::vector<std::pair<toml::source_position, std::pair<std::string, std::string>>> placed;
  for (const auto& [name, node] : *values) {
    if (const auto* value = node.as_string())
      placed.push_back({name.source().begin, {std::string(name.str()), value->get()}});
    else
      refuse(node,
             fmt::format("`{}` of {} must be a text, not {}", name.str(), shown(key),
                         words_for(node.type())),
             "Put it in quotes");
  }
  std::ranges::sort(placed, [](const auto& a, const auto& b) { return a.first < b.first; });
  out.clear();
  for (auto& [at, pair] : placed) out.push_back(std::move(pair));
}

void Fields::environment(std::string_view key, Environment& out) {
  std::vector<std::pair<std::string, std::string>> values;
  pairs(key, values);
  for (auto& [name, value] : values) out.insert_or_assign(name, std::move(value));
}

void Fields::boolean(std::string_view key, std::optional<bool>& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  if (const auto* value = node->as_boolean())
    out = value->get();
  else
    wrong_type(key, *node, "true or false", "true");
}

void Fields::integer(std::string_view key, std::optional<std::int64_t>& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  if (const auto* value = node->as_integer())
    out = value->get();
  else
    wrong_type(key, *node, "a whole number", "4");
}

void Fields::integer(std::string_view key, std::optional<int>& out) {
  using Limits = std::numeric_limits<int>;
  std::optional<std::int64_t> wide;
  integer(key, wide);
  if (wide) out = static_cast<int>(std::clamp<std::int64_t>(*wide, Limits::min(), Limits::max()));
}

void Fields::integer(std::string_view key, int& out) {
  std::optional<int> value;
  integer(key, value);
  out = value.value_or(out);
}

void Fields::duration(std::string_view key, Duration& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  const auto* value = node->as_string();
  if (value == nullptr) {
    wrong_type(key, *node, "a duration in quotes", "\"10s\"");
    return;
  }
  if (const auto parsed = parse_duration(value->get()))
    out = *parsed;
  else
    refuse(*node, fmt::format("{}: {}", shown(key), parsed.error().what), parsed.error().remedy);
}

void Fields::size(std::string_view key, std::optional<std::uint64_t>& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  if (const auto* number = node->as_integer()) {
    if (number->get() >= 0)
      out = static_cast<std::uint64_t>(number->get());
    else
      refuse(*node, fmt::format("{} must not be negative", shown(key)), {});
    return;
  }
  const auto* value = node->as_string();
  if (value == nullptr) {
    wrong_type(key, *node, "a size", "\"12KiB\"");
    return;
  }
  if (const auto parsed = parse_size(value->get()))
    out = *parsed;
  else
    refuse(*node, fmt::format("{}: {}", shown(key), parsed.error().what), parsed.error().remedy);
}

void Fields::choice(std::string_view key, const std::vector<std::string>& words, std::string& out) {
  const toml::node* node = any(key);
  if (node == nullptr) return;
  const std::string list = fmt::format("\"{}\"", fmt::join(words, "\" or \""));
  const auto* value = node->as_string();
  if (value == nullptr) {
    wrong_type(key, *node, list, fmt::format("\"{}\"", words.front()));
  } else if (std::ranges::find(words, value->get()) == words.end()) {
    refuse(*node, fmt::format("{} must be {}, not \"{}\"", shown(key), list, value->get()), {});
  } else {
    out = value->get();
  }
}

const toml::table* Fields::table(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) return nullptr;
  if (node->as_table() == nullptr) wrong_type(key, *node, "a table", "{ … }");
  return node->as_table();
}

std::vector<const toml::table*> Fields::tables(std::string_view key) {
  std::vector<const toml::table*> found;
  const toml::node* node = any(key);
  if (node == nullptr) return found;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    refuse(
        *node,
        fmt::format("{} must be an array of tables, not {}", shown(key), words_for(node->type())),
        name_.empty() ? fmt::format("Write [[{}]] above each of them", key)
                      : fmt::format("Write {} = [ {{ … }}, {{ … }} ]", key));
    return found;
  }
  for (const toml::node& element : *array) {
    if (element.as_table() != nullptr)
      found.push_back(element.as_table());
    else
      refuse(element,
             fmt::format("{} must hold tables only, not {}", shown(key), words_for(element.type())),
             {});
  }
  return found;
}

}  // namespace weighbridge::plan::detail
