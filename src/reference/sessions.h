#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "protocol/era.h"
#include "reference/conversation.h"
#include "reference/session_streams.h"
#include "reference/stats.h"

namespace weighbridge::reference {

/// The sessions of --stateless=false. Pure but for the ids, which are random: whoever guesses one
/// could speak in its name.
class Sessions {
 public:
  struct Session {
    std::shared_ptr<Conversation> conversation;
    std::shared_ptr<SessionStreams> streams;
    std::uint64_t credential = 0;  ///< digest: an id is worth nothing with another's token
    Instant last_used;
    std::shared_ptr<void> burden;  ///< what it holds while it lives; may be nothing
  };

  explicit Sessions(Stats& stats) : stats_(stats) {}

  /// Returns the new session's id.
  std::string open(std::shared_ptr<Conversation> conversation, std::uint64_t credential,
                   Instant now, std::shared_ptr<void> burden = {});
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }
  /// Also marks it as used. nullptr if there is none or it is another credential's.
  const Session* find(std::string_view id, std::uint64_t credential, Instant now);
  /// False if there is none or it is another credential's.
  bool close(std::string_view id, std::uint64_t credential);
  /// Ends those that were last used before `instant`, and returns what they held.
  std::vector<std::shared_ptr<void>> expire_unused_since(Instant instant);
  /// Ends the connections of every stream that waits for nothing but news.
  void let_go();

 private:
  Stats& stats_;
  std::unordered_map<std::string, Session> sessions_;
};

}  // namespace weighbridge::reference
