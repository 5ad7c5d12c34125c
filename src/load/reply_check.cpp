#include "load/reply_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "load/detail/byte_search.h"
#include "protocol/json_text.h"
#include "protocol/message.h"

namespace weighbridge::load {
namespace {

using protocol::Outcome;
using protocol::Verdict;

bool may_match_a_result(const protocol::RefusalRule& rule) {
  const bool of_an_error = rule.code || rule.is_error == true;
  const bool of_another_status = rule.http_status && *rule.http_status / 100 != 2;
  return !of_an_error && !of_another_status;
}

bool contains(std::string_view text, std::string_view word) {
  if (word.size() < 2 || word.size() > 16) return text.find(word) != std::string_view::npos;
  return detail::find_word(text, word) != std::string_view::npos;
}

/// A long text of which only the ends are known, as protocol::judge takes one: it looks at no more
/// than the ends of whatever is longer than 64 KiB.
std::string_view between_ends(std::string_view head, std::string_view tail) {
  thread_local std::string text(2 * detail::MessageText::kWholeLimit, ' ');
  text.replace(0, head.size(), head);
  text.replace(text.size() - tail.size(), tail.size(), tail);
  return text;
}

Verdict failed(std::string reason) {
  return {Outcome::failed, std::move(reason)};
}

}  // namespace

ReplyCheck::ReplyCheck(const Operation& operation, const protocol::Era& era,
                       const std::vector<protocol::RefusalRule>& refusals)
    : tool_call_(operation.is_tool_call()),
      wants_complete_(!era.handshake),
      refuses_results_(std::ranges::any_of(refusals, may_match_a_result)),
      full_(operation.expect),
      refusals_(refusals) {
  cheap_.contains = full_.contains;
  cheap_.min_bytes = full_.min_bytes;
  cheap_.max_bytes = full_.max_bytes;
}

bool ReplyCheck::is_beyond_doubt(const Arrived& reply, bool whole) const {
  if (whole || refuses_results_ || reply.plain_id != reply.expected_id) return false;
  if (reply.http_status != 0 && reply.http_status / 100 != 2) return false;
  const std::uint64_t bytes = reply.text.size();
  if (bytes < cheap_.min_bytes.value_or(0) || bytes > cheap_.max_bytes.value_or(bytes))
    return false;
  if (!reply.text.whole()) return true;
  if (!cheap_.contains.empty() && !contains(reply.text.head(), cheap_.contains)) return false;
  return reply.nonce.empty() || contains(reply.text.head(), reply.nonce);
}

Verdict ReplyCheck::check(const Arrived& reply, bool whole) {
  if (is_beyond_doubt(reply, whole)) return {Outcome::served, {}};
  Verdict verdict = judge(reply, whole);
  if (verdict.outcome != Outcome::served) return verdict;
  if (reply.text.whole() && !reply.nonce.empty() && !contains(reply.text.head(), reply.nonce))
    return failed(
        fmt::format("the answer to another call: its id is right, but it does not show {}: {}",
                    reply.nonce, protocol::first_words(reply.text.head(), 200)));
  if (!whole) return verdict;
  if (const auto valid = protocol::check_json(reply.text.head()); !valid)
    return failed(fmt::format("malformed ({})", valid.error().what));
  return full_.same_result ? check_same_result(reply.text.head()) : verdict;
}

Verdict ReplyCheck::judge(const Arrived& reply, bool whole) const {
  const bool ends_only = !reply.text.whole();
  const std::string_view message =
      ends_only ? between_ends(reply.text.head(), reply.text.tail()) : reply.text.head();
  Verdict verdict = protocol::judge({.http_status = reply.http_status,
                                     .message = message,
                                     .expected_id = reply.expected_id,
                                     .tool_call = tool_call_},
                                    whole       ? full_
                                    : ends_only ? none_
                                                : cheap_,
                                    refusals_);
  if (verdict.outcome != Outcome::served || !ends_only) return verdict;
  const std::uint64_t bytes = reply.text.size();
  if (bytes < cheap_.min_bytes.value_or(0))
    return failed(fmt::format("{} bytes, expected at least {}", bytes, *cheap_.min_bytes));
  if (bytes > cheap_.max_bytes.value_or(bytes))
    return failed(fmt::format("{} bytes, expected at most {}", bytes, *cheap_.max_bytes));
  return verdict;
}

Verdict ReplyCheck::check_same_result(std::string_view message) {
  const std::uint64_t hash =
      std::hash<std::string_view>{}(protocol::read_message(message).result) | 1;
  std::uint64_t first = 0;
  if (first_result_.compare_exchange_strong(first, hash) || first == hash)
    return {Outcome::served, {}};
  return failed(
      fmt::format("its result is not the first one's: {}", protocol::first_words(message, 200)));
}

}  // namespace weighbridge::load
