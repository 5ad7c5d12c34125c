#include "reference/naming.h"

#include <algorithm>

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;

/// Segments that say nothing about what is addressed.
bool is_noise(std::string_view segment) {
  return segment == "-" || segment == "@v" || segment == "p";
}

bool is_parameter(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

std::string_view take_segment(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

void take_container(std::string_view& path, PathShape& shape) {
  std::string_view rest = path;
  const auto first = take_segment(rest);
  if (first == "user" || first == "admin") {
    shape.container = first == "user" ? "current_user"sv : first;
    path = rest;
    return;
  }
  constexpr std::array kContainers{std::pair{"projects"sv, "project"sv},
                                   std::pair{"groups"sv, "group"sv},
                                   std::pair{"users"sv, "user"sv}};
  const auto* const found =
      std::ranges::find(kContainers, first, &std::pair<std::string_view, std::string_view>::first);
  const auto second = take_segment(rest);
  if (found == kContainers.end() || !is_parameter(second)) return;
  shape.container = found->second;
  shape.container_parameter = second.substr(1, second.size() - 2);
  path = rest;
}

std::string_view scope_prefix(std::string_view container) {
  if (container == "group") return "group_";
  if (container == "user") return "user_";
  if (container == "current_user") return "current_user_";
  if (container == "admin") return "admin_";
  return {};  // most operations are on projects, so theirs are the short names
}

std::string_view scope_in_prose(std::string_view container) {
  if (container == "project") return " of a project";
  if (container == "group") return " of a group";
  if (container == "user") return " of a user";
  if (container == "current_user") return " of your own account";
  if (container == "admin") return " of the instance";
  return {};
}

/// Replaces the longest beginning for which the vocabulary has something better.
void prettify(const Words& words, std::string& noun) {
  for (std::size_t end = noun.size(); end != std::string::npos && end > 0;
       end = noun.rfind('_', end - 1)) {
    const auto* const better = words.find(Words::Kind::noun, std::string_view(noun).substr(0, end));
    if (better != nullptr) {
      noun.replace(0, end, better->columns[0]);
      return;
    }
  }
}

struct Verb {
  std::string_view word;
  std::string_view phrase;
  bool is_segment = false;  ///< the last segment of the path is the verb, not part of the noun
};

Verb known(const Words& words, std::string_view word) {
  const auto* const entry = words.find(Words::Kind::verb, word);
  return {word, entry != nullptr ? entry->columns[0] : word};
}

constexpr std::array kReadVerbs{"download"sv, "raw"sv,    "render"sv, "exists"sv,
                                "compare"sv,  "search"sv, "trace"sv};

/// The verb that a path's last fixed segment may be: /approve after PUT, /raw after GET.
Verb verb_in_path(const Words& words, Method method, std::string_view last) {
  if (method == Method::remove) return {};
  if (method == Method::get && std::ranges::find(kReadVerbs, last) == kReadVerbs.end()) return {};
  std::string word(last);
  std::ranges::replace(word, '-', '_');
  const auto* const entry = words.find(Words::Kind::verb, word);
  if (entry == nullptr) return {};
  return {entry->key, entry->columns[0], true};
}

Verb verb_by_method(const Words& words, Method method, bool numbered, bool list) {
  switch (method) {
    case Method::get:
      return known(words, list ? "list" : "get");
    case Method::post:
      return known(words, numbered ? "add" : "create");
    case Method::remove:
      return known(words, "delete");
    case Method::put:
    case Method::patch:
      break;
  }
  return known(words, "update");
}

std::string_view last_segment(const PathPart& part) {
  const auto slash = part.segments.rfind('/');
  return slash == std::string_view::npos ? part.segments : part.segments.substr(slash + 1);
}

/// The part without its last segment; empty when that was all.
PathPart without_last(const PathPart& part) {
  const auto slash = part.segments.rfind('/');
  return {slash == std::string_view::npos ? std::string_view{} : part.segments.substr(0, slash),
          {}};
}

std::string object_phrase(const Words& words, const PathPart& part, std::string_view verb) {
  const bool one = !part.parameter.empty() || verb == "create" || verb == "add";
  std::string phrase = in_prose(words, identifier(part, one));
  if (one) return std::string(article(phrase)) + phrase;
  if (verb == "list") return phrase;
  return "the " + phrase;
}

std::string title_of(const Words& words, const PathShape& shape, const Verb& verb) {
  std::string title(verb.phrase);
  if (shape.count == 0) {
    const auto phrase = shape.container.empty() ? "instance"sv : shape.container;
    return title.append(shape.container.empty() ? " the " : " a ").append(phrase);
  }
  title.append(" ").append(object_phrase(words, shape.parts[shape.count - 1], verb.word));
  for (std::size_t i = shape.count - 1; i-- > 0;)
    title.append(" of ").append(object_phrase(words, shape.parts[i], "get"));
  return title.append(scope_in_prose(shape.container));
}

std::string noun_of(const Words& words, const PathShape& shape, const Verb& verb) {
  std::string noun(scope_prefix(shape.container));
  for (std::size_t i = 0; i < shape.count; ++i) {
    const bool one = i + 1 < shape.count || !shape.parts[i].parameter.empty() ||
                     verb.word == "create" || verb.word == "add";
    if (i > 0) noun += '_';
    noun += identifier(shape.parts[i], one);
  }
  prettify(words, noun);
  return noun;
}

}  // namespace

PathShape shape_of(std::string_view path) {
  PathShape shape;
  take_container(path, shape);
  const char* begin = nullptr;
  for (auto segment = take_segment(path); !segment.empty(); segment = take_segment(path)) {
    if (is_noise(segment) || shape.count == shape.parts.size()) continue;
    if (is_parameter(segment)) {
      if (begin == nullptr && shape.count > 0) continue;  // a second one in a row names the same
      if (begin == nullptr) ++shape.count;
      shape.parts[shape.count - 1].parameter = segment.substr(1, segment.size() - 2);
      begin = nullptr;
      continue;
    }
    if (begin == nullptr) {
      begin = segment.data();
      ++shape.count;
    }
    shape.parts[shape.count - 1].segments = {begin, segment.data() + segment.size()};
  }
  return shape;
}

std::string identifier(const PathPart& part, bool last_singular) {
  std::string text;
  std::string_view rest = part.segments;
  while (!rest.empty()) {
    auto segment = take_segment(rest);
    if (is_noise(segment)) continue;
    if (const auto brace = segment.find('{'); brace != std::string_view::npos)  // archive.{type}
      segment = segment.substr(0, brace > 0 ? brace - 1 : 0);
    if (!text.empty()) text += '_';
    const bool one = last_singular || !rest.empty();
    text += one ? singular(segment) : std::string(segment);
  }
  std::ranges::replace(text, '-', '_');
  return text;
}

Name name_of(const Words& words, Method method, std::string_view path, bool collection) {
  PathShape shape = shape_of(path);
  Verb verb;
  if (shape.count > 0 && !shape.ends_in_parameter()) {
    PathPart& last = shape.parts[shape.count - 1];
    verb = verb_in_path(words, method, last_segment(last));
    if (verb.is_segment) last = without_last(last);
    if (last.segments.empty()) --shape.count;
  }
  if (!verb.is_segment) {
    const bool numbered = shape.ends_in_parameter();
    const bool list = collection || (shape.count > 0 && !numbered &&
                                     is_plural(last_segment(shape.parts[shape.count - 1])));
    verb = verb_by_method(words, method, numbered, list);
    if (shape.count == 0 && method == Method::post) verb = known(words, "update");
  }
  std::string id = shape.count > 0            ? noun_of(words, shape, verb)
                   : !shape.container.empty() ? std::string(shape.container)
                                              : "instance";
  id.append(".").append(verb.word);
  return {std::move(id), title_of(words, shape, verb)};
}

}  // namespace weighbridge::reference
