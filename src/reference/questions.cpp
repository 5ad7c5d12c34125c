#include "reference/questions.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace weighbridge::reference {
namespace {

/// Strings, so that no client takes them for an id of its own requests.
constexpr std::string_view kPrefix = "\"question-";

std::optional<Questions::Id> read_id(std::string_view text) {
  if (!text.starts_with(kPrefix) || !text.ends_with('"')) return std::nullopt;
  text = text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1);
  Questions::Id id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

}  // namespace

Questions::Id Questions::ask(const Asker& asker, std::string_view method, std::string_view params,
                             Answered answered) {
  const Id id = next_++;
  open_[id] = {.whom = asker.conversation.get(), .answered = std::move(answered)};
  asker.caller->tell(fmt::format(R"({{"jsonrpc":"2.0","id":{}{}","method":"{}","params":{}}})",
                                 kPrefix, id, method, params));
  return id;
}

bool Questions::take(const protocol::ClientMessage& response, const Conversation* from) {
  const auto id = read_id(response.id);
  if (!id) return false;
  const auto found = open_.find(*id);
  if (found == open_.end() || found->second.whom != from) return false;
  const auto answered = std::move(found->second.answered);
  open_.erase(found);
  answered(response);
  return true;
}

}  // namespace weighbridge::reference
