#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "protocol/client_abilities.h"
#include "protocol/era.h"
#include "reference/credential.h"

namespace weighbridge::reference {

/// What is remembered of a client between its requests, from its initialize on: for a session over
/// HTTP, for the process on stdio. The stateless era has none.
struct Conversation {
  const protocol::Era* era = nullptr;
  protocol::ClientAbilities abilities = {};
  protocol::LogLevel log_level = protocol::LogLevel::info;
  std::set<std::string, std::less<>> watched = {};  ///< URIs of resources/subscribe
  /// Tells what belongs to no request: over the GET stream, or stdout. Empty: there is no way.
  std::function<void(std::string message)> tell = {};
};

/// The way back to whoever sent a request, for what comes before its answer.
class Caller {
 public:
  virtual ~Caller() = default;
  /// A notification, or a request of ours.
  virtual void tell(std::string message) = 0;
  /// Ends the stream amid the request: the client comes back for the rest (SEP-1699). Does nothing
  /// where it could not.
  virtual void let_go() {}
};

/// Who asks. Only the credential is always there.
struct Asker {
  const Credential* credential = nullptr;
  std::shared_ptr<Caller> caller = {};
  std::shared_ptr<Conversation> conversation = {};
};

}  // namespace weighbridge::reference
