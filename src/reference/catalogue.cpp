#include "reference/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.h"
#include "reference/naming.h"

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;

std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

bool read_method(std::string_view text, Method& method) {
  constexpr std::array kMethods{Method::get, Method::post, Method::put, Method::patch,
                                Method::remove};
  const auto* const found = std::ranges::find_if(
      kMethods, [&](Method candidate) { return to_string(candidate) == text; });
  if (found == kMethods.end()) return false;
  method = *found;
  return true;
}

Type read_type(std::string_view text) {
  if (text == "integer") return Type::integer;
  if (text == "number") return Type::number;
  if (text == "boolean") return Type::boolean;
  if (text == "object") return Type::object;
  if (text == "file") return Type::file;
  if (text == "array<integer>") return Type::integers;
  if (text == "array<object>") return Type::objects;
  if (text.starts_with("array")) return Type::strings;
  return Type::string;
}

Parameter read_parameter(std::string_view text) {
  Parameter parameter;
  if (const auto choices = text.find("::"); choices != std::string_view::npos) {
    parameter.choices = text.substr(choices + 2);
    text = text.substr(0, choices);
  }
  parameter.name = take(text, ':');
  const auto place = take(text, ':');
  parameter.place = place == "path" ? Place::path : place == "body" ? Place::body : Place::query;
  parameter.type = read_type(take(text, ':'));
  parameter.required = text == "required";
  return parameter;
}

/// What answers hold no JSON, told by the verb or the last word of the noun.
bool is_content(const Operation& operation) {
  const auto verb = std::string_view(operation.id).substr(operation.id.find('.') + 1);
  if (verb == "raw" || verb == "trace" || verb.starts_with("download")) return true;
  return verb == "get_by_secret" || operation.path.ends_with("/uploads/{upload_id}");
}

Shape shape_of_answer(const Operation& operation) {
  if (operation.method == Method::remove) return Shape::nothing;
  if (operation.method != Method::get) return Shape::record;
  if (is_content(operation)) return Shape::content;
  const auto verb = std::string_view(operation.id).substr(operation.id.find('.') + 1);
  if (verb.starts_with("list") || verb == "search") return Shape::list;
  return Shape::record;
}

char plain(char c) {
  return c == '.' ? '_' : c;
}
std::uint32_t hash_id(std::string_view id) {
  return hash_text(id, 0, plain);
}
bool same_id(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, plain, plain);
}
std::uint32_t hash_name(std::string_view name) {
  return hash_text(name, 0, [](char c) { return c; });
}

}  // namespace

std::string_view to_string(Method method) {
  constexpr std::array kNames{"GET"sv, "POST"sv, "PUT"sv, "PATCH"sv, "DELETE"sv};
  return kNames[static_cast<std::size_t>(method)];
}

Catalogue::Catalogue(std::string_view operations, std::string_view words) : words_(words) {
  read_operations(operations);
  read_resources();
  name_operations();
  make_ids_unique();
  group_operations();
}

