#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/catalogue.h"
#include "reference/listing.h"

namespace weighbridge::reference {

/// What resources/list offers: texts that help to use the server.
struct ResourceEntry {
  std::string_view uri;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view media_type;
};
std::span<const ResourceEntry> resource_entries();

/// The entries as JSON objects joined by commas.
std::string render_resource_entries();

/// The text of one; nullopt when there is no such resource.
std::optional<std::string> read_resource(std::string_view uri, const Catalogue& catalogue,
                                         Surface surface);

}  // namespace weighbridge::reference
