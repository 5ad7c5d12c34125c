#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/catalogue.h"

namespace weighbridge::reference {

/// How the catalogue is offered: two tools that find and execute actions; one tool for each group
/// of domains; one tool for each operation.
enum class Surface : std::uint8_t { dynamic, meta, individual };
std::string_view to_string(Surface surface);
std::optional<Surface> find_surface(std::string_view name);

/// The tools of a surface as JSON.
struct Listing {
  std::string tools;                     ///< tool objects joined by commas
  std::vector<std::uint32_t> tool_ends;  ///< where each ends in `tools`, its comma not counted
};

Listing render_listing(Surface surface, const Catalogue& catalogue);

}  // namespace weighbridge::reference
