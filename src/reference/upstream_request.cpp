#include "reference/upstream_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/words.h"
#include "protocol/server_base64.h"
#include "protocol/server_json.h"
#include "reference/schema.h"

namespace weighbridge::reference {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::usage, std::move(what));
}

bool is_scalar(element value) {
  return !value.is_object() && !value.is_array() && !value.is_null();
}

/// A scalar as GitLab reads it from a path or query.
std::string as_text(element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(value);
}

/// An array where text is wanted is a list joined by commas, as GitLab writes lists of labels.
std::string as_joined_text(element value) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return as_text(value);
  std::string joined;
  for (const auto item : items) {
    if (!joined.empty()) joined += ',';
    joined += as_text(item);
  }
  return joined;
}

bool all_items(element value, bool (*accept)(element)) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return false;
  return std::ranges::all_of(items, accept);
}

bool is_whole_number(element value) {
  if (value.is_int64() || value.is_uint64()) return true;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS || text.empty()) return false;
  return text == "None" || text == "Any" ||
         std::ranges::all_of(text.substr(text.front() == '-' ? 1 : 0),
                             [](char c) { return c >= '0' && c <= '9'; });
}

bool is_truth(element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text == "true" || text == "false";
  return value.is_bool();
}

/// What is wanted where `value` will not do; empty when it will.
std::string_view kind_wanted(Type type, element value) {
  switch (type) {
    case Type::string:
      return is_scalar(value) || all_items(value, is_scalar) ? "" : "text";
    case Type::integer:
      return is_whole_number(value) ? "" : "a whole number";
    case Type::number:
      return value.is_number() || is_whole_number(value) ? "" : "a number";
    case Type::boolean:
      return is_truth(value) ? "" : "true or false";
    case Type::strings:
    case Type::integers:
      return is_scalar(value) || all_items(value, is_scalar) ? "" : "an array";
    case Type::objects:
      return all_items(value, [](element item) { return item.is_object(); })
                 ? ""
                 : "an array of objects";
    case Type::object:
    case Type::file:
      break;
  }
  return value.is_object() ? "" : "an object";
}

bool is_choice(const Parameter& parameter, std::string_view text) {
  const auto choices = split(parameter.choices, '|');
  return std::ranges::find(choices, text) != choices.end();
}

Result<void> check(const Parameter& parameter, element value) {
  if (const auto wanted = kind_wanted(parameter.type, value); !wanted.empty())
    return wrong(fmt::format("{} must be {}", parameter.name, wanted));
  if (parameter.choices.empty() || !is_scalar(value) || is_choice(parameter, as_text(value)))
    return {};
  auto choices = split(parameter.choices, '|');
  return wrong(fmt::format("{} must be one of {}", parameter.name, fmt::join(choices, ", ")));
}

/// One uploaded file, as an argument gives it.
struct File {
  std::string name;
  std::string content;
};

Result<File> read_file(const Parameter& parameter, element value) {
  std::string_view name;
  std::string_view content;
  std::string_view encoding = "text";
  if (value["filename"].get(name) != simdjson::SUCCESS ||
      value["content"].get(content) != simdjson::SUCCESS)
    return wrong(fmt::format("{} must have filename and content", parameter.name));
  if (value["encoding"].get(encoding) != simdjson::SUCCESS || encoding != "base64")
    return File{std::string(name), std::string(content)};
  auto bytes = protocol::decode_base64(content);
  if (!bytes) return wrong(fmt::format("the content of {} is no base64", parameter.name));
  return File{std::string(name), std::move(*bytes)};
}

/// Header parameters may hold anything but quotes and line ends.
std::string quotable(std::string_view text) {
  std::string clean(text);
  std::ranges::replace_if(
      clean, [](char c) { return c == '"' || static_cast<unsigned char>(c) < 0x20; }, '_');
  return clean;
}

class Builder {
 public:
  explicit Builder(const Operation& operation) : operation_(operation) {}

  Result<void> take(const object& arguments) {
    return take_members(arguments, operation_.parameters, 0);
  }

  Result<UpstreamRequest> finish() {
    for (const auto& parameter : operation_.parameters)
      if (parameter.required && !is_given(parameter))
        return wrong(fmt::format("the required parameter {} is missing", parameter.name));
    UpstreamRequest request;
    request.method = to_string(operation_.method);
    append_path(request.target);
    request.target += query_;
    if (!files_.empty()) {
      finish_multipart(request);
    } else if (!body_.empty()) {
      request.content_type = "application/json";
      request.body = body_ + '}';
    }
    return request;
  }

 private:
  struct Given {
    const Parameter* parameter;
    std::string text;
  };
  struct Upload {
    std::string_view field;
    File file;
  };

  /// `run`: the parameters that share the steps above `depth`.
  Result<void> take_members(const object& members, std::span<const Parameter> run,
                            std::size_t depth) {
    for (const auto [key, value] : members) {
      if (value.is_null()) continue;
      const auto part = run_of(run, key, depth);
      if (part.empty()) return unknown(key, run, depth);
      if (name_step(part.front().name, depth + 1).empty()) {
        WB_CHECK(take_value(part.front(), value));
        continue;
      }
      object inner;
      if (value.get(inner) != simdjson::SUCCESS)
        return wrong(fmt::format("{} must be an object", key));
      WB_CHECK(take_members(inner, part, depth + 1));
      if (depth == 0 && in_body(part.front())) add_to_body(key, simdjson::minify(value));
    }
    return {};
  }

