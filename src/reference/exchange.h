#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/client_abilities.h"
#include "protocol/era.h"
#include "protocol/server_reply.h"
#include "protocol/server_route.h"
#include "reference/conversation.h"
#include "reference/questions.h"

namespace weighbridge::reference {

/// How a request ends: with members of a result, or why there is none.
struct Answer {
  std::string members = {};     ///< JSON, without braces
  bool is_error = false;        ///< a tool's, and the members say so too
  bool input_required = false;  ///< the client is to ask again with more (26/mrtr)
  std::string meta = {};        ///< more members of the result's _meta, where the era has one
  std::optional<protocol::CacheHint> hint = {};
  std::optional<protocol::Refusal> refusal = {};  ///< instead of all that
};

/// A tool's answer of one text.
Answer text_answer(std::string_view text, bool is_error = false);
Answer refused(std::int64_t code, std::string message);

/// One request on its way, for what takes several steps. It is gone when its answer is no longer
/// wanted, so whatever comes later holds it weakly.
struct Exchange {
  const protocol::Era* era = nullptr;
  std::uint64_t principal = 0;  ///< the credential's digest
  std::shared_ptr<Caller> caller = {};
  std::shared_ptr<Conversation> conversation = {};
  protocol::ClientAbilities abilities = {};
  std::optional<protocol::LogLevel> log_level = {};  ///< from here on; absent: nothing
  std::string progress_token = {};                   ///< as JSON; empty: none
  Questions::Id question = 0;                        ///< of ours, if it waits for one
  std::function<void(Answer)> finish = {};           ///< exactly once

  /// notifications/message, if the client wants this level.
  void log(protocol::LogLevel level, std::string_view text) const;
  /// notifications/progress, if the client wants any.
  void progress(int done, int total) const;
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace weighbridge::reference
