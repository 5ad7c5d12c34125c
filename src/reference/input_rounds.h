#pragma once

#include <simdjson.h>

#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "protocol/server_message.h"
#include "reference/exchange.h"
#include "reference/request_state.h"

namespace weighbridge::reference {

/// Something a client is asked for before its request can be answered.
struct InputRequest {
  std::string_view key;
  std::string_view method;
  std::string_view ability;  ///< the capability it takes
  std::string_view params;   ///< JSON
};

/// What a request needs of its client, one round after the other (26/mrtr).
struct InputPlan {
  std::span<const std::span<const InputRequest>> rounds;
  bool with_state = false;  ///< always, when there are several rounds
};

/// What came of looking at a request: either an answer that ends it for now, or its inputs.
struct InputOutcome {
  std::optional<Answer> answer = {};
  simdjson::dom::object inputs = {};  ///< of the last round; lives as long as the message
};

/// Asks for what is missing, again if need be; only for what the client declared it can do, and
/// with MissingRequiredClientCapability when that leaves nothing. Refuses a state that was not
/// given for this request to this caller, and inputs that are no objects.
InputOutcome take_inputs(const InputPlan& plan, const protocol::ClientMessage& message,
                         const Exchange& exchange, const RequestState& states, Instant now);

}  // namespace weighbridge::reference
