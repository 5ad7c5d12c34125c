#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol {

/// Outgoing messages. `params`, `result` and `data` are JSON texts; an empty one is left out.
std::string render_request(std::uint64_t id, std::string_view method, std::string_view params);
std::string render_notification(std::string_view method, std::string_view params = {});
/// `id` is the request's id as its sender wrote it (a string id with its quotes).
std::string render_result(std::string_view id, std::string_view result);
std::string render_error(std::string_view id, std::int64_t code, std::string_view message,
                         std::string_view data = {});

/// One incoming message, opened just far enough to know whose it is. Views point into the text that
/// was read.
struct Envelope {
  enum class Kind { response, error, request, notification, batch, malformed };

  Kind kind = Kind::malformed;
  std::string_view id;      ///< as sent: `7`, `"seven"` (with quotes), `null`; empty when absent
  std::string method;       ///< request, notification
  std::string_view result;  ///< response: raw JSON
  std::string_view params;  ///< request, notification: raw JSON, may be empty
  std::int64_t error_code = 0;
  std::string error_message;
  std::string_view error_data;  ///< raw JSON, may be empty
  std::string trouble;          ///< malformed: what is wrong with it
};

/// Never fails: what cannot be understood is of kind malformed.
///
/// Up to 64 KiB the whole text is walked. Above, the members within 4 KiB of either end are read
/// and the long value between them is taken as it stands, because walking it costs more than
/// receiving it; only when the ends do not say whose message it is, all of it is walked.
Envelope read_message(std::string_view text);

/// The messages of a batch (2025-03-26), in order. ErrorCode::malformed when it is no array.
Result<std::vector<std::string_view>> split_batch(std::string_view text);

}  // namespace weighbridge::protocol