  static std::span<const Parameter> run_of(std::span<const Parameter> run, std::string_view key,
                                           std::size_t depth) {
    const auto is_it = [&](const Parameter& parameter) {
      return name_step(parameter.name, depth) == key;
    };
    const auto first = std::ranges::find_if(run, is_it);
    return {first, std::find_if_not(first, run.end(), is_it)};
  }

  static std::unexpected<Error> unknown(std::string_view key, std::span<const Parameter> run,
                                        std::size_t depth) {
    std::vector<std::string> names;
    for (const auto& parameter : run) names.emplace_back(name_step(parameter.name, depth));
    const auto nearest = nearest_word(key, names);
    if (!nearest.empty())
      return wrong(fmt::format("there is no parameter {}; did you mean {}?", key, nearest));
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
    if (names.empty()) return wrong(fmt::format("there is no parameter {}: it takes none", key));
    return wrong(fmt::format("there is no parameter {}; it takes {}", key, fmt::join(names, ", ")));
  }

  /// GET and DELETE carry no body; GitLab reads the same names from their query.
  [[nodiscard]] bool in_body(const Parameter& parameter) const {
    return parameter.place == Place::body && operation_.method != Method::get &&
           operation_.method != Method::remove;
  }

  Result<void> take_value(const Parameter& parameter, element value) {
    WB_CHECK(check(parameter, value));
    given_.push_back({&parameter, {}});
    if (parameter.type == Type::file) {
      WB_TRY(auto file, read_file(parameter, value));
      files_.push_back({parameter.name, std::move(file)});
    } else if (parameter.place == Place::path) {
      given_.back().text = as_text(value);
      if (given_.back().text.empty())
        return wrong(fmt::format("{} must not be empty", parameter.name));
    } else if (!in_body(parameter)) {
      add_to_query(parameter, value);
    } else {
      add_to_body(parameter, value);
    }
    return {};
  }

  void add_to_query(const Parameter& parameter, element value) {
    simdjson::dom::array items;
    const bool is_list = parameter.type == Type::strings || parameter.type == Type::integers ||
                         parameter.type == Type::objects;
    if (!is_list || value.get(items) != simdjson::SUCCESS)
      return add_pair(parameter.name, is_list ? "[]" : "", as_joined_text(value));
    for (const auto item : items) add_pair(parameter.name, "[]", as_text(item));
  }

  void add_pair(std::string_view name, std::string_view suffix, std::string_view value) {
    query_ += query_.empty() ? '?' : '&';
    append_percent_encoded(query_, name);
    append_percent_encoded(query_, suffix);
    query_ += '=';
    append_percent_encoded(query_, value);
  }

  void add_to_body(const Parameter& parameter, element value) {
    fields_.emplace_back(parameter.name, as_joined_text(value));
    // A member of an object is in the body with the whole object.
    if (parameter.name.contains('[')) return;
    if (parameter.type != Type::string || !value.is_array())
      return add_to_body(parameter.name, simdjson::minify(value));
    std::string joined;
    protocol::append_quoted(joined, fields_.back().second);
    add_to_body(parameter.name, joined);
  }

  void add_to_body(std::string_view name, std::string_view json) {
    body_ += body_.empty() ? '{' : ',';
    protocol::append_quoted(body_, name);
    body_.append(":").append(json);
  }

  [[nodiscard]] bool is_given(const Parameter& parameter) const {
    return std::ranges::find(given_, &parameter, &Given::parameter) != given_.end();
  }

  void append_path(std::string& target) const {
    std::string_view path = operation_.path;
    while (!path.empty()) {
      const auto open = std::min(path.find('{'), path.size());
      target += path.substr(0, open);
      path.remove_prefix(open);
      if (path.empty()) return;
      const auto close = std::min(path.find('}'), path.size() - 1);
      const auto name = path.substr(1, close - 1);
      const auto found = std::ranges::find_if(
          given_, [&](const Given& given) { return given.parameter->name == name; });
      if (found != given_.end()) append_percent_encoded(target, found->text);
      path.remove_prefix(close + 1);
    }
  }

  void finish_multipart(UpstreamRequest& request) const {
    // Any text that stands in no part will do, and the same arguments give the same bytes.
    std::string boundary = "weighbridge-part";
    const auto occurs = [&] {
      return std::ranges::any_of(files_, [&](const Upload& upload) {
        return upload.file.content.find(boundary) != std::string::npos;
      });
    };
    while (occurs()) boundary += 'x';
    for (const auto& [name, value] : fields_)
      request.body +=
          fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", boundary,
                      name, value);
    for (const auto& upload : files_)
      request.body += fmt::format(
          "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n"
          "Content-Type: application/octet-stream\r\n\r\n{}\r\n",
          boundary, upload.field, quotable(upload.file.name), upload.file.content);
    request.body += fmt::format("--{}--\r\n", boundary);
    request.content_type = "multipart/form-data; boundary=" + boundary;
  }

  const Operation& operation_;
  std::vector<Given> given_;
  std::vector<std::pair<std::string_view, std::string>> fields_;  // the body as form fields
  std::vector<Upload> files_;
  std::string query_;
  std::string body_;
};

}  // namespace

Result<UpstreamRequest> build_request(const Operation& operation, const object* arguments) {
  Builder builder(operation);
  if (arguments != nullptr) WB_CHECK(builder.take(*arguments));
  return builder.finish();
}

void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kMarks = "-._~";
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kMarks.contains(c);
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
}

}  // namespace weighbridge::reference
