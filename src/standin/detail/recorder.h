#pragma once

#include <string_view>

#include "standin/upstream.h"
#include "transport/http_server.h"

namespace weighbridge::standin::detail {

/// The request without its secrets.
RecordedRequest record_request(const transport::HttpRequest& request);

/// The token of a PRIVATE-TOKEN or bearer header; empty if there is none.
std::string_view token_of(const transport::Headers& headers);

}  // namespace weighbridge::standin::detail
