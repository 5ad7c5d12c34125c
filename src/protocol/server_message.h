#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol {

/// One message from a client, read whole. `method` and `params` belong to the reader and are valid
/// until it reads again.
struct ClientMessage {
  enum class Kind { request, notification, response, invalid };

  Kind kind = Kind::invalid;
  std::string id = "null";  ///< as JSON; null where there is none or none that can be answered
  std::string_view method;
  simdjson::dom::object params;
  bool has_params = false;
  std::string_view trouble;       ///< invalid: what is wrong with it
  simdjson::dom::element result;  ///< response: what a request of ours was answered with
  bool has_result = false;        ///< response: false when it is an error

  /// A member of params that is a string, else empty.
  [[nodiscard]] std::string_view text_param(std::string_view name) const;
  /// params._meta[key] as a string, else empty.
  [[nodiscard]] std::string_view meta_text(std::string_view key) const;
  [[nodiscard]] bool has_meta(std::string_view key) const;
  [[nodiscard]] bool find_meta(std::string_view key, simdjson::dom::element& value) const;
};

/// What one line or one HTTP body holds.
struct ClientInput {
  bool batch = false;  ///< the messages came in an array
  std::vector<ClientMessage> messages;
};

/// Reads what clients send. A server cannot afford the driver's half reading (message.h): it must
/// tell malformed JSON from an invalid request, so the whole text is parsed and checked.
class ClientReader {
 public:
  /// ErrorCode::malformed when the text is no JSON. What is JSON but no request is of kind invalid.
  Result<const ClientInput*> read(std::string_view text);

 private:
  ClientMessage read_message(simdjson::dom::element element);

  // A parser keeps eight times the largest text it has seen, so a long text gets one of its own,
  // which goes with the next.
  simdjson::dom::parser parser_;
  std::unique_ptr<simdjson::dom::parser> large_;
  ClientInput input_;
};

}  // namespace weighbridge::protocol
