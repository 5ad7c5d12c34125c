#include "reference/schema.h"

#include <algorithm>

#include "protocol/server_json.h"
#include "reference/prose.h"

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;
using protocol::append_quoted;

void append_choices(std::string& out, const Parameter& parameter) {
  out += R"(,"enum":)";
  char before = '[';
  for (std::size_t begin = 0; begin <= parameter.choices.size();) {
    const auto end = std::min(parameter.choices.find('|', begin), parameter.choices.size());
    const auto choice = parameter.choices.substr(begin, end - begin);
    out += before;
    if (parameter.type == Type::integer)
      out += choice;
    else
      append_quoted(out, choice);
    before = ',';
    begin = end + 1;
  }
  out += ']';
}

std::string_view type_of(const Parameter& parameter) {
  switch (parameter.type) {
    case Type::integer:
      return R"("type":"integer")";
    case Type::number:
      return R"("type":"number")";
    case Type::boolean:
      return R"("type":"boolean")";
    case Type::object:
      return R"("type":"object")";
    case Type::strings:
      return R"("type":"array","items":{"type":"string"})";
    case Type::integers:
      return R"("type":"array","items":{"type":"integer"})";
    case Type::objects:
      return R"("type":"array","items":{"type":"object"})";
    case Type::file:
      return R"("type":"object","properties":{"filename":{"type":"string"},)"
             R"("content":{"type":"string"},"encoding":{"enum":["text","base64"]}},)"
             R"("required":["filename","content"])";
    case Type::string:
      break;
  }
  // What names a thing in a path may be its number as well.
  return parameter.place == Place::path ? R"("type":["string","integer"])"sv
                                        : R"("type":"string")"sv;
}

std::string_view bounds_of(const Parameter& parameter) {
  if (parameter.name == "page") return R"(,"minimum":1,"default":1)";
  if (parameter.name == "per_page") return R"(,"minimum":1,"maximum":100,"default":20)";
  return {};
}

/// Writes the properties of one object. Members of one nested object stand side by side in the
/// table, so each object is a run of parameters that share a beginning.
class InputWriter {
 public:
  InputWriter(std::string& out, const Words& words, const Operation& operation)
      : out_(out), prose_(words, operation) {}

  /// The members of an object schema, without its braces.
  void append_members(std::span<const Parameter> run, std::size_t depth) {
    out_ += R"("type":"object","properties":{)";
    append_properties(run, depth);
    out_ += '}';
    append_required(run, depth);
    out_ += R"(,"additionalProperties":false)";
  }

 private:
  void append_properties(std::span<const Parameter> run, std::size_t depth) {
    for (std::size_t begin = 0; begin < run.size();) {
      const auto step = name_step(run[begin].name, depth);
      std::size_t end = begin + 1;
      while (end < run.size() && name_step(run[end].name, depth) == step) ++end;
      if (begin > 0) out_ += ',';
      append_quoted(out_, step);
      out_ += ':';
      if (name_step(run[begin].name, depth + 1).empty())
        append_leaf(run[begin], depth);
      else
        append_nested(run.subspan(begin, end - begin), depth + 1);
      begin = end;
    }
  }

  void append_nested(std::span<const Parameter> run, std::size_t depth) {
    out_ += '{';
    append_members(run, depth);
    out_ += R"(,"description":)";
    append_sentence(run.front(), depth - 1);
    out_ += '}';
  }

  void append_leaf(const Parameter& parameter, std::size_t depth) {
    out_.append("{").append(type_of(parameter)).append(bounds_of(parameter));
    if (!parameter.choices.empty()) append_choices(out_, parameter);
    out_ += R"(,"description":)";
    append_sentence(parameter, depth);
    out_ += '}';
  }

  void append_sentence(const Parameter& parameter, std::size_t depth) {
    sentence_.clear();
    prose_.append_sentence(sentence_, name_step(parameter.name, depth),
                           depth > 0 ? name_step(parameter.name, depth - 1) : ""sv, parameter);
    append_quoted(out_, sentence_);
  }

  void append_required(std::span<const Parameter> run, std::size_t depth) {
    bool first = true;
    for (const auto& parameter : run) {
      if (!parameter.required || !name_step(parameter.name, depth + 1).empty()) continue;
      out_ += first ? R"(,"required":[)" : ",";
      append_quoted(out_, name_step(parameter.name, depth));
      first = false;
    }
    if (!first) out_ += ']';
  }

  std::string& out_;
  ParameterProse prose_;
  std::string sentence_;
};

constexpr auto kPerson =
    R"("properties":{"id":{"type":"integer"},"username":{"type":"string"},)"
    R"("name":{"type":"string"},"state":{"type":"string"},"web_url":{"type":"string"}})"sv;

/// Writes the fields of records. Records within records go two deep: an issue's milestone is
/// described, what hangs on that is only named as an object.
class RecordWriter {
 public:
  RecordWriter(std::string& out, const Catalogue& catalogue) : out_(out), catalogue_(catalogue) {}

  void append_properties(const Resource& resource, int depth) {
    out_ += R"("properties":{)";
    for (auto fields = resource.fields; !fields.empty();) {
      const auto end = fields.find(' ');
      append_field(fields.substr(0, end), resource.name, depth);
      fields.remove_prefix(end == std::string_view::npos ? fields.size() : end + 1);
      if (!fields.empty()) out_ += ',';
    }
    out_ += '}';
  }

