#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/detail/message_text.h"
#include "load/spec.h"
#include "protocol/era.h"
#include "protocol/outcome.h"

namespace weighbridge::load {

/// A reply as a channel has it, before anybody has judged it.
struct Arrived {
  int http_status = 0;  ///< 0 on stdio
  const detail::MessageText& text;
  /// Of the text, where it is a plain answer (detail/quick_look.h).
  std::optional<std::string_view> plain_id;
  std::string_view expected_id;  ///< as rendered
  std::string_view nonce;        ///< that the reply must show; empty: none was sent
};

/// Whether a reply is what its operation asked for. Most replies are plain answers and are told by
/// their two ends and one search; everything else goes to protocol::judge, whose verdict counts.
///
/// Text and nonce are looked for in every reply of up to 64 KiB, and in every one that is checked
/// whole. What needs the JSON tree, and valid JSON from end to end, is looked at in those alone.
///
/// Shared by all threads of a phase.
class ReplyCheck {
 public:
  ReplyCheck(const Operation& operation, const protocol::Era& era,
             const std::vector<protocol::RefusalRule>& refusals);

  /// `whole`: this reply is one of those that are checked whole; its text must be.
  protocol::Verdict check(const Arrived& reply, bool whole);

  /// Results with a resultType other than "complete" exist in this era.
  [[nodiscard]] bool wants_complete() const { return wants_complete_; }

 private:
  [[nodiscard]] bool is_beyond_doubt(const Arrived& reply, bool whole) const;
  [[nodiscard]] protocol::Verdict judge(const Arrived& reply, bool whole) const;
  protocol::Verdict check_same_result(std::string_view message);

  bool tool_call_;
  bool wants_complete_;
  bool refuses_results_ = false;  // a rule may match what would else be served
  protocol::Expectation full_;
  protocol::Expectation cheap_;  // without what needs the JSON tree
  protocol::Expectation none_;
  std::vector<protocol::RefusalRule> refusals_;
  std::atomic<std::uint64_t> first_result_{0};  // hash; 0: none yet
};

}  // namespace weighbridge::load
