#pragma once

#include <array>
#include <string>
#include <string_view>

#include "reference/catalogue.h"
#include "reference/words.h"

namespace weighbridge::reference {

/// A stretch of a path: fixed segments and the parameter behind them, if there is one.
struct PathPart {
  std::string_view segments;   ///< `error_tracking/client_keys`
  std::string_view parameter;  ///< `key_id`, or empty
};

/// A path taken apart: `/projects/{id}/issues/{issue_iid}/notes` is in a project, with the parts
/// issues (numbered) and notes.
struct PathShape {
  std::string_view container;  ///< project, group, user, current_user, admin or empty
  std::string_view container_parameter;
  std::array<PathPart, 8> parts;
  std::size_t count = 0;

  [[nodiscard]] bool ends_in_parameter() const {
    return count > 0 && !parts[count - 1].parameter.empty();
  }
};

PathShape shape_of(std::string_view path);

/// The words of a part as one identifier, the last one in the singular if asked: `issue_link`.
std::string identifier(const PathPart& part, bool last_singular);

struct Name {
  std::string id;
  std::string title;
};

/// Names an operation from its path. `collection`: some other operation addresses one entry below
/// the same path, so a GET of it answers a list.
Name name_of(const Words& words, Method method, std::string_view path, bool collection);

}  // namespace weighbridge::reference
