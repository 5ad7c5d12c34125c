#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "reference/catalogue.h"

namespace weighbridge::reference {

/// What is asked of GitLab, without host and credential.
struct UpstreamRequest {
  std::string_view method;
  std::string target;  ///< path (under /api/v4) and query, percent-encoded
  std::string content_type;
  std::string body;
  bool beside_api = false;  ///< the path is the instance's own, not under /api/v4
};

/// Puts arguments where the operation wants them: into the path, the query, or a body of JSON
/// (multipart/form-data when there is a file among them). `arguments`: nullptr when none were
/// given.
///
/// ErrorCode::usage with one clear sentence when an argument is missing, unknown or of the wrong
/// kind. What GitLab would understand is let through: a number as text, text for a number, null for
/// "not given".
Result<UpstreamRequest> build_request(const Operation& operation,
                                      const simdjson::dom::object* arguments);

/// RFC 3986: everything but letters, digits and `-._~`.
void append_percent_encoded(std::string& out, std::string_view text);

}  // namespace weighbridge::reference
