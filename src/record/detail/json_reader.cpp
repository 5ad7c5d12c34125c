#include "record/detail/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace weighbridge::record::detail {
namespace {

void wrong_type(Trouble& trouble, const Path& path, std::string_view wanted, const Json& node) {
  note(trouble, path, fmt::format("must be {}, not {}", wanted, node.type_name()));
}

}  // namespace

std::string to_string(const Path& path) {
  if (path.parent == nullptr) return {};
  const std::string outer = to_string(*path.parent);
  if (path.name.empty()) return fmt::format("{}[{}]", outer, path.index);
  return outer.empty() ? std::string(path.name) : fmt::format("{}.{}", outer, path.name);
}

void note(Trouble& trouble, const Path& path, std::string_view words) {
  if (trouble) return;
  trouble = path.parent == nullptr ? fmt::format("the record {}", words)
                                   : fmt::format("`{}` {}", to_string(path), words);
}

void read_scalar(const Json& node, const Path& path, bool& value, Trouble& trouble) {
  if (node.is_boolean())
    value = node.get<bool>();
  else
    wrong_type(trouble, path, "true or false", node);
}

void read_scalar(const Json& node, const Path& path, int& value, Trouble& trouble) {
  using Limits = std::numeric_limits<int>;
  if (!node.is_number_integer())
    wrong_type(trouble, path, "a whole number", node);
  else if (const auto wide = node.get<std::int64_t>();
           node.is_number_unsigned() && node.get<std::uint64_t>() > std::uint64_t{Limits::max()})
    note(trouble, path, "is too large");
  else if (wide < Limits::min())
    note(trouble, path, "is too small");
  else
    value = static_cast<int>(wide);
}

void read_scalar(const Json& node, const Path& path, std::uint64_t& value, Trouble& trouble) {
  if (node.is_number_unsigned())
    value = node.get<std::uint64_t>();
  else
    wrong_type(trouble, path, "a whole number of zero or more", node);
}

void read_scalar(const Json& node, const Path& path, double& value, Trouble& trouble) {
  if (node.is_number())
    value = node.get<double>();
  else if (node.is_null())
    value = std::numeric_limits<double>::quiet_NaN();
  else
    wrong_type(trouble, path, "a number or null", node);
}

void read_scalar(const Json& node, const Path& path, std::string& value, Trouble& trouble) {
  if (node.is_string())
    value = node.get<std::string>();
  else
    wrong_type(trouble, path, "a string", node);
}

bool expect_object(const Json& node, const Path& path, Trouble& trouble) {
  if (!node.is_object()) wrong_type(trouble, path, "an object", node);
  return node.is_object();
}

bool expect_array(const Json& node, const Path& path, Trouble& trouble) {
  if (!node.is_array()) wrong_type(trouble, path, "an array", node);
  return node.is_array();
}

const Json* member_of(const Json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

void refuse_others(const Json& object, const std::vector<std::string_view>& known, const Path& path,
                   Trouble& trouble) {
  for (const auto& [name, node] : object.items()) {
    if (std::ranges::find(known, name) == known.end())
      note(trouble, Path{.parent = &path, .name = name}, "is not known here");
  }
}

Result<Json> parse_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …" without its tag.
    std::string words = error.what();
    words.erase(0, words.find("] ") == std::string::npos ? 0 : words.find("] ") + 2);
    return fail(ErrorCode::malformed, "this is no JSON: " + words, path);
  }
}

}  // namespace weighbridge::record::detail
