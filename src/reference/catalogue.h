#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/words.h"

namespace weighbridge::reference {

enum class Method : std::uint8_t { get, post, put, patch, remove };
std::string_view to_string(Method method);

enum class Place : std::uint8_t { path, query, body };
enum class Type : std::uint8_t {
  string,
  integer,
  number,
  boolean,
  object,
  file,
  strings,
  integers,
  objects
};

/// One parameter of an operation, as the table states it.
struct Parameter {
  std::string_view name;     ///< as GitLab wants it: `state`, `not[labels]`
  std::string_view choices;  ///< allowed values joined by `|`; empty: any
  Place place = Place::query;
  Type type = Type::string;
  bool required = false;
};

/// What the answer's `data` is.
enum class Shape : std::uint8_t { nothing, record, list, content };

/// One operation of the API. Views point into the table's text.
struct Operation {
  std::string_view domain;
  Method method = Method::get;
  std::string_view path;  ///< under /api/v4: `/projects/{id}/issues`
  std::span<const Parameter> parameters;
  std::string id;     ///< `issues.list`: noun, dot, verb; unique
  std::string title;  ///< `List issues of a project`
  Shape shape = Shape::record;
  std::uint16_t resource = 0;  ///< 1-based index into Catalogue::resources(); 0: unknown
  std::uint16_t group = 0;     ///< 1-based index into the vocabulary's groups; 0: none
};

/// A kind of record that answers hold.
struct Resource {
  std::string_view name;
  std::string_view fields;  ///< names joined by spaces
};

/// The longest id, so that `gitlab_` before it stays within the 64 characters of a tool's name.
constexpr std::size_t kMaxIdLength = 57;

/// All operations with their names: one table of facts and one of words. Another API's two tables
/// can take their place.
class Catalogue {
 public:
  /// Lines that are no operations are skipped. Both texts must outlive the catalogue.
  Catalogue(std::string_view operations, std::string_view words);
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  [[nodiscard]] std::span<const Resource> resources() const { return resources_; }
  [[nodiscard]] const Words& words() const { return words_; }
  /// 1-based index into resources() by any of its names; 0 when there is none.
  [[nodiscard]] std::uint16_t find_resource(std::string_view name) const;
  /// By id; an underscore may stand for the dot. nullptr when there is none.
  [[nodiscard]] const Operation* find(std::string_view id) const;
  /// The id nearest to a mistaken one, or empty.
  [[nodiscard]] std::string nearest_id(std::string_view id) const;
  /// The group (meta tool) of an operation; the domain's name when it has none.
  [[nodiscard]] std::string_view group_of(const Operation& operation) const;

 private:
  void read_operations(std::string_view text);
  void read_resources();
  void name_operations();
  void group_operations();
  void make_ids_unique();
  [[nodiscard]] std::uint16_t resource_of(std::string_view id) const;

  Words words_;
  std::vector<Parameter> parameters_;
  std::vector<Operation> operations_;
  std::vector<Resource> resources_;
  std::vector<std::pair<std::string_view, std::uint16_t>> resource_names_;
  TextIndex by_resource_name_;
  std::vector<std::pair<std::string_view, std::uint16_t>> resource_beginnings_;
  TextIndex by_id_;  // dot and underscore are the same, so it serves names of tools too
};

/// `gitlab_issues_list`
std::string tool_name(const Operation& operation);

}  // namespace weighbridge::reference
