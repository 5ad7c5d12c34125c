#pragma once

#include <string_view>

#include "reference/listing.h"

namespace weighbridge::reference {

/// The tools of a surface as render_listing() makes them of the embedded tables, rendered when the
/// program was built: a server that only lists needs no catalogue, and its pages are the file's.
std::string_view embedded_listing(Surface surface);

}  // namespace weighbridge::reference
