#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/catalogue.h"
#include "reference/schema.h"
#include "reference/search.h"
#include "reference/tool_result.h"

namespace weighbridge::reference {

/// gitlab_find_action: searches and tells what it found, each action with the schema of its
/// parameters.
class Finder {
 public:
  explicit Finder(const Catalogue& catalogue);

  /// `limit` between 1 and kFindLimitMax.
  ToolResult find(std::string_view query, std::size_t limit, bool explain);

 private:
  void append_text(std::string& out, const Found& found) const;
  void append_structured(std::string& out, std::string_view query, const Found& found);
  const std::string& schema_of(const Operation& operation);

  const Catalogue& catalogue_;
  SearchIndex index_;
  SchemaWriter schemas_;
  std::vector<std::string> rendered_;  // schemas by operation, each rendered when first found
};

}  // namespace weighbridge::reference
