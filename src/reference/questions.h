#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/server_message.h"
#include "reference/conversation.h"

namespace weighbridge::reference {

/// Requests of ours to clients, until they are answered.
class Questions {
 public:
  /// `response.has_result` tells whether the client did what was asked.
  using Answered = std::function<void(const protocol::ClientMessage& response)>;
  using Id = std::uint64_t;

  /// Asks over `asker`'s caller; both its caller and its conversation must be there. `params`:
  /// JSON.
  Id ask(const Asker& asker, std::string_view method, std::string_view params, Answered answered);
  /// False if the response answers nothing that was asked in this conversation.
  bool take(const protocol::ClientMessage& response, const Conversation* from);
  void withdraw(Id id) { open_.erase(id); }
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  struct Question {
    const Conversation* whom;  // compared only
    Answered answered;
  };
  Id next_ = 1;
  std::unordered_map<Id, Question> open_;
};

}  // namespace weighbridge::reference
