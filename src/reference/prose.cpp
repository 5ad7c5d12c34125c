#include "reference/prose.h"

#include <algorithm>

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;

/// The end of `name` behind `ending`'s start, or empty when it does not end so.
std::string_view before(std::string_view name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string_view{};
}
std::string_view behind(std::string_view name, std::string_view beginning) {
  return name.starts_with(beginning) ? name.substr(beginning.size()) : std::string_view{};
}

struct Rule {
  std::string_view beginning;
  std::string_view ending;
  std::string_view sentence;  ///< `%` stands for the words between
};

/// Tried in order for names without an entry in the vocabulary.
constexpr std::array kRules{
    Rule{"", "_access_level", "Who may use %: disabled, private or enabled."},
    Rule{"", "_after", "Only what was % after this moment, as ISO 8601."},
    Rule{"", "_before", "Only what was % before this moment, as ISO 8601."},
    Rule{"", "_at", "Moment of: %, as ISO 8601."},
    Rule{"", "_enabled", "Whether % is switched on."},
    Rule{"", "_disabled", "Whether % is switched off."},
    Rule{"", "_iid", "Number of the % within its project or group, as shown in its address."},
    Rule{"", "_ids", "Numbers of: %."},
    Rule{"", "_id", "Number of the %."},
    Rule{"", "_url", "Address of the %."},
    Rule{"", "_name", "Name of the %."},
    Rule{"", "_regex", "Regular expression (RE2) for: %."},
    Rule{"", "_template", "Template for the %."},
    Rule{"", "_max_capacity", "How many % are replicated at once."},
    Rule{"", "_events", "Whether % are reported."},
    Rule{"", "_limit", "Upper limit of: %."},
    Rule{"include_", "", "Include %."},
    Rule{"exclude_", "", "Leave out %."},
    Rule{"only_allow_", "", "Allow only: %."},
    Rule{"only_", "", "Only %."},
    Rule{"with_", "", "Answer % too."},
    Rule{"allow_", "", "Allow %."},
};

std::string_view between(std::string_view name, const Rule& rule) {
  if (!rule.ending.empty()) return before(name, rule.ending);
  return behind(name, rule.beginning);
}

void append_with(std::string& out, std::string_view sentence, std::string_view middle) {
  const auto place = sentence.find('%');
  out.append(sentence.substr(0, place)).append(middle).append(sentence.substr(place + 1));
}

bool pages(const Operation& operation) {
  return std::ranges::any_of(operation.parameters,
                             [](const Parameter& parameter) { return parameter.name == "page"; });
}

bool changes_in_part(const Operation& operation) {
  if (operation.method != Method::put && operation.method != Method::patch) return false;
  return std::ranges::any_of(operation.parameters, [](const Parameter& parameter) {
    return parameter.place == Place::body && !parameter.required;
  });
}

bool takes_file(const Operation& operation) {
  return std::ranges::any_of(operation.parameters, [](const Parameter& parameter) {
    return parameter.type == Type::file && parameter.name.find('[') == std::string_view::npos;
  });
}

/// Up to three operations on the same noun: what one wants before or after this one.
void append_neighbours(std::string& out, const Catalogue& catalogue, const Operation& operation) {
  const std::string_view id = operation.id;
  const auto noun = id.substr(0, id.find('.'));
  std::string candidate;
  std::size_t found = 0;
  const auto add = [&](std::string_view stem, std::string_view verb) {
    candidate.assign(stem).append(".").append(verb);
    if (found == 3 || candidate == id || catalogue.find(candidate) == nullptr) return;
    out.append(found++ == 0 ? " See also " : ", ").append(candidate);
  };
  const std::string one = singular(noun);
  std::string many = one + "s";
  if (one.ends_with('h') || one.ends_with('x') || one.ends_with('s')) many = one + "es";
  if (one.ends_with('y')) many = one.substr(0, one.size() - 1) + "ies";
  add(many, "list");
  for (const auto verb : {"get"sv, "create"sv, "update"sv, "delete"sv}) add(one, verb);
  if (found > 0) out += '.';
}

}  // namespace

