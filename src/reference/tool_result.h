#pragma once

#include <string>
#include <string_view>

#include "reference/catalogue.h"
#include "transport/http_message.h"

namespace weighbridge::reference {

/// The outcome of a tools/call, as members of its result.
struct ToolResult {
  std::string members;  ///< `"content":[…],"structuredContent":{…}`, JSON without line ends
  bool is_error = false;
};

/// GitLab's reply, whole.
struct UpstreamAnswer {
  int status = 0;
  transport::Headers headers;
  std::string body;
};

/// Text for people and models, and the same as structuredContent: status, data (or text or base64
/// when it is no JSON), pagination, rate limit and request id where GitLab gave them. From status
/// 400 on it is an error with GitLab's own message.
ToolResult render_answer(const UpstreamAnswer& answer, Shape shape);

/// An error that GitLab never saw: a wrong argument, an unreachable host.
ToolResult render_problem(std::string_view what);

/// A result of text and, unless it is empty, a structured form (a JSON object).
ToolResult render_text(std::string_view text, std::string_view structured);

}  // namespace weighbridge::reference
