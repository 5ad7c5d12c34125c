#include "protocol/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/detail/members.h"
#include "protocol/detail/pointer.h"
#include "protocol/foreign_text.h"
#include "protocol/input_round.h"
#include "protocol/json_text.h"
#include "protocol/message.h"

namespace weighbridge::protocol {
namespace {

using detail::find;
using detail::Members;

Verdict verdict(Outcome outcome, std::string_view reason) {
  return {outcome, first_words(reason)};
}

/// The members of a result: all of them up to 64 KiB, above that those near its ends (method.md,
/// "Checking a reply"). Empty when the result is no object.
Members result_members(std::string_view result) {
  if (result.size() > detail::kWholeWalkLimit)
    if (auto members = detail::read_edge_members(result)) return std::move(*members);
  return detail::read_members(result).value_or(Members{});
}

/// The text a person reads first: the error's message, or the first text of the content.
std::string leading_text(const Envelope& envelope, const Members& result) {
  if (envelope.kind == Envelope::Kind::error) return envelope.error_message;
  const auto content = detail::read_elements(find(result, "content"));
  if (!content) return {};
  for (const auto element : *content) {
    const auto members = detail::read_members(element);
    if (!members || find(*members, "type") != "\"text\"") continue;
    return unquote(find(*members, "text")).value_or("");
  }
  return {};
}

/// A reply, opened as far as its verdict needs.
struct Reading {
  Envelope envelope;
  Members result;  ///< only where it is looked into
  bool is_error = false;
};

Reading read(const ReplyFacts& reply, bool open_result) {
  Reading reading;
  reading.envelope = read_message(reply.message);
  if (open_result && reading.envelope.kind == Envelope::Kind::response) {
    reading.result = result_members(reading.envelope.result);
    reading.is_error = find(reading.result, "isError") == "true";
  }
  return reading;
}

bool matches(const RefusalRule& rule, int http_status, const Reading& reading) {
  if (rule.http_status && *rule.http_status != http_status) return false;
  const bool is_error_reply = reading.envelope.kind == Envelope::Kind::error;
  if (rule.code && (!is_error_reply || reading.envelope.error_code != *rule.code)) return false;
  if (rule.is_error && *rule.is_error != reading.is_error) return false;
  return rule.text_prefix.empty() ||
         leading_text(reading.envelope, reading.result).starts_with(rule.text_prefix);
}

/// What the reply says, for people: its error or text where it has one, else its first bytes.
std::string words_of(const ReplyFacts& reply, const Reading& reading) {
  const Envelope& envelope = reading.envelope;
  if (envelope.kind == Envelope::Kind::error)
    return fmt::format("error {}: {}", envelope.error_code, envelope.error_message);
  std::string text = leading_text(envelope, reading.result);
  return text.empty() ? text_of_body(reply.message) : text;
}

/// Whatever was answered, a server that says when to come back has said that it is not now.
std::string status_words(const ReplyFacts& reply, const Reading& reading) {
  std::string words = fmt::format("HTTP {}", reply.http_status);
  if (!reply.retry_after.empty())
    words += fmt::format(" (Retry-After: {})", first_words(reply.retry_after, 60));
  const std::string said = words_of(reply, reading);
  return said.empty() ? words : words + ": " + said;
}

/// A reply that carries no result of ours; nullopt when it does.
std::optional<Verdict> judge_framing(const ReplyFacts& reply, const Reading& reading) {
  const Envelope& envelope = reading.envelope;
  const int status = reply.http_status;
  if (status != 0 && (status < 200 || status > 299))
    return verdict(Outcome::failed, status_words(reply, reading));
  switch (envelope.kind) {
    case Envelope::Kind::malformed:
      return verdict(Outcome::failed, fmt::format("malformed ({}): {}", envelope.trouble,
                                                  text_of_body(reply.message)));
    case Envelope::Kind::batch:
    case Envelope::Kind::request:
    case Envelope::Kind::notification:
      return verdict(Outcome::failed,
                     fmt::format("not an answer: {}", reply.message.substr(0, 1000)));
    case Envelope::Kind::error:
    case Envelope::Kind::response:
      break;
  }
  // An error without an id is the server's way to say that it could not read the request.
  const bool anonymous =
      envelope.kind == Envelope::Kind::error && (envelope.id.empty() || envelope.id == "null");
  if (!anonymous && envelope.id != reply.expected_id)
    return verdict(Outcome::failed, fmt::format("answer to another request: id {}, expected {}",
                                                envelope.id, reply.expected_id));
  if (envelope.kind == Envelope::Kind::error)
    return verdict(Outcome::failed, words_of(reply, reading));
  return std::nullopt;
}

Verdict judge_result(const ReplyFacts& reply, const Reading& reading,
                     const Expectation& expectation) {
  if (reading.is_error) return verdict(Outcome::failed, "isError: " + words_of(reply, reading));
  // "input_required" and "task" answer a request without doing what it asked for.
  if (const auto type = find(reading.result, "resultType");
      !type.empty() && type != "\"complete\"") {
    std::string reason = fmt::format("incomplete: resultType {}", type);
    if (type == R"("input_required")")
      reason += ", it wants " + input_wanted(reading.envelope.result);
    return verdict(Outcome::failed, reason);
  }
  if (!expectation.contains.empty() &&
      reply.message.find(expectation.contains) == std::string_view::npos)
    return verdict(Outcome::failed,
                   fmt::format("does not contain {}: {}", quote(expectation.contains),
                               words_of(reply, reading)));
  const std::uint64_t bytes = reply.message.size();
  if (expectation.min_bytes && bytes < *expectation.min_bytes)
    return verdict(Outcome::failed,
                   fmt::format("{} bytes, expected at least {}", bytes, *expectation.min_bytes));
  if (expectation.max_bytes && bytes > *expectation.max_bytes)
    return verdict(Outcome::failed,
                   fmt::format("{} bytes, expected at most {}", bytes, *expectation.max_bytes));
  if (expectation.equals && leading_text(reading.envelope, reading.result) != *expectation.equals)
    return verdict(Outcome::failed, fmt::format("is not the text {}: {}",
                                                quote(first_words(*expectation.equals, 80)),
                                                words_of(reply, reading)));
  if (!expectation.pointer.empty()) {
    const std::string flaw = detail::flaw_at_pointer(reading.envelope.result, expectation);
    if (!flaw.empty()) return verdict(Outcome::failed, flaw);
  }
  return {Outcome::served, {}};
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::served:
      return "served";
    case Outcome::refused:
      return "refused";
    case Outcome::failed:
      return "failed";
    case Outcome::hung:
      return "hung";
  }
  return "failed";
}

Verdict judge(const ReplyFacts& reply, const Expectation& expectation,
              const std::vector<RefusalRule>& refusals) {
  if (reply.hung) return {Outcome::hung, "no complete reply within the deadline"};
  if (reply.transport_error != nullptr)
    return verdict(Outcome::failed, describe(*reply.transport_error));

  const Reading reading =
      read(reply, reply.tool_call || !refusals.empty() || expectation.equals.has_value());
  const auto refuses = [&](const RefusalRule& rule) {
    return matches(rule, reply.http_status, reading);
  };
  if (reply.http_status == 429 || reply.http_status == 503 ||
      std::ranges::any_of(refusals, refuses)) {
    return verdict(Outcome::refused, reply.http_status >= 300 ? status_words(reply, reading)
                                                              : words_of(reply, reading));
  }
  if (reply.message.empty())
    return {Outcome::failed, reply.http_status == 0
                                 ? "no answer"
                                 : fmt::format("HTTP {} without an answer", reply.http_status)};
  if (auto failed = judge_framing(reply, reading)) return std::move(*failed);
  return judge_result(reply, reading, expectation);
}

}  // namespace weighbridge::protocol
