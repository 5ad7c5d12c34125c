#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::record::detail {

/// Not ordered_json: its objects are vectors that copy every member, however deep, when they grow,
/// which is slow for long records and out of stack for ten thousand brackets in a row.
using Json = nlohmann::json;

/// Where the reader stands, as a chain on its stack; text is made of it only when something is
/// wrong.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;  ///< empty: an element of an array
  std::size_t index = 0;
};
/// "scenarios[2].repeats[0].cpu"; "the record" for the whole.
std::string to_string(const Path& path);

/// The first thing that is wrong, in words.
using Trouble = std::optional<std::string>;
/// "`scenarios[2].id` " and `words`, unless there is trouble already.
void note(Trouble& trouble, const Path& path, std::string_view words);

template <typename T>
concept Scalar = std::same_as<T, bool> || std::same_as<T, int> || std::same_as<T, std::uint64_t> ||
                 std::same_as<T, double> || std::same_as<T, std::string>;

void read_scalar(const Json& node, const Path& path, bool& value, Trouble& trouble);
void read_scalar(const Json& node, const Path& path, int& value, Trouble& trouble);
void read_scalar(const Json& node, const Path& path, std::uint64_t& value, Trouble& trouble);
/// null is NaN: a figure that could not be computed.
void read_scalar(const Json& node, const Path& path, double& value, Trouble& trouble);
void read_scalar(const Json& node, const Path& path, std::string& value, Trouble& trouble);

bool expect_object(const Json& node, const Path& path, Trouble& trouble);
bool expect_array(const Json& node, const Path& path, Trouble& trouble);
/// nullptr when there is none, or `object` is no object.
const Json* member_of(const Json& object, std::string_view name);
void refuse_others(const Json& object, const std::vector<std::string_view>& known, const Path& path,
                   Trouble& trouble);

/// ErrorCode::malformed with line and column for what is no JSON.
Result<Json> parse_json(std::string_view text, const std::string& path);

}  // namespace weighbridge::record::detail
