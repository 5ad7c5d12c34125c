#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/catalogue.h"

namespace weighbridge::reference {

/// JSON Schemas (2020-12) of what operations take and answer. One writer serves a whole listing:
/// the fields of each kind of record are rendered once and copied from then on.
class SchemaWriter {
 public:
  explicit SchemaWriter(const Catalogue& catalogue);

  /// A schema that stands for itself names its dialect; one within another does not.
  enum class Dialect : std::uint8_t { named, implied };
  /// Appends the schema of an operation's arguments: an object with every parameter by name,
  /// `not[labels]` as `labels` within `not`.
  void append_input(std::string& out, const Operation& operation, Dialect dialect) const;
  /// Appends the schema of structuredContent: status, data and, for lists, pagination.
  void append_output(std::string& out, const Operation& operation);

 private:
  const std::string& record_schema(std::uint16_t resource);

  const Catalogue& catalogue_;
  std::vector<std::string> records_;  // by resource, rendered when first needed
};

/// The step of a parameter's name at `depth`: of `not[labels]` that is `not` at 0 and `labels` at
/// 1, empty beyond.
std::string_view name_step(std::string_view name, std::size_t depth);

}  // namespace weighbridge::reference
