#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "load/arguments.h"
#include "protocol/era.h"
#include "protocol/request_meta.h"

namespace weighbridge::load::detail {

/// The JSON-RPC text of one operation, ready but for the id and the placeholders.
class RequestBody {
 public:
  /// ErrorCode::malformed when `params` is no JSON object.
  static Result<RequestBody> make(std::string_view method, std::string_view params,
                                  const protocol::Era& era, const protocol::ClientInfo& client);

  void append(std::string& out, const CallNumber& call) const;
  [[nodiscard]] bool has_nonce() const { return rest_.has_nonce(); }

 private:
  explicit RequestBody(TextTemplate rest) : rest_(std::move(rest)) {}
  TextTemplate rest_;  // everything behind the id
};

}  // namespace weighbridge::load::detail