ParameterProse::ParameterProse(const Words& words, const Operation& operation)
    : words_(words), operation_(operation), shape_(shape_of(operation.path)) {
  const auto add = [this](std::string context) {
    if (context_count_ < contexts_.size()) contexts_[context_count_++] = std::move(context);
  };
  for (std::size_t i = shape_.count; i-- > 0;) {
    const auto& part = shape_.parts[i];
    const auto last = part.segments.substr(part.segments.rfind('/') + 1);
    const auto one = singular(last);
    if (one != last && part.parameter.empty()) add(std::string(last));  // `issues`: those of a list
    add(one);
  }
  add(std::string(operation.domain));
  add(std::string(shape_.container));
}

const Words::Entry* ParameterProse::find(std::string_view name, std::string_view place) const {
  constexpr auto kParam = Words::Kind::param;
  if (words_.has_contexts(kParam, name)) {
    if (!place.empty()) {
      if (const auto* const there = words_.find_in(kParam, name, place)) return there;
    } else {
      for (std::size_t i = 0; i < context_count_; ++i)
        if (const auto* const there = words_.find_in(kParam, name, contexts_[i])) return there;
    }
  }
  return words_.find(kParam, name);
}

std::string ParameterProse::noun_before(std::string_view parameter) const {
  if (parameter == shape_.container_parameter) return std::string(shape_.container);
  for (std::size_t i = 0; i < shape_.count; ++i)
    if (shape_.parts[i].parameter == parameter)
      return singular(shape_.parts[i].segments.substr(shape_.parts[i].segments.rfind('/') + 1));
  return {};
}

void ParameterProse::append_sentence(std::string& out, std::string_view name,
                                     std::string_view within, const Parameter& parameter) const {
  const auto place = parameter.place == Place::path ? noun_before(parameter.name) : std::string{};
  if (within == "not") return append_exclusion(out, name, parameter);
  if (const auto* const entry = find(name, place)) {
    out += entry->columns[0];
  } else if (name == "id") {
    append_with(out, "Number of the %.", in_prose(words_, place.empty() ? "record" : place));
  } else {
    append_rule(out, name, parameter);
  }
}

void ParameterProse::append_exclusion(std::string& out, std::string_view name,
                                      const Parameter& parameter) const {
  if (name.ends_with("_id")) name.remove_suffix(3);
  if (name == "iids") name = "iid";
  const bool several = parameter.type == Type::strings || parameter.type == Type::integers;
  append_with(out,
              several ? "Leaves out those with any of these: %." : "Leaves out those with this %.",
              in_prose(words_, name));
}

void ParameterProse::append_rule(std::string& out, std::string_view name,
                                 const Parameter& parameter) const {
  for (const auto& rule : kRules) {
    const auto middle = between(name, rule);
    if (!middle.empty()) return append_with(out, rule.sentence, in_prose(words_, middle));
  }
  const auto words = in_prose(words_, name);
  if (parameter.type == Type::boolean) return append_with(out, "Whether: %.", words);
  const auto noun = std::string_view(operation_.id).substr(0, operation_.id.find('.'));
  out.append("The ").append(words).append(" of the ");
  out.append(in_prose(words_, singular(noun))).append(".");
}

void append_description(std::string& out, const Catalogue& catalogue, const Operation& operation) {
  out.append(operation.title).append(".");
  const auto* const domain = catalogue.words().find(Words::Kind::domain, operation.domain);
  if (domain != nullptr) out.append(" ").append(domain->columns[1]);
  switch (operation.shape) {
    case Shape::list:
      out += pages(operation) ? " Answers one page of a list; page and per_page choose it."
                              : " Answers the whole list.";
      break;
    case Shape::content:
      out += " Answers the content as text, or as base64 when it is not text.";
      break;
    case Shape::nothing:
      out += " This cannot be undone.";
      break;
    case Shape::record:
      break;
  }
  if (changes_in_part(operation)) out += " What is left out keeps its value.";
  if (takes_file(operation)) out += " The file is given as an object with filename and content.";
  // GitLab's own rule for tokens, whatever role their owner has.
  out += operation.method == Method::get ? " A token with scope read_api will do."
                                         : " The token needs the scope api.";
  out.append(" Calls ").append(to_string(operation.method)).append(" ").append(operation.path);
  out += '.';
  append_neighbours(out, catalogue, operation);
}

}  // namespace weighbridge::reference