void Catalogue::read_operations(std::string_view text) {
  operations_.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')));
  // The spans below need parameters that never move: as many as there are separators at most.
  parameters_.reserve(static_cast<std::size_t>(std::ranges::count(text, ' ')) +
                      operations_.capacity());
  while (!text.empty()) {
    auto line = take(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    Operation operation;
    operation.domain = take(line, '\t');
    if (!read_method(take(line, '\t'), operation.method)) continue;
    operation.path = take(line, '\t');
    const auto first = parameters_.size();
    while (!line.empty())
      if (const auto word = take(line, ' '); !word.empty())
        parameters_.push_back(read_parameter(word));
    operation.parameters = std::span(parameters_).subspan(first);
    operations_.push_back(std::move(operation));
  }
}

void Catalogue::read_resources() {
  for (const auto& entry : words_.all(Words::Kind::resource)) {
    resources_.push_back({entry.key, entry.columns[1]});
    const auto index = static_cast<std::uint16_t>(resources_.size());
    resource_names_.emplace_back(entry.key, index);
    for (auto others = entry.columns[0]; !others.empty();) {
      const auto other = take(others, ' ');
      if (other.ends_with('*'))
        resource_beginnings_.emplace_back(other.substr(0, other.size() - 1), index);
      else
        resource_names_.emplace_back(other, index);
    }
  }
  by_resource_name_ = TextIndex(resource_names_.size());
  for (std::uint16_t i = 0; i < resource_names_.size(); ++i)
    by_resource_name_.insert(hash_name(resource_names_[i].first), i);
}

void Catalogue::name_operations() {
  std::vector<std::string_view> paths;
  paths.reserve(operations_.size());
  for (const auto& operation : operations_) paths.push_back(operation.path);
  std::ranges::sort(paths);
  const auto has_entries = [&](std::string_view path) {
    const auto below = std::string(path).append("/{");
    const auto next = std::ranges::lower_bound(paths, std::string_view(below));
    return next != paths.end() && next->starts_with(below) &&
           next->find('/', below.size()) == std::string_view::npos;
  };
  std::string key;
  for (auto& operation : operations_) {
    std::string_view given_resource;
    key.assign(to_string(operation.method)).append("\t").append(operation.path);
    if (const auto* const given = words_.find(Words::Kind::action, key)) {
      operation.id = given->columns[0];
      operation.title = given->columns[1];
      given_resource = given->columns[2];
    } else {
      auto name = name_of(words_, operation.method, operation.path,
                          operation.method == Method::get && has_entries(operation.path));
      operation.id = std::move(name.id);
      operation.title = std::move(name.title);
    }
    operation.shape = shape_of_answer(operation);
    operation.resource =
        given_resource.empty() ? resource_of(operation.id) : find_resource(given_resource);
  }
}

std::uint16_t Catalogue::find_resource(std::string_view name) const {
  const int found = by_resource_name_.find(
      hash_name(name), [&](auto number) { return resource_names_[number].first == name; });
  if (found != TextIndex::kNone) return resource_names_[static_cast<std::size_t>(found)].second;
  for (const auto& [beginning, resource] : resource_beginnings_)
    if (name.starts_with(beginning)) return resource;
  return 0;
}

std::uint16_t Catalogue::resource_of(std::string_view id) const {
  const auto dot = id.find('.');
  if (const auto by_verb = find_resource(std::string(":").append(id.substr(dot + 1))); by_verb != 0)
    return by_verb;
  const auto whole = singular(id.substr(0, dot));
  // The whole noun first, then without its first words: an issue_note is a note.
  for (std::string_view noun = whole;;) {
    if (const auto found = find_resource(noun); found != 0) return found;
    const auto cut = noun.find('_');
    if (cut == std::string_view::npos) return 0;
    noun.remove_prefix(cut + 1);
  }
}

void Catalogue::make_ids_unique() {
  by_id_ = TextIndex(operations_.size());
  for (std::uint16_t i = 0; i < operations_.size(); ++i) {
    auto& id = operations_[i].id;
    if (id.size() > kMaxIdLength) id.resize(kMaxIdLength);
    const auto stem = id;
    for (int number = 2; find(id) != nullptr; ++number) {
      const auto suffix = fmt::format("_{}", number);
      id = stem.substr(0, kMaxIdLength - suffix.size()) + suffix;
    }
    by_id_.insert(hash_id(id), i);
  }
}

void Catalogue::group_operations() {
  const auto groups = words_.all(Words::Kind::group);
  for (auto& operation : operations_) {
    const auto* const domain = words_.find(Words::Kind::domain, operation.domain);
    if (domain == nullptr) continue;
    const auto* const group = words_.find(Words::Kind::group, domain->columns[0]);
    if (group != nullptr) operation.group = static_cast<std::uint16_t>(group - groups.data() + 1);
  }
}

const Operation* Catalogue::find(std::string_view id) const {
  const int found =
      by_id_.find(hash_id(id), [&](auto number) { return same_id(operations_[number].id, id); });
  return found != TextIndex::kNone ? &operations_[static_cast<std::size_t>(found)] : nullptr;
}

std::string Catalogue::nearest_id(std::string_view id) const {
  std::vector<std::string> ids;
  ids.reserve(operations_.size());
  for (const auto& operation : operations_) ids.push_back(operation.id);
  return nearest_word(id, ids);
}

std::string_view Catalogue::group_of(const Operation& operation) const {
  if (operation.group == 0) return operation.domain;
  return words_.all(Words::Kind::group)[operation.group - 1U].key;
}

std::string tool_name(const Operation& operation) {
  std::string name = "gitlab_" + operation.id;
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace weighbridge::reference