 private:
  void append_field(std::string_view name, std::string_view resource, int depth) {
    const auto& words = catalogue_.words();
    const auto* entry = words.find_in(Words::Kind::field, name, resource);
    if (entry == nullptr) entry = words.find(Words::Kind::field, name);
    append_quoted(out_, name);
    out_ += ":{";
    if (entry != nullptr) {
      append_type(entry->columns[0], depth);
      out_ += R"("description":)";
      append_quoted(out_, entry->columns[1]);
    }
    out_ += '}';
  }

  /// GitLab answers null for what is not set, so every field may be null.
  void append_type(std::string_view type, int depth) {
    if (type == "any") return;
    if (type == "user") {
      append_object(kPerson);
    } else if (type == "users") {
      append_array(R"("type":"object",)", kPerson);
    } else if (type == "strings") {
      append_array(R"("type":"string")", {});
    } else if (type == "objects") {
      append_array(R"("type":"object")", {});
    } else if (type == "labels") {
      append_array(R"("type":["string","object"])", {});
    } else if (type.starts_with("record")) {
      append_record(type, depth);
    } else {
      const bool text = type == "time" || type == "date" || type == "url";
      out_.append(R"("type":[")").append(text ? "string"sv : type).append(R"(","null"],)");
    }
  }

  void append_object(std::string_view properties) {
    out_.append(R"("type":["object","null"],)").append(properties).append(",");
  }
  void append_array(std::string_view items, std::string_view properties) {
    out_.append(R"("type":["array","null"],"items":{)").append(items).append(properties);
    out_ += "},";
  }

  void append_record(std::string_view type, int depth) {
    const bool several = type.starts_with("records:");
    out_ += several ? R"("type":["array","null"],"items":{"type":"object")"sv
                    : R"("type":["object","null"])"sv;
    const auto resource = catalogue_.find_resource(type.substr(type.find(':') + 1));
    if (resource != 0 && depth == 0) {
      out_ += ',';
      append_properties(catalogue_.resources()[resource - 1U], depth + 1);
    }
    out_ += several ? "},"sv : ","sv;
  }

  std::string& out_;
  const Catalogue& catalogue_;
};

constexpr auto kSchema = R"("$schema":"https://json-schema.org/draft/2020-12/schema",)"sv;
constexpr auto kStatus =
    R"("type":"object","properties":{"status":{"type":"integer",)"
    R"("description":"HTTP status of GitLab's answer."},)"
    R"("message":{"type":"string","description":"GitLab's reason, when it refused."},)"
    R"("request_id":{"type":"string",)"
    R"("description":"By which GitLab's logs name this request; quote it when asking for help."},)"
    R"("rate_limit":{"type":"object","description":"How many calls are left, where GitLab says so.",)"
    R"("properties":{"limit":{"type":"integer","description":"Calls allowed in the period."},)"
    R"("remaining":{"type":"integer","description":"Calls left in the period."},)"
    R"("reset":{"type":"integer","description":"When the period ends, as seconds since 1970."}}})"sv;
constexpr auto kPagination =
    R"(,"pagination":{"type":"object","description":"Where this page stands in the list.",)"
    R"("properties":{"page":{"type":"integer","description":"Number of this page."},)"
    R"("per_page":{"type":"integer","description":"Entries on a page."},)"
    R"("next_page":{"type":"integer","description":"Number of the next page; absent on the last."},)"
    R"("total":{"type":"integer","description":"Entries in all, where GitLab counts them."},)"
    R"("total_pages":{"type":"integer","description":"Pages in all, where GitLab counts them."}}})"sv;
constexpr auto kContent =
    R"(,"content_type":{"type":"string","description":"Media type of the content."},)"
    R"("text":{"type":"string","description":"The content, when it is text."},)"
    R"("base64":{"type":"string","description":"The content, when it is not text."})"sv;

}  // namespace

std::string_view name_step(std::string_view name, std::size_t depth) {
  auto step = name.substr(0, name.find('['));
  for (name.remove_prefix(step.size()); depth > 0; --depth) {
    if (!name.starts_with('[')) return {};
    step = name.substr(1, name.find(']') - 1);
    name.remove_prefix(step.size() + 2);
  }
  return step;
}

SchemaWriter::SchemaWriter(const Catalogue& catalogue)
    : catalogue_(catalogue), records_(catalogue.resources().size()) {}

void SchemaWriter::append_input(std::string& out, const Operation& operation,
                                Dialect dialect) const {
  out += '{';
  if (dialect == Dialect::named) out += kSchema;
  InputWriter(out, catalogue_.words(), operation).append_members(operation.parameters, 0);
  out += '}';
}

const std::string& SchemaWriter::record_schema(std::uint16_t resource) {
  auto& text = records_[resource - 1U];
  if (text.empty()) {
    text = R"("type":"object",)";
    RecordWriter(text, catalogue_).append_properties(catalogue_.resources()[resource - 1U], 0);
  }
  return text;
}

void SchemaWriter::append_output(std::string& out, const Operation& operation) {
  out.append("{").append(kSchema).append(kStatus);
  if (operation.shape == Shape::content) {
    out += kContent;
  } else if (operation.shape != Shape::nothing) {
    const bool list = operation.shape == Shape::list;
    out += list ? R"(,"data":{"type":"array","items":{)"sv : R"(,"data":{)"sv;
    if (operation.resource != 0) out += record_schema(operation.resource);
    out += list ? "}}"sv : "}"sv;
    if (list) out += kPagination;
  }
  out += R"(},"required":["status"]})";
}

}  // namespace weighbridge::reference
